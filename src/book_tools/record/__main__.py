"""`python -m book_tools.record NAME …`: run and write down; without a name, list the runs."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from book_tools.notebooks.files import ROOT
from book_tools.record.recorder import record
from book_tools.record.runs import RUNS

UNFINISHED = ROOT / "build" / "record"


def main(arguments: list[str] | None = None, unfinished: Path = UNFINISHED) -> None:
    """Run each named run in turn."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.record", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNS))
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in RUNS:
            parser.error(f"NAME must be one of {', '.join(RUNS)}; got {name!r}")
    if not options.names:
        print("\n".join(RUNS))
    torch.set_num_threads(1)
    for name in options.names:
        result = record(name, RUNS[name], unfinished)
        print(f"{name}: {result.seconds:.0f} s, {result.values}")


if __name__ == "__main__":
    main()
