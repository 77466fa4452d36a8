"""Tables and pages: hand marks merged, text escaped, what is filled in kept."""

import csv
import html.parser
import re
import zipfile
from pathlib import Path

import pytest

from book_grading import by_hand, mathematics, report, sheets, words
from book_grading.handed_in import Rules
from book_grading.roster import NOBODY, Roster, Student
from book_grading.source_notebooks import Cell, Submission
from book_grading.submissions import Paper

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
CLASS = Roster(
    (
        Student("12", "王五", "一班", "881", "wang@x.cn"),
        Student("0007", "李四", "一班", "882"),
        Student("30", "赵敏", "二班", "883"),
    )
)


def outcome(assignment, name, points=1.0, text="推导", messages=("不对",), **paper):
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
    paper = Paper(Path(name), name, **{"student": name, **paper})
    return paper, {"items": items, "derivations": written, "notes": [], "problem": None}


def missing(student):
    """A student who handed nothing in."""
    problem = {"items": [], "derivations": [], "notes": [], "problem": "没有交"}
    return Paper(None, student, student, problem="没有交"), problem


@pytest.fixture(autouse=True)
def quick(monkeypatch, request):
    """Show written answers as they are, but where the test is about rendering."""
    if "rendering" not in request.fixturenames:
        monkeypatch.setattr(mathematics, "render", lambda texts: list(map(mathematics.as_written, texts)))


def table(path):
    """Read a written table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path, marks, encoding="utf-8-sig", delimiter=",", by="文件"):
    """Fill in hand marks as a teacher's spreadsheet would: {(paper, item): (points, comment)}."""
    rows = table(path)
    for row in rows:
        row["得分"], row["评语"] = marks.get((row[by], row["题号"]), (row["得分"], row["评语"]))
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
    page = next((tmp_path / "feedback").glob("a.html")).read_text(encoding="utf-8")
    assert "漏了转置" in page


@pytest.mark.parametrize("points", ["7", "-1", "好"])
def test_impossible_hand_marks_are_refused_and_nothing_changes(sets, tmp_path, points):
    outcomes = [outcome(sets["hand"], "a")]
    report.write_all(tmp_path, sets["hand"], outcomes)
    before = (tmp_path / "totals.csv").read_bytes()
    fill(tmp_path / "hand-marks.csv", {("a", "derivation-4"): (points, "")})
    with pytest.raises(sheets.BadSheet, match="row 2 must be a number from 0 to 6; got"):
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
    (one,), _ = report.write_all(tmp_path, sets["hand"], outcomes, NOBODY, given)
    assert (one.automatic, one.by_hand, one.total) == (28, 10, 38)


def by_hand_script(assignment):
    """The script element of the page for hand marks, which is the marker's own."""
    return f"<script>{by_hand.script_of(assignment)}</script>"


