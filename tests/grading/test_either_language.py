"""Marking in another language: the same marks, and each paper told in its own."""

import csv
import inspect
import json
import re
import threading
from pathlib import Path

import pytest

from book_grading import (
    batch,
    chinese,
    cli,
    english,
    feedback,
    hand_marks,
    headings,
    marking,
    roster,
    sheets,
    words,
)
from book_grading import source_notebooks as notebooks
from book_grading.handed_in import settle
from book_grading.merged import merge
from book_grading.source_notebooks import BadSet

HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
ENGLISH_SETS = Path(__file__).parents[2] / "assignments" / "en" / "source"
EITHER = {"XUEXITONG_HEADER"}  # a platform's own headings


def said(module):
    """Return what a language says by name: texts, tables and functions."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and name != "counted"  # English alone has a plural
    }


def shape(value):
    """Return what two languages have to have in common: keys, lengths, places to fill in, arguments."""
    if callable(value):
        return list(inspect.signature(value).parameters)
    if isinstance(value, dict):
        return {key: shape(text) for key, text in value.items()}
    if isinstance(value, tuple):
        return len(value)
    return value.count("{}")


def test_both_languages_say_the_same_things():
    theirs, ours = ({name: shape(value) for name, value in said(one).items()} for one in (chinese, english))
    assert ours == theirs


def test_english_has_no_chinese_in_it():
    texts = [value for name, value in said(english).items() if name not in EITHER and not callable(value)]
    assert not HAN.search(repr(texts))
    samples = {"names": ["f"], "keys": ["a"], "students": ["a"], "papers": {"a": 1.0}, "notes": ["x"]}
    for name, function in said(english).items():
        if callable(function):
            arguments = [samples.get(word, 3) for word in inspect.signature(function).parameters]
            assert not HAN.search(str(function(*arguments))), name


@pytest.mark.parametrize(("count", "late"), [(60, "1 minute"), (7200, "2 hours"), (20, "less than 1 minute")])
def test_english_counts_in_singular_and_plural(count, late):
    assert english.late(count) == f"late by {late}"


@pytest.mark.parametrize("code", words.LANGUAGES)
def test_what_is_written_is_read_again(code, tmp_path, sets):
    with words.speaking(code):
        path = tmp_path / "hand-marks.csv"
        sheets.write_sheet(path, words.HAND_HEADER, [("17", "", "", "derivation-4", "", 6, 5, "ok", "v1")])
        assert hand_marks.read(path, sets["hand"]) == {("17", "derivation-4"): hand_marks.Mark(5, "ok", "v1")}
        row = dict(zip(words.TOTAL_HEADER, range(len(words.TOTAL_HEADER)), strict=True))
        assert row.keys() & set(headings.TOTAL_COLUMNS) == {words.TOTAL}
        assert row.keys() & set(headings.AUTOMATIC_COLUMNS) == {words.AUTOMATIC}
        assert row.keys() & set(headings.MOST_COLUMNS)
        assert row.keys() & set(roster.COLUMNS["id"])
        assert set(words.WHOSE_HEADER) & set(headings.FILE_COLUMNS)


def test_one_thread_s_language_is_not_another_s():
    heard = []
    with words.speaking("en"):
        thread = threading.Thread(target=lambda: heard.append(words.spoken()))
        thread.start()
        thread.join()
        heard.append(words.spoken())
    assert [*heard, words.spoken()] == ["zh", "en", "zh"]


def test_a_set_in_an_unknown_language_is_refused(sets, tmp_path):
    raw = {**sets["hand"].raw, "metadata": {"book_tools": {"language": "tlh"}}}
    path = tmp_path / "hand.ipynb"
    path.write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(BadSet, match=r"language of .* must be one of zh, en; got 'tlh'"):
        notebooks.read_set(path)


def test_a_mark_by_hand_counts_whatever_language_its_sheet_was_written_in(sets):
    item = {"id": "test-1", "title": "1", "most": 4, "points": 2, "state": "part", "messages": []}
    result = {"notes": [], "items": [item], "derivations": [], "problem": None, "language": "en"}
    paper = batch.submissions.Paper(None, "17.ipynb", "17")
    marks = {("17", "test-1"): hand_marks.Mark(3, "well seen", chinese.automatic_points(2))}
    (one,) = merge(settle([(paper, result)]), roster.NOBODY, marks)
    assert (one.automatic, one.lines[0].changed) == (3, False)


def test_a_page_speaks_the_language_of_its_paper():
    result = {"notes": [], "items": [], "derivations": [], "problem": "the file is empty", "language": "en"}
    paper = batch.submissions.Paper(None, "17.ipynb", "17")
    (one,) = merge(settle([(paper, result)]), roster.NOBODY, {})
    with words.speaking(one.entry.language):
        page = feedback.feedback(one, {})
    assert "This paper has no mark: the file is empty." in page
    assert not HAN.search(page)


# -- the same marks


@pytest.fixture(scope="module")
def in_english(sets):
    """The English sets."""
    return {name: notebooks.read_set(ENGLISH_SETS / name / f"{name}.ipynb") for name in sets}


HOSTILE = """
class Checks:
    points = 1000

def softmax(S):
    raise RuntimeError("全对 " * 1000)

