"""What a benchmark is: candidates, what is aimed at, and how it reads as a table."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.interleave import Times, interleave


@dataclass(frozen=True)
class Aim:
    """ours is to be at least `ratio` times as fast as the fastest of peers (a limit is a peer too)."""

    ours: str
    peers: tuple[str, ...]
    ratio: float


@dataclass(frozen=True)
class Case:
    """One table.

    candidates: name to a function that does the work `units` times. limits: those that are limits, not peers.
    memory: name to bytes held at the peak, counted and not timed; memory_aim: (name, bytes allowed).
    """

    title: str
    candidates: dict[str, Callable[[], object]]
    aims: tuple[Aim, ...]
    unit: str = "run"
    units: int = 1
    limits: tuple[str, ...] = ()
    memory: dict[str, int] = field(default_factory=dict)
    memory_aims: dict[str, int] = field(default_factory=dict)


def report(
    case: Case,
    rounds: int,
    write: Callable[[str], object] = print,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Run a case and write its table."""
    times = interleave(case.candidates, rounds, clock=clock)
    write(f"\n{case.title}   ({rounds} rounds)")
    write(f"  {'':<34}{'ms / ' + case.unit:>14}{'spread':>9}{'MiB':>9}")
    for name in case.candidates:
        label = f"[{name}]" if name in case.limits else name
        milliseconds = 1000 * times.median(name) / case.units
        memory = f"{case.memory[name] / 2**20:9.1f}" if name in case.memory else ""
        write(f"  {label:<34}{milliseconds:>14.2f}{times.spread(name):>8.0%} {memory}".rstrip())
    for aim in case.aims:
        got = times.speedup(aim.ours, aim.peers)
        best = min(aim.peers, key=times.median)
        verdict = "reached" if got >= aim.ratio else "missed"
        write(f"  {aim.ours} against {best}: {got:.2f}x, aim {aim.ratio:.2f}x, {verdict}")
    for name, allowed in case.memory_aims.items():
        got = case.memory[name]
        verdict = "reached" if got <= allowed else "missed"
        write(f"  memory of {name}: {got / 2**20:.1f} MiB, aim {allowed / 2**20:.1f} MiB, {verdict}")
    return times
