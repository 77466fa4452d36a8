"""`python -m benchmarks [case …] [--rounds 7]`: run the cases and print their tables."""

import argparse
import os
import platform
import time

import torch

from benchmarks.case import report
from benchmarks.cases import CASES


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"{', '.join(CASES)}; all by default")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each case (7)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="threads of torch")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="count seconds of this process, not of the clock: for --threads 1 on a machine that others use",
    )
    options = parser.parse_args()
    for name in options.cases:
        if name not in CASES:
            parser.error(f"case must be one of {', '.join(CASES)}; got {name!r}")
    if options.rounds < 1:
        parser.error(f"rounds must be at least 1; got {options.rounds}")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    print(f"torch {torch.__version__}, {options.threads} threads, float32, {platform.machine()}, {_load()}")
    print("CPU seconds of this process" if options.cpu_time else "Wall-clock seconds")
    print(
        "[name] is a limit of the machine, measured in the same rounds. Ratios are medians over the rounds."
    )
    clock = time.process_time if options.cpu_time else time.perf_counter
    for name in options.cases or CASES:
        report(CASES[name](), options.rounds, clock=clock)


def _load():
    """How busy the machine was: beside a load of other programs, ratios mean little."""
    try:
        return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    except OSError:
        return "load unknown"


if __name__ == "__main__":
    main()
