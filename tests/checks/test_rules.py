"""What nbval lets pass in silence, planted one by one in a sound page: the audit must refuse each."""

import pytest
from nbformat.v4 import new_output

from book_tools.notebooks.files import WIDGET_VIEW

VALUES, NUMBERS, DRAWING, MEASURED = 1, 3, 5, 6


def test_the_page_is_sound(page, findings):
    assert findings(page) == []


def no_count(page):
    page.cells[VALUES].execution_count = None


def counts_out_of_order(page):
    page.cells[VALUES].execution_count, page.cells[NUMBERS].execution_count = 2, 1


def stripped_output(page):
    page.cells[NUMBERS].outputs = []


def stripped_drawing(page):
    page.cells[DRAWING].outputs = []


def missing_picture(page):
    del page.cells[DRAWING].outputs[0].data["image/png"]


def garbled_picture(page):
    page.cells[DRAWING].outputs[0].data["image/png"] = "bm90IGEgcGljdHVyZQ=="


def comment_that_ignores(page):
    page.cells[VALUES].source = "# NBVAL_IGNORE_OUTPUT\n" + page.cells[VALUES].source


def skipped(page):
    page.cells[VALUES].metadata["tags"] = ["nbval-skip"]


def raises(page):
    page.cells[VALUES].metadata["tags"] = ["raises-exception"]


def ignored_without_measuring(page):
    page.cells[VALUES].metadata["tags"] = ["nbval-ignore-output"]


def unknown_tag(page):
    page.cells[VALUES].metadata["tags"] = ["nbval-whatever"]


def carriage_return(page):
    page.cells[VALUES].outputs[0].text = "10%\r" + page.cells[VALUES].outputs[0].text


def backspace(page):
    page.cells[VALUES].outputs[0].text = "7\b" + page.cells[VALUES].outputs[0].text


def stream_in_pieces(page):
    page.cells[VALUES].outputs.append(new_output("stream", name="stdout", text="x = 1\n"))


def clears_output(page):
    page.cells[VALUES].source += "\nfrom IPython.display import clear_output\nclear_output()"


def updates_display(page):
    page.cells[VALUES].source += "\nhandle = display(1, display_id=True)"


def warning_in_the_output(page):
    page.cells[VALUES].outputs.append(new_output("stream", name="stderr", text="UserWarning"))


def error_in_the_output(page):
    page.cells[VALUES].outputs.append(new_output("error", ename="ValueError", evalue="", traceback=[]))


def address_in_the_output(page):
    page.cells[VALUES].outputs[0].text += "<object at 0x7f65f629e2a0>\n"


def prose_in_the_output(page):
    page.cells[VALUES].outputs[0].text += "结果很好\n"


def widget_view(page):
    page.cells[DRAWING].outputs[0].data[WIDGET_VIEW] = {"model_id": "1f0"}


def measured_without_a_reason(page):
    page.cells[MEASURED].metadata["measured"]["reason"] = ""


def measured_code_has_changed(page):
    page.cells[MEASURED].source += "\n"


def measured_without_a_bound(page):
    page.cells[MEASURED].metadata["measured"]["bounds"] = {}


def measured_outside_its_bound(page):
    page.cells[MEASURED].metadata["measured"]["bounds"] = {"time.*": [1000, 2000]}


def measured_without_a_unit(page):
    page.cells[MEASURED].outputs[0].text = "time.sum = 0.22\n"


def measured_without_a_label(page):
    page.cells[MEASURED].outputs[0].text = "0.22 ms\n"


def measured_tag_on_text(page):
    page.cells[0].metadata["tags"] = ["nbval-skip"]


def caption_in_the_metadata(page):
    page.cells[DRAWING].metadata["mystnb"]["figure"] = {"caption": "看这里"}


def answer_beside_its_guess(page):
    page.cells[DRAWING - 1].source += "\n\n**先猜一猜**：哪一格最深？"


HOLES = [
    no_count,
    counts_out_of_order,
    stripped_output,
    stripped_drawing,
    missing_picture,
    garbled_picture,
    comment_that_ignores,
    skipped,
    raises,
    ignored_without_measuring,
    unknown_tag,
    carriage_return,
    backspace,
    stream_in_pieces,
    clears_output,
    updates_display,
    warning_in_the_output,
    error_in_the_output,
    address_in_the_output,
    prose_in_the_output,
    widget_view,
    measured_without_a_reason,
    measured_code_has_changed,
    measured_without_a_bound,
    measured_outside_its_bound,
    measured_without_a_unit,
    measured_without_a_label,
    measured_tag_on_text,
    caption_in_the_metadata,
    answer_beside_its_guess,
]


@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: hole.__name__)
def test_hole_is_refused(page, findings, hole):
    hole(page)
    found = findings(page)
    assert found, f"the audit lets {hole.__name__} pass"
    assert all(text.startswith("page.ipynb: cell ") for text in found)


def test_a_tag_with_a_written_reason_passes(page, findings):
    page.cells[VALUES].metadata["tags"] = ["raises-exception"]
    page.cells[VALUES].metadata["reasons"] = {"raises-exception": "shows the error of a wrong shape"}
    assert findings(page) == []


def test_tokens_in_quotes_are_no_prose(page, findings):
    page.cells[VALUES].outputs[0].text += 'token = ("猫", "狗")\n'
    assert findings(page) == []