class Tags(html.parser.HTMLParser):
    """Collect the tags of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)


def test_what_students_write_runs_nowhere(sets, tmp_path):
    outcomes = [outcome(sets["hand"], f"{EVIL}{n}", 0.0, EVIL, (EVIL,)) for n in range(2)]
    outcomes[0][1]["notes"].append(EVIL)
    cells = {paper.name: Submission((Cell("markdown", EVIL, "derivation-4"),)) for paper, _ in outcomes}
    report.write_all(tmp_path, sets["hand"], outcomes, cells=cells)
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        text = text.replace(by_hand_script(sets["hand"]), "") if page.name == "by-hand.html" else text
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
    outcomes = [outcome(sets["code"], "a"), missing("b")]
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
    columns = {"it": ("a",)}
    assert sheets.read_sheet(tmp_path / "x.csv", columns) == [(2, {"it": text})], "a mark comes back"


@pytest.mark.parametrize("value", ["12", "20260001", "s12", "12.ipynb", "0", 3, 2.5])
def test_plain_text_and_numbers_are_written_as_they_are(tmp_path, value):
    sheets.write_sheet(tmp_path / "x.csv", ["a"], [[value]])
    assert table(tmp_path / "x.csv") == [{"a": str(value)}]


# -- names, order, sums


def test_names_stand_beside_ids_in_the_rosters_order(sets, tmp_path):
    code = sets["code"]
    outcomes = [outcome(code, name, student=name) for name in ("0007", "12")] + [missing("30")]
    report.write_all(tmp_path, code, outcomes, CLASS)
    rows = table(tmp_path / "totals.csv")
    assert [(row["学号"], row["姓名"], row["班级"]) for row in rows] == [
        ("12", "王五", "一班"),
        ('="0007"', "李四", "一班"),
        ("30", "赵敏", "二班"),
    ]
    assert "12 王五" in (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert {path.name for path in (tmp_path / "feedback").iterdir()} == {
        "12_王五.html",
        "0007_李四.html",
        "30_赵敏.html",
    }


def test_median_and_histogram_are_of_what_is_certain(sets, tmp_path):
    code = sets["code"]
    outcomes = [outcome(code, f"s{n}", share) for n, share in enumerate((0, 0.5, 1, 1))] + [missing("x")]
    report.write_all(tmp_path, code, outcomes)
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert words.FIGURES.format(words.TOTAL, 4, 30.75, 25.62, 41, 0, 41) in page
    assert re.findall(r"</th><td>(\d)</td>", page) == list("1000010002")
    report.write_all(tmp_path, sets["hand"], [outcome(sets["hand"], "a", 0.5)])
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert words.FIGURES.format(words.AUTOMATIC, 1, 14, 14, 14, 14, 28) in page, "before the hand marks"


def test_a_file_that_is_gone_leaves_no_old_page(sets, tmp_path):
    report.write_all(tmp_path, sets["code"], [missing("12")], CLASS)
    report.write_all(tmp_path, sets["code"], [outcome(sets["code"], "12 (late).ipynb", student="12")], CLASS)
    (page,) = (tmp_path / "feedback").iterdir()
    assert "没有交" not in page.read_text(encoding="utf-8")


def test_pages_of_two_papers_of_one_student_are_kept_apart(sets, tmp_path):
    outcomes = [outcome(sets["code"], name, student="12") for name in ("12.ipynb", "b/12.ipynb")]
    report.write_all(tmp_path, sets["code"], outcomes, CLASS)
    assert len(list((tmp_path / "feedback").iterdir())) == 2
    assert all(row["总分"] == "" for row in table(tmp_path / "totals.csv")), "the teacher has not chosen yet"
    report.write_all(tmp_path, sets["code"], outcomes, CLASS, rules=Rules("latest"))
    assert sorted(row["总分"] for row in table(tmp_path / "totals.csv")) == ["", "41"]


def test_the_zip_of_feedback_has_moodles_folders_or_the_students(sets, tmp_path):
    moodle = outcome(sets["code"], "王五_881_assignsubmission_file_/code.ipynb", student="12")
    report.write_all(tmp_path, sets["code"], [moodle, missing("30")], CLASS)
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert archive.namelist() == ["王五_881_assignsubmission_file_/code.html", "30_赵敏/code.html"]


def test_a_late_paper_loses_the_teachers_percentage(sets, tmp_path):
    late = outcome(sets["code"], "12", time=90_000.0)
    (one,), _ = report.write_all(tmp_path, sets["code"], [late], CLASS, rules=Rules("ask", 0.0, 10))
    assert one.total == pytest.approx(41 * 0.8), "25 hours late are two days begun"
    assert "迟交 1 天 1 小时" in one.notes


# -- what platforms and the whole course take


@pytest.mark.parametrize("platform", ["moodle", "canvas", "xuexitong"])
def test_uploads_are_what_the_platform_takes(sets, tmp_path, platform):
    code = sets["code"]
    outcomes = [outcome(code, "12"), outcome(code, "0007", 0.5), missing("30")]
    report.write_all(tmp_path, code, outcomes, CLASS)
    written = (tmp_path / f"upload-{platform}.csv").read_text(encoding="utf-8-sig")
    assert written == (Path(__file__).parent / "fixtures" / f"{platform}.csv").read_text(encoding="utf-8")


def test_no_name_of_a_platform_runs_as_a_formula_and_no_id_changes(sets, tmp_path):
    roster = Roster((Student("0012", "=HYPERLINK(1)"),))
    report.write_all(tmp_path, sets["code"], [outcome(sets["code"], "0012")], roster)
    assert table(tmp_path / "upload-moodle.csv") == [
        {"ID number": "0012", "Full name": "'=HYPERLINK(1)", "Email address": "", "写代码": "41"}
    ]


def test_two_sets_in_one_folder_keep_their_reports_and_add_up(sets, tmp_path):
    outcomes = [outcome(sets["code"], "12"), outcome(sets["code"], "0007", 0.5), missing("30")]
    report.write_all(tmp_path / "code", sets["code"], outcomes, CLASS)
    project = [outcome(sets["project"], "12"), missing("0007"), outcome(sets["project"], "30")]
    marks = {("12", "derivation-report"): ("6", "")}
    report.write_all(tmp_path / "project", sets["project"], project, CLASS)
    fill(tmp_path / "project" / "hand-marks.csv", marks, by="学号")
    report.write_all(tmp_path / "project", sets["project"], project, CLASS)
    rows = table(tmp_path / "all-sets.csv")
    assert [(row["姓名"], row["code"], row["project"], row["合计"], row["满分"]) for row in rows] == [
        ("王五", "41", "26", "67", "67"),
        ("李四", "20.5", "0", "20.5", "67"),
        ("赵敏", "0", "", "", "67"),
    ], "one mark is waiting for the teacher: its sum is not certain"


def test_the_guides_name_every_file_of_a_set(sets, tmp_path):
    guides = (Path(__file__).parents[2] / "book").rglob("teachers.md")
    texts = [guide.read_text(encoding="utf-8") for guide in guides]
    assert texts, "no guide"
    report.write_all(tmp_path / "hand", sets["hand"], [outcome(sets["hand"], "12")], CLASS)
    for path in [*(tmp_path / "hand").iterdir(), tmp_path / "all-sets.csv"]:
        assert all(f"`{path.name}`" in text for text in texts), f"a guide does not say what {path.name} is"


# -- hand marks


def test_hand_marks_go_by_id_whatever_the_file_is_called(sets, tmp_path):
    hand = sets["hand"]
    report.write_all(tmp_path, hand, [outcome(hand, " 7  x.ipynb", student="12")], CLASS)
    fill(tmp_path / "hand-marks.csv", {("12", "derivation-4"): ("5", "好")}, by="学号")
    (one,), told = report.write_all(tmp_path, hand, [outcome(hand, "again/7.ipynb", student="12")], CLASS)
    assert [line.points for line in one.lines if line.by_hand] == [5, None]
    assert told == []


def test_blanks_in_a_file_name_lose_no_hand_mark(sets, tmp_path):
    paper = outcome(sets["hand"], " 7  x.ipynb", student="7 x")
    report.write_all(tmp_path, sets["hand"], [paper])
    fill(tmp_path / "hand-marks.csv", {("7 x", "derivation-4"): ("5", "")}, by="学号")
    (one,), _ = report.write_all(tmp_path, sets["hand"], [paper])
    assert [line.points for line in one.lines if line.by_hand] == [5, None]


@pytest.mark.parametrize("heading", ["得分", "分数", "成绩"])
def test_a_sheet_with_another_heading_for_points_is_read(sets, tmp_path, heading):
    sheet = tmp_path / "mine.csv"
    sheet.write_text(f"学号,题号,{heading}\n12,derivation-4,5\n", encoding="utf-8")
    (one,), _ = report.write_all(tmp_path / "o", sets["hand"], [outcome(sets["hand"], "12")], CLASS, sheet)
    assert [line.points for line in one.lines if line.by_hand] == [5, None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("学号,题号,打分\n12,derivation-4,5\n", "must be a table with the columns 题号, 得分"),
        ("学号,题号,得分\n12,derivation-5,5\n", "the item in .*row 2 must be one of"),
        ("学号,题号,得分\n,derivation-4,5\n", "the student in .*row 2 must be an ID or a file name"),
        ("学号,题号,得分\n12,test-1,4\n", "the comment in .*row 2 must be the reason for another mark"),
    ],
)
def test_a_sheet_whose_marks_would_be_lost_is_refused(sets, tmp_path, text, said):
    (tmp_path / "mine.csv").write_text(text, encoding="utf-8")
    with pytest.raises(sheets.BadSheet, match=said):
        report.write_all(tmp_path / "o", sets["hand"], [], CLASS, tmp_path / "mine.csv")


def test_a_mark_for_nobody_is_told_and_kept(sets, tmp_path):
    (tmp_path / "mine.csv").write_text("学号,题号,得分\n21,derivation-4,5\n", encoding="utf-8")
    hand = sets["hand"]
    _, told = report.write_all(tmp_path / "o", hand, [outcome(hand, "12")], CLASS, tmp_path / "mine.csv")
    assert told == [words.no_such_paper(["21"])]
    assert [row["学号"] for row in table(tmp_path / "o" / "hand-marks.csv")] == ["12", "12", "21"]


def test_a_derivation_rewritten_after_its_mark_is_flagged_until_the_teacher_says_so(sets, tmp_path):
    hand, first = sets["hand"], [outcome(sets["hand"], "12", text="旧的推导")]
    report.write_all(tmp_path, hand, first, CLASS)
    fill(tmp_path / "hand-marks.csv", {("12", "derivation-4"): ("2", "")}, by="学号")
    (one,), _ = report.write_all(tmp_path, hand, first, CLASS)
    assert not any(line.changed for line in one.lines)
    second = [outcome(hand, "12", text="新的推导")]
    for _ in range(2):  # the flag survives a rerun
        (one,), _ = report.write_all(tmp_path, hand, second, CLASS)
        assert [line.changed for line in one.lines if line.by_hand] == [True, False]
        assert "请重看" in table(tmp_path / "totals.csv")[0]["备注"]
        page = (tmp_path / "by-hand.html").read_text(encoding="utf-8")
        assert "上次是 2 分" in page
        assert 'value="2"' not in page, "saving the page would confirm a mark of another answer"
    rows = table(tmp_path / "hand-marks.csv")
    rows[0]["答案版本"] = ""  # the teacher has read it again
    sheets.write_sheet(tmp_path / "hand-marks.csv", rows[0].keys(), [row.values() for row in rows])
    (one,), _ = report.write_all(tmp_path, hand, second, CLASS)
    assert not any(line.changed for line in one.lines)


def test_an_automatic_mark_adjusted_with_a_note_survives_reruns(sets, tmp_path):
    code = sets["code"]
    sheet = tmp_path / "mine.csv"
    sheet.write_text("学号,题号,得分,说明\n12,test-rope,3,想法对\n", encoding="utf-8")
    report.write_all(tmp_path, code, [outcome(code, "12", 0.0)], CLASS, sheet)
    (one,), _ = report.write_all(tmp_path, code, [outcome(code, "12", 0.0)], CLASS)
    assert one.total == 3
    page = (tmp_path / "feedback" / "12_王五.html").read_text(encoding="utf-8")
    assert "老师改分：想法对" in page
    assert not any(line.changed for line in one.lines)
    (one,), _ = report.write_all(tmp_path, code, [outcome(code, "12", 0.2)], CLASS)
    assert [line.id for line in one.lines if line.changed] == ["test-rope"], "the test says otherwise now"


# -- the page for derivations


@pytest.fixture
def rendering():
    """Ask for real rendering."""


def test_derivations_are_shown_by_question_with_mathematics_and_the_model_answer(sets, tmp_path, rendering):
    hand = sets["hand"]
    texts = {"12": r"由 $\mathbf{R}^\top$ 得", "0007": "$(((((((((((((((((((((((((((((((((((((((((($ 后"}
    outcomes = [outcome(hand, name, text=text) for name, text in texts.items()]
    report.write_all(tmp_path, hand, outcomes, CLASS)
    page = (tmp_path / "by-hand.html").read_text(encoding="utf-8")
    assert page.index("12 王五") < page.index("0007 李四") < page.index("补充四")
    assert page.count("<article") == 4
    assert "<msup><mi>𝐑</mi><mi>⊤</mi></msup>" in page
    assert "（2 分）" in page, "the rubric of the model answer"
    assert "<pre>$((((" in page, "a formula that the converter cannot take is shown as it is"
    assert "$$" not in page, "a formula of the question is shown as text"


@pytest.mark.parametrize(
    "text",
    ["$" + "(" * 60 + "$", "$" + r"\sqrt{" * 300 + "}" * 300 + "$", "[" * 20000, "> " * 9000, "$" * 20000],
)
def test_no_text_ends_or_holds_the_rendering_of_others(text, rendering):
    before, _, after = mathematics.render(["$a$", text, "$b$"])
    assert "<mi>a</mi>" in before
    assert "<mi>b</mi>" in after


def test_rendered_text_holds_no_markup_of_the_students(rendering):
    (made,) = mathematics.render([f"{EVIL} [x](javascript:alert(1)) ![y](http://z) $\\text{{{EVIL}}}$"])
    assert not Tags(made).tags & {"script", "img", "a"}


def test_the_sheet_that_the_page_saves_is_read_back(sets, tmp_path):
    """The page's header is the sheet's, and its columns stand in the header's order."""
    script = by_hand.script_of(sets["hand"])
    assert ",".join(words.HAND_HEADER) in script
    assert "[id, name, file, item, title, most, points, comment, version]" in script


