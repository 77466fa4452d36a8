"""The marker's own work is bounded, and grows no faster than a paper."""

import json
import sys
import time

import numpy as np
import pytest

from book_grading import channel, marking, student
from book_grading.sandbox import Limits
from book_grading.source_notebooks import read_submission


def calls_of(work, *arguments):
    """Count the function calls, Python's and C's, that some work takes."""
    count = 0

    def count_call(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        work(*arguments)
    finally:
        sys.setprofile(None)
    return count


class Empty:
    """A box that answers at once and computes nothing."""

    limits = Limits()
    cpu_used = 0.0

    def request(self, op, **_):
        return {"value": None}

    def close(self):
        """Nothing to end."""


COPIED = {"answers": "answer-softmax", "tests": "test-softmax", "givens": "setup"}


def with_many(maker, kind, count):
    """A notebook with many more cells of one kind, as bytes."""
    raw = maker.raw()
    if kind == "stripped":
        raw["cells"] = [{**cell, "metadata": {}, "id": "x"} for cell in raw["cells"]]
    metadata = {"nbgrader": {"grade_id": COPIED[kind]}} if kind in COPIED else {}
    cell_type = "markdown" if kind == "texts" else "code"
    raw["cells"] += [
        {"cell_type": cell_type, "source": f"x = {i}", "metadata": metadata} for i in range(count)
    ]
    return json.dumps(raw).encode()


@pytest.mark.parametrize("kind", [*COPIED, "texts", "others", "stripped"])
def test_marking_takes_work_in_proportion_to_a_paper(makers, kind):
    """Four times the cells: a loop over all pairs of them would take sixteen times the calls."""

    def work(data):
        marking.mark(makers["code"].assignment, read_submission(data), Empty)

    none, few, many = (calls_of(work, with_many(makers["code"], kind, count)) for count in (0, 400, 1600))
    assert few > none, "the cells were not looked at"
    assert many - none <= 5 * (few - none), f"{few - none} calls became {many - none}"


def test_an_answer_takes_work_in_proportion_to_its_size():
    few, many = (
        calls_of(channel.decode, channel.encode([[1.0] * 50, {"K": np.zeros((3, 7))}] * count))
        for count in (100, 400)
    )
    assert many <= 5 * few


# As one array these take 8 GB, and 8 GB: NumPy makes every string as wide as the longest.
WIDE_TEXT = ["a" * 10**6, *["b"] * 2000]
WIDE_TEXT_BESIDE_AN_ARRAY = [np.zeros(10**5, np.int8)] * 100 + [["a" * 200, *["b"] * (10**5 - 1)]]

LARGE = [
    np.zeros((0, 10**9)),
    np.zeros((1,) * 9),
    np.zeros((1 << 12, 1 << 13), np.int8),
    dict.fromkeys(range(201)),
    WIDE_TEXT,
    WIDE_TEXT_BESIDE_AN_ARRAY,
    ["a" * 50] * 250_000,
]
KINDS = ["no bytes", "dimensions", "elements", "keys", "text", "text beside an array", "much text"]


@pytest.mark.parametrize("value", LARGE, ids=KINDS)
def test_large_values_do_not_cross(value):
    with pytest.raises(channel.TooLarge):
        channel.encode(value)


FORGED = [
    {"array": ["<f8", [0, 10**9], ""]},
    {"tensor": ["<f4", [10**9, 0], ""]},
    {"array": ["<f8", [10**4000] * 250, ""]},
    {"array": ["<f8", [1] * 9, "AAAAAAAAAAA="]},
    {"dict": [[k * ((1 << 61) - 1), 1] for k in range(201)]},
]


@pytest.mark.parametrize("data", FORGED, ids=["no bytes", "tensor", "digits", "dimensions", "keys"])
def test_large_values_are_refused_before_work_is_done(data):
    with pytest.raises(channel.BadFrame):
        assert calls_of(channel.decode, data) < 1000


def test_a_frame_of_many_values_is_not_parsed(monkeypatch):
    payload = ('{"id": 1, "value": {"list": [' + "[]," * 300_000 + "1]}}").encode()
    monkeypatch.setattr(channel.json, "loads", None)
    with pytest.raises(channel.BadFrame, match="too many"):
        channel.unpack(payload)


def test_wide_text_is_refused_from_a_forged_frame():
    with pytest.raises(channel.BadFrame, match="strings"):
        channel.decode(channel.encode_part(WIDE_TEXT))


def test_a_message_is_cut_before_it_is_read(monkeypatch, in_process):
    """An error's text may be as long as a frame; making a text plain takes a step for each character."""
    seen = []
    monkeypatch.setattr(student, "plain", lambda text: seen.append(text) or text)
    with pytest.raises(student.StudentError):
        student.Student(in_process)._read({"error": {"type": "ValueError", "text": "x" * 10**6}})
    assert max(map(len, seen)) <= 500


@pytest.mark.parametrize("line", ["{0}x", "a{0}={0}x", "{1}x", "{1}={1}x"])
def test_looking_for_magics_takes_time_in_proportion_to_a_line(line):
    """Blanks that two parts of a pattern may take are tried in every split: 20 times the line, 400 times."""

    def seconds(count):
        text, best = line.format(" " * count, "a " * count), float("inf")
        for _ in range(3):
            started = time.process_time()
            marking.MAGIC.findall(text)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(6000) <= 100 * max(seconds(300), 1e-5)
