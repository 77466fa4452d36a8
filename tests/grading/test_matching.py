"""Whose a paper is: by the teacher's records, never in silence to a wrong student."""

import json
from pathlib import Path

import pytest

from book_grading import handed_in, matching, sheets, submissions, words
from book_grading.handed_in import Rules
from book_grading.roster import Roster, Student
from book_grading.submissions import Paper

NAMES = {2: "李四", 5: "王五", 7: "王五一", 11: "Wang Wei", 13: "赵敏", 31: "赵敏"}
LONG = Roster(
    tuple(Student(f"202600{n:02d}", NAMES.get(n, ""), platform=str(4400 + n)) for n in range(1, 41))
)
SHORT = Roster(tuple(Student(str(n), NAMES.get(n, "")) for n in range(1, 41)))
NAMELESS = Roster(tuple(Student(str(n)) for n in range(1, 41)))


def whose(name, roster):
    """Assign one paper of this name."""
    (paper,) = matching.assign([Paper(Path(name), name)], roster)
    assert (paper.problem is None) == (paper.student is not None), "a paper of nobody's must not be marked"
    return paper


@pytest.mark.parametrize(
    ("name", "student"),
    [
        ("20260005.ipynb", "20260005"),
        ("２０２６０００５.ipynb", "20260005"),
        ("张三20260005作业.ipynb", "20260005"),
        ("code_20260005 - 副本.ipynb", "20260005"),
        ("20260002_李四_late/hand (1).ipynb", "20260002"),
        ("20260002-李四/作业1/code.ipynb", "20260002"),
        ("计科2101班-20260002-李四-作业一.ipynb", "20260002"),
        ("李四_20260002_雨课堂附件/code-Copy1.ipynb", "20260002"),
        ("0120260002李四.ipynb", "20260002"),
        ("210120260002_李四.ipynb", "20260002"),
        ("李四_4402_assignsubmission_file_/hand.ipynb", "20260002"),
        ("Participant_4402_assignsubmission_file_/hand.ipynb", "20260002"),
        ("Wang Wei_99_assignsubmission_file_/hand.ipynb", "20260011"),
        ("lisi_LATE_4402_88123_hand.ipynb", "20260002"),
        ("作业王五一.ipynb", "20260007"),
        ("120260005.ipynb", None),
        ("20260002 20260005.ipynb", None),
        ("20260002王五.ipynb", None),
        ("李四、王五.ipynb", None),
        ("赵敏.ipynb", None),
        ("王五二.ipynb", None),
        ("code (1).ipynb", None),
    ],
)
def test_long_ids_names_and_platforms_folders(name, student):
    assert whose(name, LONG).student == student


@pytest.mark.parametrize(
    ("name", "named", "nameless"),
    [
        ("作业2_李四.ipynb", "2", None),
        ("2024-03-12 王五.ipynb", "5", None),
        ("code (1).ipynb", None, None),
        ("12.ipynb", "12", "12"),
        ("12 (1).ipynb", "12", "12"),
        ("12/code.ipynb", "12", "12"),
        ("李四_12_assignsubmission_file_/code.ipynb", "2", None),
        ("12_李四.ipynb", "2", None),
        ("2.ipynb", "2", "2"),
        ("2/王五.ipynb", None, "2"),
        ("赵敏13.ipynb", "13", None),
        ("第5次作业.ipynb", None, None),
    ],
)
def test_short_ids_count_as_whole_names_alone(name, named, nameless):
    assert whose(name, SHORT).student == named
    assert whose(name, NAMELESS).student == nameless


def test_a_name_that_decided_is_said_and_candidates_are_given():
    assert words.KNOWN_BY_NAME in whose("作业2_李四.ipynb", SHORT).notes
    assert whose("20260002王五.ipynb", LONG).candidates == ("20260002", "20260005")
    assert whose("120260005.ipynb", LONG).candidates == ("20260005",)


def test_what_a_notebook_claims_is_not_read(tmp_path):
    text = json.dumps({"cells": [], "metadata": {"id": "20260001", "学号": "20260001"}})
    (tmp_path / "20260002.ipynb").write_text(text, encoding="utf-8")
    (paper,) = matching.assign(submissions.find_papers([tmp_path]), LONG)
    assert paper.student == "20260002"


def papers(tmp_path, *names):
    """Files of these names, as papers."""
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    return submissions.find_papers([tmp_path])


def test_the_teachers_table_decides_for_files_and_folders(tmp_path):
    found = papers(tmp_path, "20260001.ipynb", "a/b/x.ipynb", "a/c/x.ipynb", " 7 .ipynb", "old.ipynb")
    table = {"20260001.ipynb": "20260003", "a": "20260004", "a/c": "20260005", "7 .ipynb": "20260006"}
    given = matching.assign(found, LONG, {**table, "old.ipynb": "-"})
    assert {paper.name: paper.student for paper in given} == {
        "20260001.ipynb": "20260003",
        "a/b/x.ipynb": "20260004",
        "a/c/x.ipynb": "20260005",
        " 7 .ipynb": "20260006",
    }


