"""Read a formula as readers see it: math-core turns LaTeX into MathML, and here MathML into plain tokens.

Spacing, sizes of brackets and styles of letters fall away; what a formula says stays, in one spelling:
`\\mathbf{x}_{1} \\leq \\tfrac12` is `x_1 ≤ frac{1}{2}`.
"""

import dataclasses
import functools
import re
import unicodedata
from xml.etree import ElementTree

from math_core import LatexError, LatexToMathML

_MATHML = LatexToMathML()
_THOUSANDS = re.compile(r"(?<=\d)\{,\}(?=\d{3}(?!\d))")
_DOTS = re.compile(r"\\[ld]?dots(?![A-Za-z])")
_INVISIBLE = re.compile(r"&(?!lt;|gt;|amp;)\w+;")  # function application
_SCRIPTS = {
    "msub": ("sub",),
    "msup": ("sup",),
    "msubsup": ("sub", "sup"),
    "munder": ("sub",),
    "mover": ("sup",),
    "munderover": ("sub", "sup"),
}
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
_SET = re.compile(r"SCRIPT CAPITAL|DOUBLE-STRUCK CAPITAL")
_SEPARATORS = set("⇒⟹⇔⟺⟶，；。、：")
_OPENING, _CLOSING = set("([{⟨"), set(")]}⟩")


class Unreadable(ValueError):
    """LaTeX that math-core cannot read; the message is for its author."""


@dataclasses.dataclass(frozen=True)
class Token:
    """A piece of a formula: a number, name, set, operator, text; or a structure with parts (sub, frac …)."""

    kind: str
    text: str = ""
    parts: tuple[tuple["Token", ...], ...] = ()


@functools.cache
def read(latex):
    """Return a formula's tokens; Unreadable where math-core knows no way."""
    latex = _DOTS.sub(r"\\cdots ", _THOUSANDS.sub("", latex))
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    try:
        drawn = _MATHML.convert_with_local_state(latex, displaystyle=True)
    except LatexError as error:
        said = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()[0]
        raise Unreadable(
            f"LaTeX must be readable by math-core; got: {said.removeprefix('Error: ')}"
        ) from None
    return tuple(_tokens(ElementTree.fromstring(_INVISIBLE.sub("", drawn))))


def _tokens(element):
    tag = element.tag
    if tag in ("math", "mrow", "mstyle", "mpadded"):
        for child in element:
            yield from _tokens(child)
    elif tag == "mspace":
        if float(element.get("width", "0em").removesuffix("em")) >= 1:
            yield Token("gap")
    elif tag == "mtable":
        rows = [[tuple(_row(cell)) for cell in row] for row in element]
        yield Token("table", parts=tuple((Token("row", parts=tuple(row)),) for row in rows))
    elif tag in _SCRIPTS:
        base, *scripts = element
        yield from _tokens(base)
        for kind, script in zip(_SCRIPTS[tag], scripts, strict=True):
            yield Token(kind, parts=(tuple(_tokens(script)),))
    elif tag == "msqrt":
        yield Token("sqrt", parts=(tuple(_row(element)),))
    elif len(element):
        yield Token(tag.removeprefix("m"), parts=tuple(tuple(_tokens(child)) for child in element))
    elif element.text:
        yield _leaf(tag, element.text)


def _row(element):
    for child in element:
        yield from _tokens(child)


def _leaf(tag, raw):
    if raw in _SEPARATORS:  # before they are made half-width
        return Token("operator", raw)
    text = unicodedata.normalize("NFKC", raw.replace("\ufe00", "")).replace("−", "-")
    if tag == "mn":
        return Token("number", text)
    if tag == "mo" or text == "%":
        return Token("operator", text)
    style = unicodedata.name(raw[0], "")
    if text.isdigit():  # the 1 of a vector of ones or of an indicator
        return Token("styled", f"{style.split()[1].lower()} {text}")
    greek = _GREEK.fullmatch(unicodedata.name(text, "")) if len(text) == 1 else None
    if greek:
        name = greek[2].lower().replace("lamda", "lambda")
        text = name if greek[1] == "SMALL" else name.capitalize()
    return Token("set" if _SET.search(style) else "name", text)


def statements(latex):
    """Split a formula into statements: rows of an alignment, and what wide gaps or punctuation keep apart."""
    found, current, depth = [], [], 0
    for token in _lines(read(latex)):
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if depth == 0 and (token.kind == "gap" or token.text in _SEPARATORS):
            found.append(current)
            current = []
        elif token.kind != "gap":
            current.append(token)
    return [tuple(part) for part in map(_without_stop, [*found, current]) if part]


def _lines(tokens):
    """Lay the rows of alignments end to end, with gaps between; a table in brackets is a matrix and stays."""
    before = ""
    for token in tokens:
        if token.kind == "table" and not before:
            for (row,) in token.parts:
                yield from _lines(token for cell in row.parts for token in cell)
                yield Token("gap")
        else:
            yield token
        before = token.text if token.text in {*_OPENING, "|", "‖"} else ""


def _without_stop(tokens):
    return tokens[:-1] if tokens and tokens[-1].text in (",", ".") else tokens


def spell(tokens):
    """Write tokens in one line of text; each formula has one spelling, whatever its LaTeX looked like."""
    text = ""
    for token in tokens:
        if token.kind in ("sub", "sup"):
            inner = spell(token.parts[0])
            text += "_^"[token.kind == "sup"] + (inner if len(token.parts[0]) == 1 else f"{{{inner}}}")
        else:
            inside = "".join(f"{{{spell(part)}}}" for part in token.parts)
            text += " " + (token.text or token.kind + inside)
    return text.strip()


def shape(tokens):
    """Return a statement's spelling with `#` for each number, and the numbers in order as texts."""
    text, number = spell(tokens), re.compile(r"\d+(?:\.\d+)?")
    return number.sub("#", text), number.findall(text)


def from_text(text):
    """Turn a formula in plain text, `2D_q D + D²`, into LaTeX."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^{" + unicodedata.normalize("NFKC", m[0]) + "}", text)
    text = re.sub(r"[₀₁₂₃₄₅₆₇₈₉]+", lambda m: "_{" + unicodedata.normalize("NFKC", m[0]) + "}", text)
    text = re.sub(r"√(?:\(([^()]*)\)|([A-Za-z](?:_[A-Za-z0-9]+)?|\d+))", r"\\sqrt{\1\2}", text)
    text = re.sub(r"_([A-Za-z]{2,})", r"_{\1}", text)
    return text.replace("**", "^").replace("ᵀ", r"^\top ")
