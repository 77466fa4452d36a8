"""Text first: code is folded behind one line that says what it does; a cell tagged `lesson` stays open.

No script is needed to open a fold, and in Jupyter nothing changes.
"""

import ast
from collections.abc import Iterable, Iterator

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

Part = tuple[str, list[str]]  # what the code does, a key of `Site.code_does`, and to what


def fold_code(page: Page) -> None:
    """Fold the code of every cell that is not tagged as a lesson."""
    site = spoken_in(page.soup).site
    for cell in page.soup.select("article div.cell"):
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


def wrap_long_lines(page: Page) -> None:
    """Mark the lines of code that a phone has to break, with their depth: what goes on stands further in."""
    for pre in page.soup.select("article div.cell_input pre"):
        lines = pre.decode_contents(formatter="minimal").split("\n")
        texts = pre.get_text().split("\n")
        marked = (_marked(f"{line}\n", text) for line, text in zip(lines, texts, strict=True))
        whole = "".join(marked).removesuffix("\n")
        pre.replace_with(BeautifulSoup(f"<pre>{whole}</pre>", "html.parser"))


def _marked(line: str, text: str) -> str:
    """Wrap one line where it is long; one within a string of several lines stays as it is."""
    if len(text) <= FITS or line.count("<span") != line.count("</span>"):
        return line
    depth = min((len(text) - len(text.lstrip())) // 4, DEEPEST)
    return f'<span class="in{depth}">{line}</span>'


def setup(app: Sphinx) -> dict[str, object]:
    """Fold the code of every page."""
    on_page(app, wrap_long_lines)
    on_page(app, fold_code)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
