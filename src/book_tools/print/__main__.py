"""Write the book of the built site as one file: ``python -m book_tools.print pdf`` or ``epub``."""

import argparse
import sys
import time
from pathlib import Path

from book_tools.language import CHINESE, LANGUAGES
from book_tools.print.book import read_book
from book_tools.print.check import dead_links, faults_of_epub, faults_of_pdf
from book_tools.print.epub import make_epub
from book_tools.print.pdf import make_pdf
from book_tools.site.whole_book import FORMATS, file_name, offer_in_site
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
    parser.add_argument("--edition", choices=list(LANGUAGES), default=CHINESE.code, help="of the built site")
    options = parser.parse_args()
    if options.edition != CHINESE.code:
        sources = options.site.parent / "editions" / options.edition
        options.site /= options.edition
        options.toc, options.config = sources / "_toc.yml", sources / "_config.yml"
    started = time.monotonic()
    try:
        book = read_book(options.site, options.toc, options.config)
    except FileNotFoundError as error:
        parser.error(str(error))
    faults = dead_links(book)
    if options.format == "pdf":
        content = make_pdf(book)
        faults += faults_of_pdf(book, content)
    else:
        content = make_epub(book)
        faults += faults_of_epub(content)
    if faults:
        print(*faults, sep="\n", file=sys.stderr)
        return 1
    target = options.site / file_name(options.format)
    write_atomically(target, content)
    offer_in_site(options.site)
    size = target.stat().st_size / 1e6
    print(f"{target}: {size:.1f} MB, {time.monotonic() - started:.0f} s. The pages' download menu offers it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