# -- answers that are alike

ROPE = """def rope(Q):
    D_q, N = Q.shape
    angle = 10000.0 ** (-2 * np.arange(D_q // 2) / D_q)[:, None] * np.arange(N)
    first, second = Q[0::2], Q[1::2]
    return np.stack([np.cos(angle) * first - np.sin(angle) * second], axis=1)  # 旋转
"""
RENAMED = ROPE.replace("angle", "w").replace("first", "a").replace("# 旋转", "")
NEAR = ROPE.replace("axis=1", "axis=0")
OTHER = """def rope(Q):
    out = np.zeros(Q.shape)
    for n in range(Q.shape[1]):
        for i in range(0, Q.shape[0], 2):
            t = n / 10000 ** (i / Q.shape[0])
            c, s = np.cos(t), np.sin(t)
            out[i, n], out[i + 1, n] = c * Q[i, n] - s * Q[i + 1, n], s * Q[i, n] + c * Q[i + 1, n]
    return out
"""


def alike(sets, tmp_path, *sources):
    """The page of answers alike for papers with these answers, which others of the class surround."""
    names = [f"s{n}" for n in range(len(sources))]
    cells = {
        name: Submission((Cell("code", source, "answer-rope"),))
        for name, source in zip(names, sources, strict=True)
    }
    report.write_all(tmp_path, sets["code"], [outcome(sets["code"], name) for name in names], cells=cells)
    return (tmp_path / "similar.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("other", "kind"), [(ROPE, "same"), (RENAMED, "renamed"), (NEAR, "near")])
def test_answers_alike_are_listed_with_how(sets, tmp_path, other, kind):
    page = alike(sets, tmp_path, ROPE, other, OTHER)
    assert words.SIMILAR_PAIR.format("s0", "s1", 1) in page
    assert f"：{words.SIMILAR_KINDS[kind]}" in page
    assert page.count("<details") == 1


@pytest.mark.parametrize("broken", ["def (", "x = '''", "\0", "\ud800", "  a\n b", "(" * 500])
def test_code_that_is_none_is_compared_too(sets, tmp_path, broken):
    source = broken + " + ".join(f"name_{n}" for n in range(99))
    assert "<details" in alike(sets, tmp_path, source, source, OTHER)


def test_no_control_character_of_an_answer_is_shown(sets, tmp_path):
    source = ROPE + "# \x1b[2J\0\u202e"
    page = alike(sets, tmp_path, source, source, OTHER)
    assert "# [2J" in page
    assert not set("\x1b\0\u202e") & set(page)


def test_what_many_write_alike_or_is_short_says_nothing(sets, tmp_path):
    assert "<details" not in alike(sets, tmp_path, ROPE, ROPE, ROPE, OTHER)
    assert "<details" not in alike(sets, tmp_path, *["def rope(Q):\n    return Q + 1"] * 2)
