"""`python -m book_tools.record NAME …`: run and write down; without a name, list the runs."""

from __future__ import annotations

import argparse
import time

import torch

from book_tools.record.outcome import write_down
from book_tools.record.runs import RUNS


def main(arguments: list[str] | None = None) -> None:
    """Run each named run in turn."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.record", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNS))
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in RUNS:
            parser.error(f"NAME is {name!r}, expected some of {', '.join(RUNS)}")
    if not options.names:
        print("\n".join(RUNS))
    torch.set_num_threads(1)
    for name in options.names:
        start = time.perf_counter()
        outcome = RUNS[name].measure(RUNS[name].seed)
        seconds = time.perf_counter() - start
        write_down(name, RUNS[name], outcome, seconds)
        print(f"{name}: {seconds:.0f} s, {outcome.values}")


if __name__ == "__main__":
    main()
