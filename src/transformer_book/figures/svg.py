"""A figure as SVG: text stays text, and the same drawing gives the same short file.

An id survives where something refers to it, and where it tells the site what stands there: `axis-…` of
`name_axis`, and `ground`, the white that the figure stands on.
"""

import io
import re
from xml.etree import ElementTree

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
AXIS, GROUND = "axis-", "ground"
# Ids and clip paths of matplotlib are hashes of what they stand for and of this word.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "transformer_book"}
SCALE = 2  # pixels to a point: as wide as the text of a page

_FAMILY = re.compile(r"font-family: '([^']+)'")
_SIZE = re.compile(r"font-size: ([\d.]+)px")
_STYLE = re.compile(r"font-style: (\w+)")
_FILL = re.compile(r"fill: #\w+")
_COMMANDS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"#([\w.-]+)")
_NO_TURN = re.compile(r"^rotate\(-?0(?:\.0)? [^)]*\)$")
_GEOMETRY = ("d", "x", "y", "width", "height", "points", "transform")


def as_svg(figure: Figure, font_size: float) -> str:
    """Return the figure as SVG, all its text in one family of fonts, and of this size but for exceptions."""
    stream = io.BytesIO()
    figure.patch.set_gid(GROUND)
    figure.savefig(stream, format="svg", metadata={"Date": None})
    root = ElementTree.fromstring(stream.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for group in list(root.iter(f"{SVG}g")):
        for text in group.findall(f"{SVG}text"):
            for glyph in text.findall(f"{SVG}tspan"):
                family = _FAMILY.search(glyph.get("style", ""))
                if not glyph.text.strip():
                    text.remove(glyph)
                elif family and not _is_text(glyph.text, family[1]):
                    text.remove(glyph)
                    group.append(_outline(glyph, family[1]))
    _name(root)
    for element in root.iter():
        _shorten(element, font_size)
    _unwrap(root)
    root.set("style", f"stroke-linejoin:round;font:{font_size:g}px 'DejaVu Sans',sans-serif")
    width, height = (float(length) for length in root.get("viewBox").split()[2:])
    root.set("width", f"{SCALE * width:g}")
    root.set("height", f"{SCALE * height:g}")
    ElementTree.register_namespace("", SVG.strip("{}"))
    ElementTree.register_namespace("xlink", XLINK.strip("{}"))
    return ElementTree.tostring(root, encoding="unicode").replace("><", ">\n<") + "\n"


def _is_text(letters, family):
    """Return whether readers' fonts have these; in fonts for Chinese operators are as wide as ideographs."""
    return family == "DejaVu Sans" and all(letter.isascii() or letter.isalnum() for letter in letters)


def _outline(glyph, family):
    """Return a glyph that readers' fonts lack, or draw in another width, as its outline."""
    style = glyph.get("style")
    slant = _STYLE.search(style)
    font = FontProperties(family=family, style=slant[1] if slant else "normal")
    left, down = float(glyph.get("x")), float(glyph.get("y"))
    drawn = []
    for points, code in TextPath((0, 0), glyph.text, float(_SIZE.search(style)[1]), font).iter_segments():
        if code == Path.CLOSEPOLY:
            drawn.append("z")
            continue
        pairs = zip(points[::2], points[1::2], strict=True)
        drawn += [_COMMANDS[code], *(f"{left + x:.6f} {down - y:.6f}" for x, y in pairs)]
    colour = _FILL.search(style)
    return ElementTree.Element(
        f"{SVG}path", {"d": " ".join(drawn)} | ({"style": colour[0]} if colour else {})
    )


def _name(root):
    """Count the ids that are referred to, and drop those that are not."""
    values = [value for element in root.iter() for value in element.attrib.values() if len(value) < 200]
    used = {name for value in values for name in _REFERENCE.findall(value)}
    elements = [element for element in root.iter() if element.get("id")]
    names = {}
    for element in elements:
        old = element.attrib.pop("id")
        if old in used:
            element.set("id", names.setdefault(old, f"p{len(names) + 1}"))
        elif old == GROUND or old.startswith(AXIS):
            element.set("id", old)
    for element in root.iter():
        for key, value in element.attrib.items():
            if "#" in value and len(value) < 200:
                element.set(key, _REFERENCE.sub(lambda found: f"#{names.get(found[1], found[1])}", value))


def _shorten(element, font_size):
    """Leave out of an element what its surroundings say already, and decimals that no eye sees."""
    for key in _GEOMETRY:
        if key in element.attrib and element.tag != f"{SVG}image":
            element.set(key, " ".join(_NUMBER.sub(_rounded, element.get(key)).split()))
    if _NO_TURN.match(element.get("transform", "")):
        del element.attrib["transform"]
    if style := element.attrib.pop("style", None):
        parts = [part.strip().replace(": ", ":") for part in style.split(";")]
        kept = [part for part in parts if part and not _is_usual(part, font_size)]
        if kept:
            element.set("style", ";".join(kept))
    if element.tag == f"{SVG}image":
        key = f"{XLINK}href"
        element.set(key, "".join(element.get(key).split()))
    element.text, element.tail = (
        text and text.strip("\n ") and text for text in (element.text, element.tail)
    )


def _is_usual(part, font_size):
    return part.startswith("font-family:'DejaVu Sans'") or part == f"font-size:{font_size:g}px"


def _rounded(number):
    return f"{round(float(number[0]), 2):g}" if abs(float(number[0])) < 10_000 else number[0]


def _unwrap(root):
    """Take groups apart that say nothing, and drop empty ones, from the innermost outwards."""
    for parent in [*root.iter()][::-1]:
        children = []
        for child in parent:
            plain = child.tag in (f"{SVG}g", f"{SVG}defs") and not child.attrib
            children += list(child) if plain and child.tag == f"{SVG}g" else [child]
        parent[:] = [child for child in children if len(child) or child.attrib or child.text]
