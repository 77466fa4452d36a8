"""Rosters as registries and platforms export them: whatever the file, the same students."""

import sys
import zipfile
from pathlib import Path

import pytest

from book_grading import roster, sheets
from book_grading.roster import Student

FIXTURES = Path(__file__).parent / "fixtures"


def workbook(path, rows):
    """Write the smallest .xlsx that holds rows of text and numbers."""
    cells = [
        "".join(
            f"<c><v>{value}</v></c>"
            if isinstance(value, int)
            else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
            for value in row
        )
        for row in rows
    ]
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="名单" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>'
        + "".join(f"<row>{row}</row>" for row in cells)
        + "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


def write(tmp_path, text, encoding="utf-8"):
    """Write a table of text; return its path."""
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return path


LI_AND_WANG = [Student("20260002", "李四"), Student("20260005", "王五")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_roster_is_read_however_a_spreadsheet_saved_it(tmp_path, encoding, delimiter):
    text = "学号,姓名\n20260002,李四\n20260005,王五\n".replace(",", delimiter)
    assert list(roster.read_roster(write(tmp_path, text, encoding)).students) == LI_AND_WANG


@pytest.mark.parametrize(
    "heading",
    [
        "学号", "学生学号", "学号/工号", "学号／工号", "学 号", "学工号", "Student ID", "student_id",
        "StudentID", "ID number", "SIS User ID", "id", "*学号",
    ],
)  # fmt: skip
def test_the_column_of_ids_is_known_by_many_headings(tmp_path, heading):
    text = f"序号,{heading},姓名\n1,20260002,李四\n2,20260005,王五\n"
    assert list(roster.read_roster(write(tmp_path, text)).students) == LI_AND_WANG


def test_title_rows_and_empty_rows_are_passed_over(tmp_path):
    text = "2026 年春季学期\n课程：深度学习,,教师：赵\n\n学号,姓名\n20260002,李四\n\n20260005,王五\n"
    assert list(roster.read_roster(write(tmp_path, text)).students) == LI_AND_WANG


def test_ids_are_half_width_and_keep_their_zeros(tmp_path):
    students = roster.read_roster(write(tmp_path, '学号\n００１２\n="0034"\n')).students
    assert [student.id for student in students] == ["0012", "0034"]


def test_a_workbook_is_read_with_its_numbers_whole(tmp_path):
    pytest.importorskip("python_calamine", reason="reads workbooks (requirements-grading.txt)")
    path = tmp_path / "roster.xlsx"
    workbook(path, [["计科一班"], ["学生学号", "姓名"], [20260002, "李四"], ["20260005", "王五"]])
    assert list(roster.read_roster(path).students) == LI_AND_WANG


def test_an_old_workbook_is_read_too():
    """A platform's export in Excel 97's form, made with xlwt 1.3."""
    pytest.importorskip("python_calamine", reason="reads workbooks (requirements-grading.txt)")
    assert list(roster.read_roster(FIXTURES / "xuexitong.xls").students) == [
        Student("20260002", "李四", "计科 1 班"),
        Student("20260005", "王五", "计科 1 班"),
    ]


def test_without_the_reader_of_workbooks_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "roster.xlsx"
    workbook(path, [["学号"], [20260002]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(sheets.BadSheet, match=r"pip install -r requirements-grading\.txt"):
        roster.read_roster(path)
    assert roster.read_roster(write(tmp_path, "学号\n1\n")).ids == ["1"], "a CSV needs nothing installed"


def test_a_broken_workbook_is_named(tmp_path):
    pytest.importorskip("python_calamine", reason="reads workbooks (requirements-grading.txt)")
    path = tmp_path / "roster.xlsx"
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(sheets.BadSheet, match="must be a workbook or a CSV file"):
        roster.read_roster(path)


def test_moodles_participants_and_canvass_students_keep_the_platforms_number(tmp_path):
    moodle = "编号,全名,学号,邮箱\n参与者4413,李四,20260002,li@x.cn\nParticipant 4420,王五,20260005,\n"
    first, second = roster.read_roster(write(tmp_path, moodle)).students
    assert (first.platform, first.email, second.platform) == ("4413", "li@x.cn", "4420")
    canvas = 'Student,ID,SIS User ID,Section\n"    Points Possible",,,\n李四,77,20260002,一班\n'
    (only,) = roster.read_roster(write(tmp_path, canvas)).students
    assert only == Student("20260002", "李四", "一班", "77")


def test_a_running_number_is_no_platforms_number(tmp_path):
    (student,) = roster.read_roster(write(tmp_path, "编号,学号,姓名\n1,20260002,李四\n")).students
    assert student.platform == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nx\n", "must be a table with the columns 学号"),
        ("", "an empty file"),
        ("学号\n", "must be a roster with a student"),
        ("学号\n1\n1\n", "there once; got 1 twice"),
        ("学号\n../x\n", "row 2 must be letters, digits"),
        ("学号\n2.0233E+11\n", "row 2"),
        ("学号,n\n1,a\n,b\n", "row 3"),
    ],
)
def test_a_roster_that_cannot_be_used_is_refused(tmp_path, text, said):
    with pytest.raises(sheets.BadSheet, match=said):
        roster.read_roster(write(tmp_path, text))


def test_a_roster_cut_off_in_the_middle_is_named(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_bytes("姓名\n甲".encode("utf-16")[:-1])
    with pytest.raises(sheets.BadSheet, match=r"roster\.csv must be a table with the columns 学号"):
        roster.read_roster(path)
