"""The pages in a browser: marked by keyboard alone, readable in light and dark, loading nothing."""

import pytest

from book_grading import hand_marks, report
from book_grading.roster import Roster, Student
from book_grading.source_notebooks import Cell, Submission
from book_grading.submissions import Paper

CLASS = Roster((Student("12", "王五"), Student("30", "赵敏")))
MATHEMATICS = r"由 $\mathbf{R}(\alpha)^\top\mathbf{R}(\beta) = \mathbf{R}(\beta - \alpha)$，得证。"


@pytest.fixture(scope="module")
def written(sets, tmp_path_factory):
    """The reports of a class of two, whose derivations are the same."""
    folder, hand = tmp_path_factory.mktemp("marks") / "hand", sets["hand"]
    outcomes, cells = [], {}
    for student in CLASS.ids:
        items = [
            {"id": cell.grade_id, "title": cell.title, "most": cell.points, "points": 0}
            for cell in hand.by_role("test")
        ]
        items = [{**item, "state": "wrong", "messages": ["错"]} for item in items]
        answers = [
            {"id": c.grade_id, "title": c.title, "most": c.points, "text": MATHEMATICS}
            for c in hand.by_role("derivation")
        ]
        result = {"items": items, "derivations": answers, "notes": ["注意"], "problem": None}
        outcomes.append((Paper(folder / "x", f"{student}.ipynb", student), result))
        cells[f"{student}.ipynb"] = Submission((Cell("markdown", MATHEMATICS * 3, "derivation-4"),))
    report.write_all(folder, hand, outcomes, CLASS, cells=cells)
    return folder


@pytest.fixture
def page(browser):
    """A page of a context of its own."""
    context = browser.new_context(accept_downloads=True)
    yield context.new_page()
    context.close()


def test_derivations_are_marked_by_keyboard_and_the_sheet_is_read_back(written, sets, page, tmp_path):
    page.goto((written / "by-hand.html").as_uri())
    page.locator(".points").first.focus()
    for points in ("5", "6", "3.5"):
        page.keyboard.type(points)
        page.keyboard.press("Enter")
    page.keyboard.type("4")
    page.keyboard.press("Tab")
    page.keyboard.type('漏了"转置"，再看')
    assert page.locator("#progress").text_content() == "已评 4 / 4"
    with page.expect_download() as download:
        page.keyboard.press("Control+s")
    assert download.value.suggested_filename == "by-hand.csv"
    download.value.save_as(tmp_path / "by-hand.csv")
    marks = hand_marks.read(tmp_path / "by-hand.csv", sets["hand"])
    assert {key: mark.points for key, mark in marks.items()} == {
        ("12", "derivation-4"): 5,
        ("30", "derivation-4"): 6,
        ("12", "derivation-11"): 3.5,
        ("30", "derivation-11"): 4,
    }
    assert marks["30", "derivation-11"].comment == '漏了"转置"，再看'
    assert all(mark.version.startswith("v") for mark in marks.values()), "which answer a mark is for is lost"


def test_impossible_points_are_not_saved(written, page):
    page.goto((written / "by-hand.html").as_uri())
    page.locator(".points").first.fill("7")
    page.keyboard.press("Control+s")
    assert page.evaluate("document.activeElement.className") == "points"
    assert page.evaluate("document.activeElement.validity.rangeOverflow")


def test_what_was_typed_is_there_after_a_reload(written, page):
    page.goto((written / "by-hand.html").as_uri())
    page.locator("textarea").first.fill("一半")
    page.reload()
    assert page.locator("textarea").first.input_value() == "一半"


def test_pages_are_readable_in_light_and_dark_and_load_nothing(written, page, barriers):
    requests, errors = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    paths = [written / name for name in ("summary.html", "similar.html", "by-hand.html")]
    for path in [*paths, written / "feedback" / "12_王五.html"]:
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = barriers(page)
            assert not found, f"{path.name}, {scheme}: {found}"
    assert {url for url in requests if not url.startswith("file:")} == set()
    assert errors == []
