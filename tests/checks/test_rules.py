"""What nbval lets pass in silence, planted one by one in a sound page: the audit must refuse each."""

import pytest
from nbformat.v4 import new_output

from book_tools.notebooks.files import WIDGET_VIEW, tie_outputs

VALUES, NUMBERS, DRAWING, MEASURED = 1, 3, 5, 6
HOLES = []


def refused(told):
    """Register a change of the sound page, and a part of the one sentence that must refuse it."""

    def register(hole):
        HOLES.append(pytest.param(hole, told, id=hole.__name__))
        return hole

    return register


def recode(cell, source):
    """Give a cell other code as if it had been run, so that the code alone is at fault."""
    cell.source = source
    tie_outputs(cell)


@refused("execution count None")
def no_count(page):
    page.cells[VALUES].execution_count = None


@refused("execution count 2")
def counts_out_of_order(page):
    page.cells[VALUES].execution_count, page.cells[NUMBERS].execution_count = 2, 1


@refused("do not come from this code")
def other_digits(page):
    page.cells[VALUES].source = page.cells[VALUES].source.replace("digits=0", "digits=1")


@refused("do not come from this code")
def raises_before_it_prints(page):
    page.cells[VALUES].source = "raise RuntimeError\n" + page.cells[VALUES].source


@refused("do not come from this code")
def measured_code_has_changed(page):
    page.cells[MEASURED].source += "\n"


@refused("do not come from this code")
def no_digest(page):
    del page.cells[NUMBERS].metadata["book_tools"]


@refused("its stored output is missing")
def stripped_output(page):
    page.cells[NUMBERS].outputs = []


@refused("its stored output is missing")
def stripped_drawing(page):
    page.cells[DRAWING].outputs = []


@refused("the picture of this figure is missing")
def missing_picture(page):
    del page.cells[DRAWING].outputs[0].data["image/png"]


@refused("not a PNG picture")
def garbled_picture(page):
    page.cells[DRAWING].outputs[0].data["image/png"] = "bm90IGEgcGljdHVyZQ=="


@refused("not an SVG picture")
def garbled_drawing(page):
    page.cells[DRAWING].outputs[0].data["image/svg+xml"] = "<html>"


@refused("comments may not switch checks off")
def comment_that_ignores(page):
    recode(page.cells[VALUES], "# NBVAL_IGNORE_OUTPUT\n" + page.cells[VALUES].source)


@refused("does not parse")
def broken_code(page):
    recode(page.cells[NUMBERS], "show(")


@refused("a cell that is never run may not show an output")
def skipped(page):
    page.cells[VALUES].metadata.update(tags=["nbval-skip"], reasons={"nbval-skip": "needs a GPU"})


@refused("give its reason in the metadata")
def raises(page):
    page.cells[VALUES].metadata["tags"] = ["raises-exception"]


@refused("a measured cell has both tags")
def ignored_without_measuring(page):
    page.cells[VALUES].metadata["tags"] = ["nbval-ignore-output"]


@refused("tags must be a list")
def tags_in_a_string(page):
    page.cells[VALUES].metadata["tags"] = "hide-input"


@refused("a page begins with text")
def open_code_on_the_first_screen(page):
    page.cells[VALUES].metadata["tags"] = ["lesson"]


@refused("text before a carriage return")
def carriage_return(page):
    page.cells[VALUES].outputs[0].text = "10%\r" + page.cells[VALUES].outputs[0].text


@refused("a backspace")
def backspace(page):
    page.cells[VALUES].outputs[0].text = "7\b" + page.cells[VALUES].outputs[0].text


@refused("stored in two pieces")
def stream_in_pieces(page):
    page.cells[VALUES].outputs.append(new_output("stream", name="stdout", text="x = 1\n"))


@refused("nbval cannot follow output that is rewritten")
def clears_output(page):
    recode(page.cells[VALUES], page.cells[VALUES].source + "\nclear_output()")


@refused("nbval cannot follow output that is rewritten")
def updates_display(page):
    recode(page.cells[VALUES], page.cells[VALUES].source + "\nhandle = display(1, display_id=True)")


@refused("no warnings or progress bars")
def warning_in_the_output(page):
    page.cells[VALUES].outputs.append(new_output("stream", name="stderr", text="UserWarning"))


@refused("a stored output is an error")
def error_in_the_output(page):
    page.cells[VALUES].outputs.append(new_output("error", ename="ValueError", evalue="", traceback=[]))


@refused("result numbered 7")
def result_of_another_cell(page):
    page.cells[DRAWING].outputs.append(
        new_output("execute_result", data={"text/plain": "x"}, execution_count=7)
    )


@refused("0x7f65f629e2a0” an address or a path of one machine")
def address_in_the_output(page):
    page.cells[VALUES].outputs[0].text += "<object at 0x7f65f629e2a0>\n"


@refused("/root/book” an address or a path of one machine")
def path_in_a_table(page):
    page.cells[DRAWING].outputs[0].data["text/html"] = "<td>/root/book </td>"


@refused("no prose")
def prose_in_the_output(page):
    page.cells[VALUES].outputs[0].text += "结果很好\n"


@refused("a stored widget view holds random ids")
def widget_view(page):
    page.cells[DRAWING].outputs[0].data[WIDGET_VIEW] = {"model_id": "1f0"}


@refused("say why in the cell's metadata")
def measured_without_a_reason(page):
    page.cells[MEASURED].metadata["measured"]["reason"] = ""


@refused("state a bound")
def measured_without_a_bound(page):
    page.cells[MEASURED].metadata["measured"]["bounds"] = {}


@refused("a bound is [low, high]")
def measured_with_half_a_bound(page):
    page.cells[MEASURED].metadata["measured"]["bounds"] = {"time.*": [0]}


@refused("lies outside its stated bound")
def measured_outside_its_bound(page):
    page.cells[MEASURED].metadata["measured"]["bounds"] = {"time.*": [1000, 2000]}


@refused("a measured number needs a unit")
def measured_without_a_unit(page):
    page.cells[MEASURED].outputs[0].text = "time.sum = 0.22\n"


@refused("a measured number needs a label and a unit")
def measured_without_a_label(page):
    page.cells[MEASURED].outputs[0].text = "0.22 ms\n"


@refused("this tag means nothing on a text cell")
def measured_tag_on_text(page):
    page.cells[0].metadata["tags"] = ["nbval-skip"]


@refused("write the caption in a text cell below")
def caption_in_the_metadata(page):
    page.cells[DRAWING].metadata["mystnb"]["figure"] = {"caption": "看这里"}


@refused("a guess comes first")
def answer_beside_its_guess(page):
    page.cells[DRAWING - 1].source += "\n\n**先猜一猜**：哪一格最深？"


@pytest.mark.parametrize(("hole", "told"), HOLES)
def test_hole_is_refused(page, findings, hole, told):
    hole(page)
    found = findings(page)
    assert any(told in text for text in found), f"the audit lets {hole.__name__} pass, or says: {found}"
    assert all(text.startswith("page.ipynb: cell ") for text in found)


def unchanged(page):
    pass


def keeps_its_tag_for_a_reason(page):
    page.cells[VALUES].metadata["tags"] = ["raises-exception"]
    page.cells[VALUES].metadata["reasons"] = {"raises-exception": "shows the error of a wrong shape"}


def quotes_its_tokens(page):
    page.cells[VALUES].outputs[0].text += 'token = ("猫", "狗")\n'


@pytest.mark.parametrize("change", [unchanged, keeps_its_tag_for_a_reason, quotes_its_tokens])
def test_a_sound_page_passes(page, findings, change):
    change(page)
    assert findings(page) == []