raise NotImplementedError(5)
"""
PAPERS = {
    "perfect": ("hand", {}, True),
    "blank": ("hand", {}, False),
    "wrong": (
        "hand",
        {"answer-2": "parameters_2 = 2 * D_2**2\ngrowth_2 = 4", "answer-9": "maps_9 = 1 / 0"},
        True,
    ),
    "half written": ("code", {"answer-softmax": "def softmax(S):\n    return S"}, False),
    "hostile": ("code", {"answer-softmax": HOSTILE, "answer-count": "count_parameters = range(3)"}, True),
}


def row(item):
    """Return what an item's row says in any language."""
    return *(item[name] for name in ("id", "points", "most", "state")), len(item["messages"])


@pytest.mark.parametrize("kind", PAPERS)
def test_a_paper_gets_the_same_marks_in_either_language(kind, sets, in_english, in_process, maker_of):
    name, changes, solved = PAPERS[kind]
    results = []
    for assignment in (sets[name], in_english[name]):
        paper = notebooks.read_submission(maker_of(assignment).data(changes, solved))
        assert paper.release.get("language", "zh") == assignment.language
        results.append(marking.mark(assignment, paper, in_process))
    first, second = ([row(item) for item in one["items"]] for one in results)
    assert first == second
    told = [item["title"] + " ".join(item["messages"]) for item in results[1]["items"]]
    assert not HAN.search(" ".join(told).replace(" 全对", ""))
    written = [[bool(item["text"]) for item in one["derivations"]] for one in results]
    assert written[0] == written[1], "a stub was taken for an answer"
    assert len(results[0]["notes"]) == len(results[1]["notes"])


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_paper_is_known_by_what_its_release_says(language, sets, in_english, maker_of):
    editions = {"zh": sets["hand"], "en": in_english["hand"]}
    paper = notebooks.read_submission(maker_of(editions[language]).data())
    assert batch.edition_of(editions, paper).language == language


def test_a_paper_that_lost_its_release_is_known_by_its_texts(sets, in_english, maker_of):
    editions = {"zh": sets["code"], "en": in_english["code"]}
    raw = maker_of(in_english["code"]).raw()
    raw["metadata"] = {}
    paper = notebooks.read_submission(json.dumps(raw).encode())
    assert batch.edition_of(editions, paper).language == "en"


def common(assignment):
    """Return what a set has in common with the same set in another language."""
    plain = [(cell.grade_id, cell.kind, cell.role, cell.points, cell.variant) for cell in assignment.cells]
    return plain, [cell.answers for cell in assignment.by_role("answer")]


def test_sets_are_the_same_in_points_numbers_and_what_is_asked_for(sets, in_english):
    for name, one in sets.items():
        assert common(in_english[name]) == common(one)
        assert (in_english[name].name, in_english[name].limits) == (one.name, one.limits)
        assert in_english[name].language == "en"


def test_checks_in_the_english_sets_say_what_marking_knows(in_english):
    for assignment in in_english.values():
        (setup,) = (cell.source for cell in assignment.cells if cell.grade_id == "setup")
        assert f'"{english.UNANSWERED}"' in setup
        assert f'f"{english.RAN_INTO}{{' in setup


def test_release_writes_the_sets_in_the_language_asked_for(tmp_path, in_english, maker_of):
    assert cli.main(["release", "code", "--out", str(tmp_path), "--language", "en"]) == 0
    written = json.loads((tmp_path / "code" / "code.ipynb").read_text(encoding="utf-8"))
    assert written["metadata"]["book_tools"]["language"] == "en"
    assert not HAN.search(json.dumps(written, ensure_ascii=False))
    assert english.CODE_STUB.split("\n")[0] in json.dumps(written)


@pytest.mark.parametrize(
    ("language", "columns"), [("zh", ("学号", "自动评分")), ("en", ("Student ID", "Automatic"))]
)
def test_papers_in_both_languages_are_marked_together(
    language, columns, sets, in_english, unboxed, maker_of, tmp_path, monkeypatch
):
    """The pages are in each paper's language, the tables in the teacher's, the marks the same."""
    monkeypatch.setattr(cli, "check_references", lambda *_: None)
    papers, out = tmp_path / "papers", tmp_path / "out"
    papers.mkdir()
    wrong = {"answer-2": "parameters_2 = D_2\ngrowth_2 = 4"}
    for one in (sets["hand"], in_english["hand"]):
        (papers / f"{one.language}.ipynb").write_bytes(maker_of(one).data(wrong))
    arguments = ["mark", "hand", str(papers), "--out", str(out), "--workers", "1", "--language", language]
    assert cli.main(arguments) == 0
    with (out / "hand" / "totals.csv").open(encoding="utf-8-sig", newline="") as file:
        totals = {row[columns[0]]: row[columns[1]] for row in csv.DictReader(file)}
    assert totals == {"zh": "25", "en": "25"}
    pages = {code: (out / "hand" / "feedback" / f"{code}.html").read_text("utf-8") for code in totals}
    assert "参数与序列长度无关" in pages["zh"]
    assert "the parameters do not depend on the length" in pages["en"]
    assert not HAN.search(re.sub("<style>.*?</style>", "", pages["en"], flags=re.DOTALL))
    summary = (out / "hand" / "summary.html").read_text("utf-8")
    assert words.LANGUAGES[language].EACH_ITEM in summary
