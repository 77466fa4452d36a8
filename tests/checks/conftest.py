"""A small page with one of everything, and small notebooks made of single cells."""

import copy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book_tools.audit.facts import load_facts
from book_tools.audit.page import audit_notebook
from book_tools.notebooks.files import read, tie_outputs

PAGE = Path(__file__).parent / "fixtures" / "page.ipynb"


@pytest.fixture(scope="session")
def _page():
    return read(PAGE)


@pytest.fixture
def page(_page):
    """The fixture page, to be changed at will."""
    return copy.deepcopy(_page)


@pytest.fixture
def findings():
    """A function that lists what the audit says about a notebook."""
    facts = load_facts()
    return lambda notebook: list(map(str, audit_notebook(notebook, "page.ipynb", facts)))


@pytest.fixture
def says(findings):
    """A function that audits prose beside the code `source`, which printed `printed`."""

    def audit(markdown, printed="", source=""):
        code = new_code_cell(source, execution_count=1, outputs=[])
        tie_outputs(code)
        if printed:
            code.outputs = [new_output("stream", name="stdout", text=printed)]
        return findings(nbformat.from_dict(new_notebook(cells=[code, new_markdown_cell(markdown)])))

    return audit
