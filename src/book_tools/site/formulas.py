"""Formulas that can be read without JavaScript: MathML beside the TeX that MathJax draws.

The MathML stands in ``noscript``, so that a browser with scripts never looks at it. A formula that the
converter does not know keeps its TeX alone.
"""

import re

from bs4 import BeautifulSoup, NavigableString, Tag
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

DELIMITED = re.compile(r"\s*\\([(\[])(.*)\\[)\]]\s*", re.DOTALL)
SPHINX_SPLIT = re.compile(r"\\(begin|end)\{split\}")  # what Sphinx wraps around several lines
STYLE = "article .math > .tex { display: none } article div.math > noscript { flex: 1 }"


def mathml(converter: LatexToMathML, text: str) -> Tag | None:
    r"""Return the MathML of ``\(…\)`` or ``\[…\]``, or None where the converter knows no way."""
    match = DELIMITED.fullmatch(text)
    if not match:
        return None
    tex = SPHINX_SPLIT.sub(r"\\\1{aligned}", match[2])
    try:
        return BeautifulSoup(
            converter.convert_with_local_state(tex, displaystyle=match[1] == "["), "html.parser"
        ).math
    except LatexError:
        return None


def add_mathml(page: Page) -> None:
    """Give each formula of a page its MathML, and hide the TeX where scripts are off."""
    macros = page.app.config.mathjax3_config["tex"].get("macros", {})
    converter = LatexToMathML(macros=macros)
    formulas = page.soup.select("article .math")
    for formula in formulas:
        for text in [child for child in formula.children if isinstance(child, NavigableString)]:
            drawn = mathml(converter, text)
            if drawn is None:
                continue
            fallback = page.soup.new_tag("noscript")
            fallback.append(drawn)
            text.wrap(page.soup.new_tag("span", attrs={"class": "tex"})).insert_after(fallback)
    if formulas:
        style = page.soup.new_tag("style")
        style.string = STYLE
        fallback = page.soup.new_tag("noscript")
        fallback.append(style)
        page.soup.head.append(fallback)


def setup(app: Sphinx) -> dict[str, object]:
    """Add MathML to every page."""
    on_page(app, add_mathml)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
