"""Check every page of the book against its stored outputs: `python -m book_tools.audit [page …]`."""

import argparse
import sys
import time
from pathlib import Path

from book_tools.audit import words
from book_tools.audit.article import check_figures
from book_tools.audit.assignments import assignment_faults
from book_tools.audit.claims import check_tables
from book_tools.audit.facts import check_facts, load_facts
from book_tools.audit.page import audit_file
from book_tools.audit.report import Finding
from book_tools.editions.places import editions, folder_of
from book_tools.editions.sets import others_with_sets, sets_in
from book_tools.language import CHINESE
from book_tools.notebooks.files import BOOK, NotebookError, assignments, chosen, pages, read


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m book_tools.audit", description=__doc__)
    parser.add_argument(
        "pages", nargs="*", help="paths or starts of names, such as 02; default: the whole book"
    )
    parser.add_argument(
        "--words", type=int, default=words.LEAST, metavar="LEAST", help="bind words for numbers from LEAST up"
    )
    options = parser.parse_args(arguments)
    words.LEAST = options.words
    started = time.monotonic()
    findings = []
    try:
        paths = _paths(options.pages)
        facts = load_facts()
        for path in paths:
            findings.extend(audit_file(path, facts))
        if not options.pages:
            findings.extend(check_facts(BOOK))
            for language in editions(BOOK):
                findings.extend(check_tables(paths, folder_of(language, BOOK)))
            findings.extend(check_figures(BOOK))
            sets = [(path.name, path, CHINESE) for path in assignments()]
            for other in others_with_sets():
                sets += [(f"{other.code}/{path.name}", path, other) for path in sets_in(other)]
            for name, path, language in sets:
                found = assignment_faults(read(path), language)
                findings.extend(Finding(name, cell, None, text, fault) for cell, text, fault in found)
    except NotebookError as error:
        parser.error(str(error))
    for finding in findings:
        print(finding)
    verdict = f"{len(findings)} to mend" if findings else "every printed number is bound"
    print(f"{len(paths)} pages, {time.monotonic() - started:.1f} s: {verdict}")
    return 1 if findings else 0


def _paths(names):
    if not names:
        return [page for language in editions(BOOK) for page in pages(folder=folder_of(language, BOOK))]
    markdown = [Path(name) for name in names if name.endswith(".md")]
    rest = [name for name in names if not name.endswith(".md")]
    return markdown + (chosen(rest) if rest else [])


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # GBK, for one, has no ²
    sys.exit(main())
