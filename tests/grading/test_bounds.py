"""The marker's own work is bounded, and grows no faster than a paper."""

import json
import sys

import numpy as np
import pytest

from book_grading import channel, marking
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


LARGE = [
    np.zeros((0, 10**9)),
    np.zeros((1,) * 9),
    np.zeros((1 << 12, 1 << 13), np.int8),
    dict.fromkeys(range(201)),
]


@pytest.mark.parametrize("value", LARGE, ids=["no bytes", "dimensions", "elements", "keys"])
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
