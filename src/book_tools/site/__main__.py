"""Build the site: ``python -m book_tools.site``; with ``--strict`` any warning makes the build fail.

Where the book has other editions, each becomes a site below the first, in a folder called by its code.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from book_tools.editions.places import editions, folder_of
from book_tools.language import CHINESE, LANGUAGES, Language
from book_tools.site.sharing import publish
from book_tools.site.sources import write_sources

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


def build_edition(
    language: Language,
    built: list[Language],
    source: Path,
    toc: Path,
    output: Path,
    *,
    config: Path = ROOT / "_config.yml",
    **how: bool,
) -> int:
    """Build one of the editions that are ``built`` from the book in ``source``; return the exit code."""
    if built == [CHINESE]:
        return build(source, toc, output, config=config, **how)
    folder = folder_of(language, source)
    work = output / "_build" / "editions" / language.code
    config, toc = write_sources(language, folder, config, toc, work, built)
    failed = build(folder, toc, output if language is CHINESE else work, config=config, **how)
    if not failed and language is not CHINESE:
        share = CHINESE in built  # and so built before
        publish(work / "_build" / "html", output / "_build" / "html", language.code, share=share)
    return failed


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
    for language in built:
        how = {"config": options.config, "fresh": options.fresh, "strict": options.strict}
        if failed := build_edition(language, built, options.source, options.toc, options.output, **how):
            print("The site was not built: the lines above say why.", file=sys.stderr)
            return failed
    print("\nThe book is built. Open it in a browser, no server needed:")
    for language in built:
        print(f"  {(html / ('' if language is CHINESE else language.code) / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
