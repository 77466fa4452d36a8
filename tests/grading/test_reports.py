"""Tables and pages: hand marks merged, text escaped, what is filled in kept."""

import csv
import html.parser
from pathlib import Path

import pytest

from book_grading import report, sheets
from book_grading.submissions import Paper

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def outcome(assignment, name, points=1.0, text="推导", messages=("不对",)):
    """A paper and a result that gives each item this share of its points."""
    items = [
        {
            "id": cell.grade_id,
            "title": cell.title,
            "most": cell.points,
            "points": cell.points * points,
            "state": "full" if points == 1 else "wrong",
            "messages": [] if points == 1 else list(messages),
        }
        for cell in assignment.by_role("test")
    ]
    written = [
        {"id": cell.grade_id, "title": cell.title, "most": cell.points, "text": text}
        for cell in assignment.by_role("derivation")
    ]
    return Paper(Path(name), name, name), {
        "items": items,
        "derivations": written,
        "notes": [],
        "problem": None,
    }


def table(path):
    """Read a written table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path, marks, encoding="utf-8-sig", delimiter=","):
    """Fill in hand marks as a teacher's spreadsheet would: {(paper, item): (points, comment)}."""
    rows = table(path)
    for row in rows:
        row["得分"], row["评语"] = marks.get((row["文件"], row["题号"]), (row["得分"], row["评语"]))
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize(
    ("encoding", "delimiter"), [("utf-8-sig", ","), ("gb18030", ","), ("utf-16", "\t"), ("utf-8", ";")]
)
def test_hand_marks_are_merged_and_kept(sets, tmp_path, encoding, delimiter):
    hand = sets["hand"]
    outcomes = [outcome(hand, "a"), outcome(hand, "b", 0.0)]
    report.write_all(tmp_path, hand, outcomes)
    before = {row["文件"]: row for row in table(tmp_path / "totals.csv")}
    assert before["a"]["总分"] == "", "a total without its hand marks is no total"
    assert "人工评分" in before["a"]["备注"]
    marks = {("a", "derivation-4"): ("5.5", "漏了转置"), ("a", "derivation-11"): ("4", "")}
    fill(tmp_path / "hand-marks.csv", marks, encoding, delimiter)
    for _ in range(2):  # a second run must not lose what the first one read
        report.write_all(tmp_path, hand, outcomes)
    after = {row["文件"]: row for row in table(tmp_path / "totals.csv")}
    assert (after["a"]["自动评分"], after["a"]["人工评分"], after["a"]["总分"]) == ("28", "9.5", "37.5")
    assert after["a"]["满分"] == "38"
    assert after["b"]["总分"] == ""
    page = next((tmp_path / "feedback").glob("a-*.html")).read_text(encoding="utf-8")
    assert "漏了转置" in page


@pytest.mark.parametrize(
    ("points", "said"), [("7", "expected 0 to 6"), ("-1", "expected 0 to 6"), ("好", "expected a number")]
)
def test_impossible_hand_marks_are_refused_and_nothing_changes(sets, tmp_path, points, said):
    outcomes = [outcome(sets["hand"], "a")]
    report.write_all(tmp_path, sets["hand"], outcomes)
    before = (tmp_path / "totals.csv").read_bytes()
    fill(tmp_path / "hand-marks.csv", {("a", "derivation-4"): (points, "")})
    with pytest.raises(sheets.BadSheet, match=said):
        report.write_all(tmp_path, sets["hand"], outcomes)
    assert (tmp_path / "totals.csv").read_bytes() == before


def test_hand_marks_of_an_earlier_run_and_bare_comments_are_kept(sets, tmp_path):
    """Marking one late paper into the same folder must not lose what was filled in for the others."""
    hand = sets["hand"]
    report.write_all(tmp_path, hand, [outcome(hand, "a"), outcome(hand, "b")])
    fill(tmp_path / "hand-marks.csv", {("a", "derivation-4"): ("5", ""), ("b", "derivation-4"): ("", "再看")})
    report.write_all(tmp_path, hand, [outcome(hand, "late")])
    report.write_all(tmp_path, hand, [outcome(hand, name) for name in ("a", "b", "late")])
    rows = {(row["文件"], row["题号"]): row for row in table(tmp_path / "hand-marks.csv")}
    assert len(rows) == 6
    assert rows["a", "derivation-4"]["得分"] == "5"
    assert rows["b", "derivation-4"]["评语"] == "再看"
    assert table(tmp_path / "totals.csv")[1]["总分"] == ""