def test_a_bare_file_name_in_the_table_counts_only_where_one_file_has_it(tmp_path):
    found = papers(tmp_path, "a/hand.ipynb", "b/hand.ipynb", "c/code.ipynb")
    given = matching.assign(found, LONG, {"hand.ipynb": "20260004", "code.ipynb": "20260005"})
    assert [paper.student for paper in given] == [None, None, "20260005"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("文件,学号\nx.ipynb,999\n", "row 2 must be on the roster"),
        ("文件,学号\n,20260002\n", "must be a file or folder name"),
        ("名字,学号\nx,20260002\n", "columns 文件, 学号"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path, text, said):
    (tmp_path / "map.csv").write_text(text, encoding="utf-8")
    with pytest.raises(sheets.BadSheet, match=said):
        matching.read_mapping(tmp_path / "map.csv", LONG)


def result(points=None):
    """A result with one item, or none."""
    items = (
        [] if points is None else [{"id": "t", "title": "t", "most": 4, "points": points, "state": "part"}]
    )
    return {
        "items": [{**item, "messages": []} for item in items],
        "derivations": [],
        "notes": [],
        "problem": None if items else "文件是空的",
    }


def two(rule, *papers, deadline=None):
    """Settle papers of one student, given as (file, points or None, time)."""
    outcomes = [(Paper(Path(name), name, "2", time=time), result(points)) for name, points, time in papers]
    return handed_in.settle(outcomes, Rules(rule, deadline))


@pytest.mark.parametrize(
    ("rule", "papers", "counts"),
    [
        ("ask", [("a", 3, 1.0), ("b", 2, 2.0)], []),
        ("latest", [("a", 3, 1.0), ("b", 2, 2.0)], ["b"]),
        ("best", [("a", 3, 1.0), ("b", 2, 2.0)], ["a"]),
        ("best", [("a", 3, 1.0), ("b", 3, 2.0)], ["b"]),
        ("ask", [("a", 3, 1.0), ("b", None, 2.0)], ["a"]),
        ("latest", [("a", 3, 1.0), ("b", None, 2.0)], ["a"]),
        ("ask", [("a", 3, 1.0)], ["a"]),
    ],
)
def test_which_of_two_papers_counts(rule, papers, counts):
    assert [entry.paper.name for entry in two(rule, *papers) if entry.counts] == counts


def test_files_to_ask_about_come_back_as_a_sheet_and_the_answers_are_kept(tmp_path):
    found = papers(tmp_path / "papers", "who.ipynb", "20260002.ipynb", "b/20260002.ipynb")
    assigned = matching.assign(found, LONG)
    entries = handed_in.settle([(paper, result(3)) for paper in assigned])
    matching.write_whose(tmp_path, entries, {"earlier.ipynb": "20260009"})
    path = tmp_path / "whose.csv"
    text = path.read_text(encoding="utf-8-sig")
    assert text.count("\n") == 5
    text = text.replace("who.ipynb,,", "who.ipynb,20260005,").replace("b/20260002.ipynb,20260002", "b,-")
    path.write_text(text, encoding="utf-8")
    mapping = matching.read_mapping(path, LONG)
    again = matching.assign(found, LONG, mapping)
    assert {paper.name: paper.student for paper in again} == {
        "20260002.ipynb": "20260002",
        "who.ipynb": "20260005",
    }
    matching.write_whose(tmp_path, handed_in.settle([(paper, result(3)) for paper in again]), mapping)
    assert matching.read_mapping(path, LONG) == mapping, "an answer of the teacher's was lost"


def local(text):
    """A local time in seconds since 1970."""
    return handed_in.read_time(text, "x")


def test_lateness_is_counted_from_the_deadline():
    deadline = local("2026-03-12 23:59")
    (on_time,) = two("ask", ("a", 3, deadline), deadline=deadline)
    (late,) = two("ask", ("a", 3, local("2026-03-14 01:29")), deadline=deadline)
    assert on_time.notes == []
    assert late.notes == ["迟交 1 天 1 小时 30 分钟"]
    assert handed_in.share_left(late, Rules(late_percent=10)) == pytest.approx(0.8)
    assert handed_in.share_left(late, Rules(late_percent=90)) == 0


@pytest.mark.parametrize(
    "text",
    ["2026-03-12 23:59", "2026/3/12 23:59", "2026年3月12日 23:59", "2026-03-12T23:59:00",
     "Thursday, 12 March 2026, 11:59 PM"],
)  # fmt: skip
def test_times_are_read_as_platforms_write_them(text):
    assert local(text) == local("2026-03-12 23:59:00")


def test_a_platforms_table_of_times_is_read(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text(
        "学号/工号,姓名,提交时间\n20260002,李四,2026-03-13 08:00\n20260005,王五,-\n", encoding="gbk"
    )
    assert handed_in.read_times(path) == {"20260002": local("2026-03-13 08:00")}


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "12:30"])
def test_a_time_that_is_none_is_refused(text):
    with pytest.raises(sheets.BadSheet, match="must be a time as in"):
        local(text)


def test_who_is_missing_is_listed_in_order():
    missing = matching.not_handed_in([Paper(Path("x"), "x", "2")], SHORT)
    assert [paper.student for paper in missing][:3] == ["1", "3", "4"]
    assert all(paper.problem == "没有交" for paper in missing)


def test_an_empty_folder_is_told_and_an_unreadable_one_stops(tmp_path, monkeypatch):
    (tmp_path / "20260001").mkdir()
    (paper,) = matching.assign(submissions.find_papers([tmp_path]), LONG)
    assert (paper.student, paper.problem) == ("20260001", "是空文件夹")

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(submissions.os, "scandir", refuse)
    with pytest.raises(PermissionError):
        submissions.find_papers([tmp_path])
