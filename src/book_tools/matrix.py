"""Run the tests as other machines would: `python -m book_tools.matrix [ROOM …] [--only CONDITION …]`.

Rooms: library, recorded (with training), notebooks. Conditions: instruction sets, numbers of threads, and the
oldest torch and NumPy that pyproject.toml allows, in an environment of its own under build/matrix. The table
is printed row by row. A notebook has one thread wherever it runs, so notebooks skip the rows of threads.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
from collections.abc import Iterable
from pathlib import Path

import torch

from book_tools.notebooks.files import ROOT

ROOMS = {
    "library": ["tests/library", "tests/equations", "tests/tokenizers"],
    "recorded": ["tests/recorded", "tests/training"],
    "notebooks": ["--nbval", "--nbval-current-env", "book"],
}
# What torch, oneDNN (torch's products) and OpenBLAS (NumPy's) may use, however new the processor.
INSTRUCTION_SETS = {
    "SSE4": ("default", "SSE41", "NEHALEM"),
    "AVX": ("default", "AVX", "SANDYBRIDGE"),
    "AVX2": ("avx2", "AVX2", "HASWELL"),
    "AVX-512": ("avx512", "AVX512_CORE", "SKYLAKEX"),
}
THREADS = (1, 2, 4)
OLDEST = "oldest torch and NumPy"
_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed)")


def conditions() -> dict[str, dict[str, str]]:
    """Return the environment variables of each condition that this machine can meet, by its name."""
    names = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "OPENBLAS_CORETYPE")
    known = {
        name: dict(zip(names, values, strict=True)) | {"OMP_NUM_THREADS": "1"}
        for name, values in INSTRUCTION_SETS.items()
        if name != "AVX-512" or torch.backends.cpu.get_cpu_capability() == "AVX512"
    }
    known |= {f"threads: {number}": {"OMP_NUM_THREADS": str(number)} for number in THREADS}
    return known | {OLDEST: {"OMP_NUM_THREADS": "1"}}


def oldest_requirements() -> list[str]:
    """Return torch and NumPy, each at the oldest version that is allowed.

    The library's other requirements stay as they are here: the implementations that the tests compare with
    ask for newer ones of them than the library does.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    allowed = [*project["dependencies"], *project["optional-dependencies"]["models"]]
    return [one.replace(">=", "==") for one in allowed if one.startswith(("torch>", "numpy>"))]


def oldest_python() -> str:
    """Make the environment of the oldest versions, all else taken from this one; return its Python."""
    folder = ROOT / "build" / "matrix" / "oldest"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "requirements.txt"
    wanted = "\n".join(oldest_requirements())
    if not done.is_file() or done.read_text(encoding="utf-8") != wanted:
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *oldest_requirements()], check=True)
        packages = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        # Behind its own packages come those of this environment.
        others = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        Path(packages, "others.pth").write_text(others, encoding="utf-8")
        done.write_text(wanted, encoding="utf-8")
    return str(python)


def run_room(room: str, variables: dict[str, str], python: str = sys.executable) -> dict[str, int]:
    """Run a room's tests in an environment with these variables; return what pytest counts, and seconds."""
    start = time.perf_counter()
    command = [python, "-X", "utf8", "-m", "pytest", "-q", "-p", "no:cacheprovider", *ROOMS[room]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True, encoding="utf-8"
    )
    counts = {kind: int(number) for number, kind in _COUNT.findall(done.stdout.rsplit("\n", 2)[-2])}
    failed = sum(counts.get(kind, 0) for kind in ("failed", "error", "errors"))
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], sep="\n", file=sys.stderr)
        failed = max(failed, 1)
    return {
        "passed": counts.get("passed", 0),
        "failed": failed,
        "skipped": counts.get("skipped", 0),
        "seconds": round(time.perf_counter() - start),
    }


def main(arguments: list[str] | None = None) -> None:
    """Print the table; exit with 1 when a test failed."""
    known = conditions()
    parser = argparse.ArgumentParser(prog="python -m book_tools.matrix", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"{', '.join(ROOMS)}; all by default")
    parser.add_argument("--only", action="append", choices=known, metavar="CONDITION", help=", ".join(known))
    options = parser.parse_args(arguments)
    if unknown := [room for room in options.rooms if room not in ROOMS]:
        parser.error(f"ROOM must be one of {', '.join(ROOMS)}; got {unknown[0]!r}")
    if missing := INSTRUCTION_SETS.keys() - known.keys():
        print(f"left out, as this processor lacks it: {', '.join(sorted(missing))}")
    print("| condition | room | passed | failed | skipped | seconds |\n|---|---|---|---|---|---|", flush=True)
    failed = sum(_rows(options.rooms or ROOMS, {name: known[name] for name in options.only or known}))
    raise SystemExit(1 if failed else 0)


def _rows(rooms: Iterable[str], chosen: dict[str, dict[str, str]]) -> Iterable[int]:
    """Print a row for each condition and room; yield how many tests failed in it."""
    for condition, variables in chosen.items():
        python = oldest_python() if condition == OLDEST else sys.executable
        for room in rooms:
            if room == "notebooks" and condition.startswith("threads"):
                continue
            row = run_room(room, variables, python)
            print(f"| {condition} | {room} | {' | '.join(map(str, row.values()))} |", flush=True)
            yield row["failed"]


if __name__ == "__main__":
    main()
