"""Text first: code is folded behind one line that says what it does; a cell tagged `lesson` stays open.

No script is needed to open a fold, and in Jupyter nothing changes.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from html import unescape

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from book_tools.audit.printed import printed_lines
from book_tools.language import spoken_in
from book_tools.language.language import Site
from book_tools.site.pages import Page, on_page

OPEN = "tag_lesson"  # MyST-NB gives a cell its tags as classes
NAMED = 2  # names that a handle spells out; it counts the rest
FITS = 44  # characters on a line of a phone
DEEPEST = 4  # steps of four spaces that the style sheet knows
CODE = re.compile(r'(<div class="cell_input\b[^>]*>\s*(?:<div[^>]*>\s*)*<pre>)(.*?)(?=</pre>)', re.DOTALL)
LINE = re.compile(r"[^\n]*\n|[^\n]+")
TAG = re.compile(r"<[^>]*>")

Part = tuple[str, list[str]]  # what the code does, a key of `Site.code_does`, and to what


def fold_code(page: Page) -> None:
    """Fold the code of every cell that is not tagged as a lesson."""
    site = spoken_in(page.soup).site
    for cell in page.select("article div.cell"):
        for code in cell.find_all("div", class_="cell_input", recursive=False):
            if OPEN not in cell["class"]:
                _fold(page.soup, cell, code, site)


def _fold(soup: BeautifulSoup, cell: Tag, code: Tag, site: Site) -> None:
    fold = soup.new_tag("details", attrs={"class": "code"})
    fold.extend(list(code.contents))
    fold.insert(0, _handle(soup, parts(code_of(fold), cell), site))
    code.append(fold)


def code_of(block: Tag) -> str:
    """Return the code in a block of a page."""
    return block.pre.get_text() if block.pre else ""


def _handle(soup: BeautifulSoup, found: Iterable[Part], site: Site) -> Tag:
    """Return the line above folded code."""
    summary = soup.new_tag("summary")
    summary.append(site.code)
    for number, (kind, names) in enumerate(found):
        verb, rest = site.code_does[kind]
        summary.append(f"{site.code_parts if number else ''}{verb}")
        for place, name in enumerate(names[:NAMED] if len(names) <= NAMED else names[:1]):
            code = soup.new_tag("code")
            code.string = name
            summary.extend([site.code_names if place else " ", code])
        if len(names) > NAMED:
            summary.append(rest.format(all=len(names)))
    return summary


def parts(source: str, cell: Tag) -> Iterator[Part]:
    """Say what the code of a cell does: defines, prints, draws; code without output says what it computes."""
    body = ast.parse(
        "\n".join("" if line.startswith(("%", "!")) else line for line in source.splitlines())
    ).body
    streams = (output.get_text() for output in cell.select(".output.stream pre"))
    if defined := [part.name for part in body if isinstance(part, ast.FunctionDef | ast.ClassDef)]:
        yield "define", defined
    if printed := [key for stream in streams for key, _ in printed_lines(stream)]:
        yield "print", printed
    for output, kind in {
        "[data-state]": "explorer",
        "img": "draw",
        ".text_html:not(:has([data-state]))": "list",
    }.items():
        if cell.select(f".cell_output {output}"):
            yield kind, []
    if defined or cell.select(".cell_output"):
        return
    if assigned := [name for part in body for name in _targets(part)]:
        yield "compute", assigned
    else:
        yield "import", [name for part in body for name in _modules(part)]


def _modules(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import):
        return [name.name for name in statement.names]
    return [statement.module] if isinstance(statement, ast.ImportFrom) else []


def _targets(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]


def wrap_long_lines(body: str) -> str:
    """Mark the lines of code that a phone has to break, with their depth: what goes on stands further in."""
    return CODE.sub(lambda found: found[1] + LINE.sub(_marked, found[2]), body)


def _marked(line: re.Match) -> str:
    """Wrap one line where it is long; one within a string of several lines stays as it is."""
    html = line[0]
    text = unescape(TAG.sub("", html)).removesuffix("\n")
    if len(text) <= FITS or html.count("<span") != html.count("</span>"):
        return html
    depth = min((len(text) - len(text.lstrip())) // 4, DEEPEST)
    return f'<span class="in{depth}">{html}</span>'


def wrap_in_page(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Wrap the long lines of a page before it is put together: nothing has to be parsed for them."""
    if "body" in context:
        context["body"] = wrap_long_lines(context["body"])


def setup(app: Sphinx) -> dict[str, object]:
    """Wrap and fold the code of every page."""
    app.connect("html-page-context", wrap_in_page)
    on_page(app, fold_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
