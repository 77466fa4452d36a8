"""Changes to finished pages: every module hands in a function, and each page is parsed and written once."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import soupsieve
from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

Change = Callable[["Page"], None]
QUOTED = re.compile(r"""(["']).*?\1""")
IN_BRACKETS = re.compile(r"\([^()]*\)")
ATTRIBUTE = re.compile(r"\[([\w-]+)[^\]]*\]")
COMBINATOR = re.compile(r"[\s>+~]+")
SIMPLE = re.compile(r"([.#\[]?)([\w-]+)")


@dataclass
class Page:
    """One finished page: its name in Sphinx (``01_tokens``), its HTML, and the application that builds it."""

    name: str
    soup: BeautifulSoup
    app: Sphinx

    def tags(self) -> list[Tag]:
        """Return all tags of the page in their order."""
        return [node for node in self.soup.descendants if isinstance(node, Tag)]

    def select(self, selector: str) -> list[Tag]:
        """Return the tags that a CSS selector selects, as ``soup.select`` does in five times the time."""
        wanted = _last_parts(selector)
        candidates = [tag for tag in self.tags() if any(_has(tag, part) for part in wanted)]
        return soupsieve.compile(selector).filter(candidates)


@cache
def _last_parts(selector: str) -> list[list[tuple[str, str]]]:
    """Return what a tag must have to be selected: for each alternative its name, classes and attributes."""
    plain = QUOTED.sub("", selector)
    while (shorter := IN_BRACKETS.sub("", plain)) != plain:
        plain = shorter
    ends = [COMBINATOR.split(part.strip())[-1] for part in ATTRIBUTE.sub(r"[\1", plain).split(",")]
    return [SIMPLE.findall(re.sub(r":[\w-]+", "", end)) for end in ends]


def _has(tag: Tag, parts: list[tuple[str, str]]) -> bool:
    for kind, name in parts:
        if kind == "":
            if tag.name != name:
                return False
        elif kind == "[":
            if name not in tag.attrs:
                return False
        elif name not in tag.attrs.get("class" if kind == "." else "id", ""):
            return False
    return True


def on_page(app: Sphinx, change: Change) -> None:
    """Have ``change(page)`` called for every page of the HTML build, in the order of registration."""
    if not hasattr(app, "page_changes"):
        app.page_changes = []
        app.connect("builder-inited", _apply_to_rendered_pages)
    app.page_changes.append(change)


def short_digest(text: str) -> str:
    """Return a few characters that tell this text from another, in the address of a file or a name."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _apply_to_rendered_pages(app: Sphinx) -> None:
    """Wrap the builder's templates: what they render is the whole page, the theme's parts included."""
    if app.builder.format != "html":
        return
    app.pages_written = False
    render = app.builder.templates.render

    def render_and_change(template: str, context: dict) -> str:
        text = render(template, context)
        if "<html" not in text:  # a part, which the theme renders only to see whether it is empty
            return text
        page = Page(context["pagename"], BeautifulSoup(text, "html.parser"), app)
        app.pages_written = True
        for change in app.page_changes:
            change(page)
        return page.soup.decode(formatter="minimal")

    app.builder.templates.render = render_and_change
