"""Formulas as MathML in the page: no script draws them, they never jump, they print and are read aloud.

Chrome and Edge 109, Firefox 115, Safari 16 and what is newer draw MathML. Where it is missing, `book.js` puts
the TeX in its place, which stands in the formula as an annotation.
"""

import re
from functools import lru_cache
from html import escape

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from book_tools.language import spoken_by

logger = logging.getLogger(__name__)

TAG = re.compile(r"\\tag\{([^{}]*)\}")
LINES = re.compile(r"(?<!\\)\\\\")  # a line break of TeX


@lru_cache
def _converter(macros: tuple[tuple[str, str], ...]) -> LatexToMathML:
    return LatexToMathML(macros=dict(macros), annotation=True, fancy_error=False)


def mathml(tex: str, display: bool, macros: dict[str, str]) -> str:
    """Return the MathML of a formula without its `\\tag`; LatexError where the converter knows no way."""
    tex = TAG.sub("", tex).strip()
    if display and LINES.search(tex) and "\\begin" not in tex:
        tex = f"\\begin{{aligned}}{tex}\\end{{aligned}}"
    return _converter(tuple(macros.items())).convert_with_local_state(tex, displaystyle=display)


def _drawn(translator, node: nodes.Node, display: bool) -> str:
    tex = node.astext()
    try:
        return mathml(tex, display, translator.config.math_macros)
    except LatexError as error:
        logger.warning("the formula %r cannot be drawn: %s", tex, error, location=node)
        return f"<code>{escape(tex)}</code>"


def inline_formula(translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(f'<span class="math">{_drawn(translator, node, False)}</span>')
    raise nodes.SkipNode


def formula_of_its_own_line(translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its number behind it if it has one."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(_drawn(translator, node, True))
    tag = TAG.search(node.astext())
    number = tag[1] if tag else node["number"] and get_node_equation_number(translator, node)
    if number:
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, spoken_by(translator).site.link_to_equation)
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, object]:
    """Take MathJax's place as Sphinx's renderer of mathematics."""
    app.add_config_value("math_macros", {}, "html", dict)
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula_of_its_own_line, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
