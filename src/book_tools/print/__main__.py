"""Write the book of the built site as one file: ``python -m book_tools.print pdf`` or ``epub``."""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from book_tools.editions.places import folder_of
from book_tools.language import CHINESE, LANGUAGES, Language
from book_tools.print.book import read_book
from book_tools.print.check import dead_links, faults_of_epub, faults_of_pdf
from book_tools.print.epub import make_epub
from book_tools.print.pdf import make_pdf
from book_tools.site.sharing import publish
from book_tools.site.whole_book import FORMATS, file_name, megabytes, offer_in_site
from transformer_book.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m book_tools.print", description=__doc__)
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument(
        "--site", type=Path, default=ROOT / "_build" / "html", help="folder of the built site"
    )
    parser.add_argument("--toc", type=Path, default=ROOT / "_toc.yml", help="table of contents")
    parser.add_argument("--config", type=Path, default=ROOT / "_config.yml", help="settings of the site")
    parser.add_argument(
        "--edition", choices=list(LANGUAGES), help="print this one alone; default: all that are built"
    )
    options = parser.parse_args()
    built = [one for one in LANGUAGES.values() if (folder_of(one, options.site) / "index.html").is_file()]
    for language in [LANGUAGES[options.edition]] if options.edition else built or [CHINESE]:
        place = Place(options.site, options.toc, options.config).of(language)
        started = time.monotonic()
        try:
            faults = write(options.format, place)
        except FileNotFoundError as error:
            parser.error(str(error))
        if faults:
            print(*faults, sep="\n", file=sys.stderr)
            return 1
        if language is not CHINESE:
            publish(place.site, options.site, language.code, share=built_together(place.config))
        target = folder_of(language, options.site) / file_name(options.format, language)
        took = time.monotonic() - started
        print(f"{target}: {megabytes(target)}, {took:.0f} s. The pages' download menu offers it.")
    return 0


@dataclass
class Place:
    """Where an edition's finished pages are, all that they load beside them, its contents and settings."""

    site: Path
    toc: Path
    config: Path

    def of(self, language: Language) -> "Place":
        """Return the place of another edition of the same build."""
        if language is CHINESE:
            return self
        sources = self.site.parent / "editions" / language.code
        return Place(sources / "_build" / "html", sources / "_toc.yml", sources / "_config.yml")


def built_together(config: Path) -> bool:
    """Say whether an edition, by its settings, was built together with the first."""
    settings = yaml.safe_load(config.read_text(encoding="utf-8"))
    return CHINESE.code in settings["sphinx"]["config"]["book_editions"]


def write(kind: str, place: Place) -> list[str]:
    """Write an edition as one file and offer it in its pages, or return its faults and write nothing."""
    book = read_book(place.site, place.toc, place.config)
    faults = dead_links(book)
    if kind == "pdf":
        content = make_pdf(book)
        faults += faults_of_pdf(book, content)
    else:
        content = make_epub(book)
        faults += faults_of_epub(content)
    if not faults:
        write_atomically(place.site / file_name(kind, book.language), content)
        offer_in_site(place.site)
    return faults


if __name__ == "__main__":
    sys.exit(main())
