"""The benchmark's arithmetic: turns, medians and paired ratios."""

import pytest
import torch

from benchmarks import limits
from benchmarks.case import Aim, Case, report
from benchmarks.interleave import Times, interleave
from transformer_book.accounting import count_multiply_adds


def test_candidates_take_turns_and_each_round_begins_with_the_next():
    calls = []
    runs = {name: lambda name=name: calls.append(name) for name in "abc"}
    ticks = iter(range(100))
    times = interleave(runs, 2, clock=lambda: next(ticks))
    assert "".join(calls) == "abc" + "abc" + "bca"
    assert times.seconds == {name: [1, 1] for name in "abc"}


def test_speedup_is_paired_by_round_and_against_the_best_peer():
    # The machine slows down threefold in the last round; pairing keeps the ratio.
    times = Times({"ours": [1.0, 1.0, 3.0], "slow": [9.0, 9.0, 27.0], "fast": [2.0, 2.0, 6.0]})
    assert times.speedup("ours", ("slow", "fast")) == 2.0


def test_spread_is_a_share_of_the_median():
    assert Times({"a": [1.0, 2.0, 3.0]}).spread("a") == pytest.approx(0.5)
    assert Times({"a": [1.0]}).spread("a") == 0.0


def test_gemm_does_the_work_it_says():
    for wanted in (1024**3 // 2, 3 * 1024**3 + 7 * 1024**2):
        done = count_multiply_adds(limits.gemm(wanted))
        assert abs(done / wanted - 1) < 0.01, "likely: whole products only"


def test_read_touches_every_number():
    assert count_multiply_adds(limits.read(8192 * 5, 3)) == 3 * 8192 * 5


def test_report_says_what_was_missed():
    lines = []
    case = Case(
        "Two sums",
        {"ours": lambda: torch.ones(3).sum(), "peer": lambda: torch.ones(3).sum()},
        (Aim("ours", ("peer",), 1e9), Aim("ours", ("peer",), 1e-9)),
        memory={"ours": 2**20},
        memory_aims={"ours": 2**19},
    )
    report(case, 3, lines.append)
    text = "\n".join(lines)
    assert "Two sums   (3 rounds)" in text
    assert [line.rsplit(" ", 1)[1] for line in lines[-3:]] == ["missed", "reached", "missed"]
