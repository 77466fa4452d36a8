"""What nbval lets pass in silence, planted one by one in a sound page: the audit must refuse each."""

import pytest
from nbformat.v4 import new_output

from book_tools.notebooks.files import WIDGET_VIEW, tie_outputs

VALUES, NUMBERS, DRAWING, MEASURED = 1, 3, 5, 6
DATA, BOUNDS = "outputs.0.data.", "metadata.measured.bounds"
REMOVED = object()
STALE = "do not come from this code"
TRACE = "an address or a path of one machine"


def before(text):
    return lambda old: text + old


def then(text):
    return lambda old: old + text


def more(*output, **fields):
    return lambda outputs: [*outputs, new_output(*output, **fields)]


# What each hole is called, a part of the one sentence that must refuse it, and where what is put.
HOLES = [
    ("no count", "execution count None", VALUES, "execution_count", None),
    ("count of another cell", "execution count 2", VALUES, "execution_count", 2),
    ("other digits", STALE, VALUES, "source", lambda code: code.replace("digits=0", "digits=1")),
    ("raises before it prints", STALE, VALUES, "source", before("raise RuntimeError\n")),
    ("measured code has changed", STALE, MEASURED, "source", then("\n")),
    ("no digest", STALE, NUMBERS, "metadata.book_tools", REMOVED),
    ("stripped output", "its stored output is missing", NUMBERS, "outputs", []),
    ("stripped drawing", "its stored output is missing", DRAWING, "outputs", []),
    ("missing picture", "the picture of this figure is missing", DRAWING, DATA + "image/png", REMOVED),
    ("garbled picture", "not a PNG picture", DRAWING, DATA + "image/png", "bm90IGEgcGljdHVyZQ=="),
    ("garbled drawing", "not an SVG picture", DRAWING, DATA + "image/svg+xml", "<html>"),
    ("ignored", "comments may not switch checks off", VALUES, "code", before("# NBVAL_IGNORE_OUTPUT\n")),
    ("broken code", "does not parse", NUMBERS, "code", "show("),
    ("raises", "give its reason in the metadata", VALUES, "metadata.tags", ["raises-exception"]),
    ("not measured", "a measured cell has both tags", VALUES, "metadata.tags", ["nbval-ignore-output"]),
    ("tags in a string", "tags must be a list", VALUES, "metadata.tags", "hide-input"),
    ("open code on the first screen", "a page begins with text", VALUES, "metadata.tags", ["lesson"]),
    ("carriage return", "text before a carriage return", VALUES, "outputs.0.text", before("10%\r")),
    ("backspace", "a backspace", VALUES, "outputs.0.text", before("7\b")),
    ("pieces", "stored in two pieces", VALUES, "outputs", more("stream", name="stdout", text="x = 1\n")),
    ("clears output", "output that is rewritten", VALUES, "code", then("\nclear_output()")),
    ("updates display", "output that is rewritten", VALUES, "code", then("\ndisplay(1, display_id=True)")),
    ("warning", "no warnings or", VALUES, "outputs", more("stream", name="stderr", text="UserWarning")),
    ("error", "a stored output is an error", VALUES, "outputs", more("error", ename="ValueError")),
    ("result", "result numbered 7", DRAWING, "outputs", more("execute_result", execution_count=7)),
    ("address", f"0x7f65f6” {TRACE}", VALUES, "outputs.0.text", then("<object at 0x7f65f6>\n")),
    ("path", f"/root/book” {TRACE}", DRAWING, DATA + "text/html", "<td>/root/book </td>"),
    ("prose in the output", "no prose", VALUES, "outputs.0.text", then("结果很好\n")),
    ("no reason", "say why in the cell's metadata", MEASURED, "metadata.measured.reason", ""),
    ("no bound", "state a bound", MEASURED, BOUNDS, {}),
    ("half a bound", "a bound is [low, high]", MEASURED, BOUNDS, {"time.*": [0]}),
    ("outside its bound", "lies outside its stated bound", MEASURED, BOUNDS, {"time.*": [1000, 2000]}),
    ("no unit", "a measured number needs a unit", MEASURED, "outputs.0.text", "time.sum = 0.22\n"),
    ("no label", "a measured number needs a label and a unit", MEASURED, "outputs.0.text", "0.22 ms\n"),
    ("tag on text", "this tag means nothing on a text cell", 0, "metadata.tags", ["nbval-skip"]),
    ("caption", "write the caption in a text cell below", DRAWING, "metadata.mystnb.figure", {}),
    (
        "answer beside its guess",
        "a guess comes first",
        DRAWING - 1,
        "source",
        then("\n\n**先猜一猜**：哪？"),
    ),
]


def put(cell, path, value):
    """Change what stands at a path of a cell; `code` is its source as if it had been run, alone at fault."""
    *rooms, last = path.replace("code", "source").split(".")
    place = cell
    for room in rooms:
        place = place[int(room) if room.isdigit() else room]
    if value is REMOVED:
        del place[last]
    else:
        place[last] = value(place[last]) if callable(value) else value
    if path == "code":
        tie_outputs(cell)


def refuses(page, findings, told):
    found = findings(page)
    assert any(told in text for text in found), f"the audit lets it pass, or says: {found}"
    assert all(text.startswith("page.ipynb: cell ") for text in found)


@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: hole[0])
def test_hole_is_refused(page, findings, hole):
    _, told, cell, path, value = hole
    put(page.cells[cell], path, value)
    refuses(page, findings, told)


def test_a_skipped_cell_shows_no_output(page, findings):
    page.cells[VALUES].metadata.update(tags=["nbval-skip"], reasons={"nbval-skip": "needs a GPU"})
    refuses(page, findings, "a cell that is never run may not show an output")


def test_a_widget_view_is_not_stored(page, findings):
    page.cells[DRAWING].outputs[0].data[WIDGET_VIEW] = {"model_id": "1f0"}
    refuses(page, findings, "a stored widget view holds random ids")


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
