"""The editions of the book: `python -m book_tools.editions` compares them, and writes nothing.

`align en 03` gives pages of an edition their counterparts' cells, code and outputs, and makes those that are
missing, their text left to write; `align en hand` does so for a set of the assignments. `stamp en 03 --cells
ID` says that an author has read these cells beside their counterparts, and that they say the same.
"""

import argparse
import sys

from book_tools import references
from book_tools.editions.check import check_editions
from book_tools.editions.counterparts import align, stamp_page
from book_tools.editions.places import editions
from book_tools.editions.sets import align_set, check_sets, stamp_set
from book_tools.language import CHINESE, LANGUAGES
from book_tools.notebooks.files import NotebookError, assignments, pages


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m book_tools.editions", description=__doc__.splitlines()[0]
    )
    verbs = parser.add_subparsers(dest="verb")
    for verb, told in (("align", "give pages code and outputs"), ("stamp", "note that text was read")):
        command = verbs.add_parser(verb, help=told)
        command.add_argument("edition", choices=[code for code in LANGUAGES if code != CHINESE.code])
        command.add_argument("pages", nargs="*", help="starts of names, such as 03; default: all")
        if verb == "stamp":
            command.add_argument("--cells", nargs="+", default=(), metavar="ID", help="default: every cell")
    options = parser.parse_args(arguments)
    try:
        if options.verb is None:
            return _check()
        language = LANGUAGES[options.edition]
        for path in _chosen(options.pages):
            of_set = path in assignments()
            if options.verb == "stamp":
                (stamp_set if of_set else stamp_page)(path, language, options.cells)
            elif of_set:
                align_set(path, language)
            else:
                align(path, language, create=True)
    except NotebookError as error:
        parser.error(str(error))
    return 0


def _check():
    findings = [*check_editions(), *check_sets()]
    for finding in findings:
        print(finding)
    names = ", ".join(language.name for language in editions())
    print(f"{names}: {f'{len(findings)} to mend' if findings else 'the same pages, cells and code'}")
    return 1 if findings else 0


def _chosen(names):
    """List the first edition's pages and sets whose names begin so, but not what references.bib gives."""
    written = [path for path in (*pages(), *assignments()) if path.name != references.PAGE]
    found = [path for path in written if not names or path.name.startswith(tuple(names))]
    if missing := [name for name in names if not any(path.name.startswith(name) for path in found)]:
        raise NotebookError(f"a page must be the start of a page's or a set's name; got {', '.join(missing)}")
    return found


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # GBK, for one, has no ²
    sys.exit(main())