def test_a_sheet_of_the_teachers_goes_before_the_kept_one(sets, tmp_path):
    outcomes = [outcome(sets["hand"], "a")]
    report.write_all(tmp_path, sets["hand"], outcomes)
    given = tmp_path / "mine.csv"
    given.write_bytes((tmp_path / "hand-marks.csv").read_bytes())
    fill(tmp_path / "hand-marks.csv", {("a", "derivation-4"): ("1", "旧"), ("a", "derivation-11"): ("4", "")})
    fill(given, {("a", "derivation-4"): ("6", "新")})
    totals = report.write_all(tmp_path, sets["hand"], outcomes, given)
    assert totals[0][2:6] == (28, 10, 38, 38)


class Tags(html.parser.HTMLParser):
    """Collect the tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)


def test_what_students_write_runs_nowhere(sets, tmp_path):
    outcomes = [outcome(sets["hand"], f"{EVIL}", 0.0, EVIL, (EVIL,))]
    outcomes[0][1]["notes"].append(EVIL)
    report.write_all(tmp_path, sets["hand"], outcomes)
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) == 3
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not Tags(text).tags & {"script", "img", "iframe", "svg"}, f"{page.name} runs a student's text"
        assert "Content-Security-Policy" in text
        assert "alert(1)" in text, "the text is shown, as text"


def test_the_summary_counts_success_and_common_mistakes(sets, tmp_path):
    outcomes = [outcome(sets["code"], f"s{n}", 1.0 if n < 3 else 0.0, messages=("沿着行",)) for n in range(4)]
    report.write_all(tmp_path, sets["code"], outcomes)
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert "<td>75%</td>" in page
    assert "1 人：沿着行" in page


def test_who_handed_nothing_in_is_not_counted_as_handed_in(sets, tmp_path):
    missing = {"items": [], "derivations": [], "notes": [], "problem": "没有交"}
    outcomes = [outcome(sets["code"], "a"), (Paper(None, "b", "b"), missing)]
    report.write_all(tmp_path, sets["code"], outcomes)
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert "交来 1 份，评了 1 份" in page
    assert "b：没有交" in page


def test_the_teacher_is_told_of_pictures_in_a_derivation(sets, tmp_path):
    report.write_all(tmp_path, sets["hand"], [outcome(sets["hand"], "a", text="见 ![](attachment:1.png)")])
    assert "里面有图片" in (tmp_path / "by-hand.html").read_text(encoding="utf-8")
    report.write_all(tmp_path, sets["hand"], [outcome(sets["hand"], "a")])
    assert "里面有图片" not in (tmp_path / "by-hand.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "'x"])
def test_no_text_becomes_a_formula(tmp_path, text):
    sheets.write_sheet(tmp_path / "x.csv", ["a"], [[text]])
    assert table(tmp_path / "x.csv") == [{"a": f"'{text}"}]


@pytest.mark.parametrize("text", ["0012", "202330100012", "3-4", "2026/1/2", "1e5", "2026-01"])
def test_what_a_spreadsheet_would_change_stays_text(tmp_path, text):
    sheets.write_sheet(tmp_path / "x.csv", ["a"], [[text]])
    assert table(tmp_path / "x.csv") == [{"a": f'="{text}"'}]
    assert sheets.read_sheet(tmp_path / "x.csv") == [{"a": text}], "the mark comes back as part of the text"


@pytest.mark.parametrize("value", ["12", "20260001", "s12", "12.ipynb", "0", 3, 2.5])
def test_plain_text_and_numbers_are_written_as_they_are(tmp_path, value):
    sheets.write_sheet(tmp_path / "x.csv", ["a"], [[value]])
    assert table(tmp_path / "x.csv") == [{"a": str(value)}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nx\n", "学号 or id"),
        ("学号\n1\n1\n", "twice"),
        ("学号\n../x\n", "row 2"),
        ("学号,n\n1,a\n,b\n", "row 3"),
    ],
)
def test_a_roster_that_cannot_be_used_is_refused(tmp_path, text, said):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(sheets.BadSheet, match=said):
        sheets.read_roster(path)


def test_a_roster_cut_off_in_the_middle_is_told(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_bytes("姓名\n甲".encode("utf-16")[:-1])
    with pytest.raises(sheets.BadSheet, match=r"roster\.csv: expected a column named 学号 or id"):
        sheets.read_roster(path)
