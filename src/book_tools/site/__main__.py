"""Build the site: ``python -m book_tools.site``; with ``--strict`` any warning makes the build fail."""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Jupyter Book has no __main__; -X utf8 because it reads some files in the locale's encoding.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def build(
    source: Path,
    toc: Path,
    output: Path,
    *,
    config: Path = ROOT / "_config.yml",
    fresh: bool = False,
    strict: bool = False,
) -> int:
    """Build ``source`` into ``output/_build/html`` with Jupyter Book; return its exit code."""
    command = [sys.executable, "-X", "utf8", "-c", JUPYTER_BOOK, "build", source, "--path-output", output]
    command += ["--config", config.resolve(), "--toc", toc.resolve(), "--keep-going"]
    command += ["--all"] * fresh + ["-W", "-n"] * strict
    return subprocess.run([str(part) for part in command], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m book_tools.site", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="build every page again")
    parser.add_argument(
        "--strict", action="store_true", help="fail on any warning, doubtful references included"
    )
    parser.add_argument("--output", type=Path, default=ROOT, help="folder to build into (its _build/html)")
    parser.add_argument("--source", type=Path, default=ROOT / "book", help="folder of the pages")
    parser.add_argument("--toc", type=Path, default=ROOT / "_toc.yml", help="table of contents")
    parser.add_argument("--config", type=Path, default=ROOT / "_config.yml", help="settings of the site")
    options = parser.parse_args()
    if not options.config.is_file():
        parser.error(f"argument --config: there is no file {options.config}")
    if not options.toc.is_file():
        parser.error(f"argument --toc: there is no file {options.toc}")
    if not options.source.is_dir():
        parser.error(f"argument --source: there is no folder {options.source}")
    # Jupyter Book makes the folder, with those above it, but not where a file stands.
    existing = next(place for place in [options.output, *options.output.absolute().parents] if place.exists())
    if not existing.is_dir():
        parser.error(f"argument --output: {existing} is a file, not a folder")
    if failed := build(
        options.source,
        options.toc,
        options.output,
        config=options.config,
        fresh=options.fresh,
        strict=options.strict,
    ):
        print("The site was not built: the lines above say why.", file=sys.stderr)
        return failed
    index = options.output.resolve() / "_build" / "html" / "index.html"
    print(f"\nThe book is built. Open it in a browser, no server needed:\n  {index.as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
