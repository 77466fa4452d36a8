"""Build the site: ``python -m book_tools.site``; with ``--strict`` any warning makes the build fail.

Where the book has other editions, each becomes a site below the first, in a folder called by its code.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from book_tools.editions.places import editions, folder_of
from book_tools.language import CHINESE, LANGUAGES, Language
from book_tools.site.sharing import publish
from book_tools.site.sources import write_sources

ROOT = Path(__file__).resolve().parents[3]
# Jupyter Book has no __main__; -X utf8 because it reads some files in the locale's encoding.
# The garbage collector looks seldom: trees of pages are millions of objects, and each look walks them all.
JUPYTER_BOOK = "import gc; gc.set_threshold(50_000, 20, 100); from jupyter_book.cli.main import main; main()"


def start(
    source: Path,
    toc: Path,
    output: Path,
    *,
    config: Path = ROOT / "_config.yml",
    fresh: bool = False,
    strict: bool = False,
    said: Sequence[IO[bytes] | None] = (None, None),
) -> subprocess.Popen:
    """Start to build ``source`` into ``output/_build/html`` with Jupyter Book.

    said: what takes its output and its errors; without, they are shown as they come.
    """
    command = [sys.executable, "-X", "utf8", "-c", JUPYTER_BOOK, "build", source, "--path-output", output]
    command += ["--config", config.resolve(), "--toc", toc.resolve(), "--keep-going"]
    command += ["--all"] * fresh + ["-W", "-n"] * strict
    for folder in ("_static", "_images") if fresh else ():  # what an earlier build left, and no page names
        shutil.rmtree(Path(output, "_build", "html", folder), ignore_errors=True)
    return subprocess.Popen([str(part) for part in command], stdout=said[0], stderr=said[1])


def start_edition(
    language: Language,
    built: list[Language],
    source: Path,
    toc: Path,
    output: Path,
    *,
    config: Path = ROOT / "_config.yml",
    **how,
) -> subprocess.Popen:
    """Start to build one of the editions that are ``built`` from the book in ``source``."""
    if built == [CHINESE]:
        return start(source, toc, output, config=config, **how)
    folder, work = folder_of(language, source), work_of(language, output)
    config, toc = write_sources(language, folder, config, toc, work, built)
    return start(folder, toc, output if language is CHINESE else work, config=config, **how)


def work_of(language: Language, output: Path) -> Path:
    """Return the folder in which an edition is built before it comes to the others."""
    return output / "_build" / "editions" / language.code


def build_editions(built: list[Language], source: Path, toc: Path, output: Path, **how) -> int:
    """Build the editions at once, a process each; return 0, or the exit code of one that failed.

    The first reports as it goes; what the others report is shown behind it, in their order.
    """
    with contextlib.ExitStack() as files:
        kept = [[files.enter_context(tempfile.TemporaryFile()) for _ in range(2)] for _ in built[1:]]
        started = [
            start_edition(language, built, source, toc, output, said=said, **how)
            for language, said in zip(built, [(None, None), *kept], strict=True)
        ]
        codes = [started[0].wait()]
        for process, said in zip(started[1:], kept, strict=True):
            codes.append(process.wait())
            for report, stream in zip(said, (sys.stdout, sys.stderr), strict=True):
                report.seek(0)
                shutil.copyfileobj(report, stream.buffer)
                stream.flush()
    if failed := next(filter(None, codes), 0):
        return failed
    for language in built:
        if language is not CHINESE:
            made = work_of(language, output) / "_build" / "html"
            publish(made, output / "_build" / "html", language.code, share=CHINESE in built)
    return 0


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
    parser.add_argument("--edition", choices=list(LANGUAGES), help="build this one alone; default: all")
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
    built = [LANGUAGES[options.edition]] if options.edition else editions(options.source) or [CHINESE]
    html = options.output.resolve() / "_build" / "html"
    how = {"config": options.config, "fresh": options.fresh, "strict": options.strict}
    if failed := build_editions(built, options.source, options.toc, options.output, **how):
        print("The site was not built: the lines above say why.", file=sys.stderr)
        return failed
    print("\nThe book is built. Open it in a browser, no server needed:")
    for language in built:
        print(f"  {(html / ('' if language is CHINESE else language.code) / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
