"""The first code cell of every notebook: it finds the library, fetches it, or says how to get it.

`python -m book_tools.first_cell [ADDRESS]` writes it into the book's notebooks. ADDRESS is what pip installs
where the library is missing (Colab, a notebook taken home alone): the address of the site's archive, for one.
Without an address the cell says in one sentence where the library is to be had.
"""

import argparse
import json

from nbformat.v4 import new_code_cell

from book_tools.language import LANGUAGES
from book_tools.notebooks.files import notebooks, read, tie_outputs, to_bytes, write_atomically

ID = "library"
_INDENT = " " * 12
_LINES = [
    line
    for language in LANGUAGES.values()
    for line in (*language.no_library[:-1], language.no_library[-1] + "\n")
]
_SAID = "\n".join(
    _INDENT + json.dumps(line, ensure_ascii=False) for line in [*_LINES[:-1], _LINES[-1].rstrip()]
)
SOURCE = f"""\
from importlib.util import find_spec

ADDRESS = "{{address}}"  # what pip installs where the library is missing
if find_spec("transformer_book") is None:
    if not ADDRESS:
        raise SystemExit(
{_SAID}
        )
    get_ipython().run_line_magic("pip", f"install {{{{ADDRESS}}}}")"""
METADATA = {"jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}


def put_first(notebook, address=""):
    """Give a notebook its first code cell, below the title, and count the code cells anew."""
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != ID]
    first = new_code_cell(SOURCE.format(address=address), id=ID, metadata=dict(METADATA))
    tie_outputs(first)  # it prints nothing where the library is found, and checks run nowhere else
    notebook.cells.insert(1, first)
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count


def main(arguments=None):
    """Write the first cell into every notebook of the book."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.first_cell", description=__doc__)
    parser.add_argument("address", nargs="?", default="", help="what pip installs; default: nothing")
    options = parser.parse_args(arguments)
    for path in notebooks():
        notebook = read(path)
        put_first(notebook, options.address)
        write_atomically(path, to_bytes(notebook))


if __name__ == "__main__":
    main()
