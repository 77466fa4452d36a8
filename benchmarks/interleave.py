"""Fair timing on a machine that is never still: candidates take turns, and ratios are paired by round."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Times:
    """Seconds of each candidate in each round: seconds[name][round]."""

    seconds: dict[str, list[float]]

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def spread(self, name: str) -> float:
        """Half the distance between the quartiles, as a share of the median."""
        values = self.seconds[name]
        if len(values) < 2:
            return 0.0
        low, _, high = statistics.quantiles(values, n=4)
        return (high - low) / 2 / self.median(name)

    def speedup(self, ours: str, peers: Sequence[str]) -> float:
        """How many times as fast as the best peer: the median over rounds of peer time / our time."""
        best = min(peers, key=self.median)
        pairs = zip(self.seconds[best], self.seconds[ours], strict=True)
        return statistics.median(peer / our for peer, our in pairs)


def interleave(
    candidates: dict[str, Callable[[], object]],
    rounds: int,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Run every candidate once to warm up, then once a round, each round beginning with the next one."""
    names = list(candidates)
    for run in candidates.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            start = clock()
            candidates[name]()
            seconds[name].append(clock() - start)
    return Times(seconds)
