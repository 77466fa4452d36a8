r"""The numbers that the pages carry in plain text, made the site's own.

A page writes ``\tag{12.1}``, ``# 3. …`` and, before what links lead to, ``<a id="eq-12-1"></a>``. Sphinx gets
an equation with a number beside it, a title that it numbers itself, and the id on the equation, exercise or
reference. The audit vouches for the numbers (`book_tools.audit.labels`).
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

TAG = re.compile(r"\s*\\tag\{([^}]*)\}")
ANCHOR = re.compile(r'<a id="([^"]+)">')
SECTION_NUMBER = re.compile(r"\d+\. ")


def take_tags(doctree: nodes.document) -> None:
    r"""Turn ``\tag{…}`` into the number that Sphinx prints beside an equation."""
    for equation in doctree.findall(nodes.math_block):
        if match := TAG.search(equation.astext()):
            text = TAG.sub("", equation.astext())
            equation.rawsource, equation.children = text, []
            equation += nodes.Text(text)
            equation["number"] = match[1]


def take_title_number(doctree: nodes.document) -> None:
    """Drop the number typed before the page's title: the table of contents counts the sections."""
    title = next(doctree.findall(nodes.title), None)
    if title and SECTION_NUMBER.match(title.astext()):
        title[0] = nodes.Text(SECTION_NUMBER.sub("", title[0].astext(), count=1))


def anchors(doctree: nodes.document) -> Iterator[tuple[str, nodes.raw]]:
    """Yield (name, node) for each ``<a id="name"></a>``, and take its closing tag away."""
    for raw in list(doctree.findall(nodes.raw)):
        if match := ANCHOR.fullmatch(raw.astext()):
            closing = raw.next_node(nodes.raw, descend=False, siblings=True)
            if closing is not None and closing.astext() == "</a>":
                closing.parent.remove(closing)
            yield match[1], raw


def thing_of(name: str, anchor: nodes.raw) -> nodes.Element:
    """Return the node that an anchor stands for: an equation, a section, or its own paragraph."""
    alone = len(anchor.parent.children) == 1
    kind = nodes.math_block if name.startswith("eq-") else nodes.section if alone else None
    following = kind and anchor.next_node(kind, ascend=True)
    return anchor.parent if following is None else following


def take_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Put the name of each anchor on its thing, first of its ids, and let links of other pages find it."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for name, anchor in list(anchors(doctree)):
        thing_of(name, anchor)["ids"].insert(0, name)
        slugs[name] = (anchor.line or 0, name, "")
        paragraph = anchor.parent
        paragraph.remove(anchor)
        if not paragraph.children:
            paragraph.parent.remove(paragraph)


def take_numbers(app: Sphinx, doctree: nodes.document) -> None:
    """Read the numbers of one page."""
    take_tags(doctree)
    take_title_number(doctree)
    take_anchors(app, doctree)


def setup(app: Sphinx) -> dict[str, object]:
    """Read every page's numbers before Sphinx collects titles and contents."""
    app.connect("doctree-read", take_numbers, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
