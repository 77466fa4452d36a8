"""Plots drawn in the page: they take the theme's colours, and at their axes stand the edition's words.

The stored SVG holds symbols on white. Here its ground goes; black becomes the colour of the text, a hue a
variable of `book.css`, which has another value in the dark. What is half clear keeps its hue: the page shows
through it, so that numbers on it can be read.
"""

import re
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util import logging

from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page, short_digest
from transformer_book.figures.svg import AXIS, GROUND, SVG, XLINK

logger = logging.getLogger(__name__)

COLOURS = {
    "#000000": "currentColor",
    "#ffffff": "var(--pst-color-background,#ffffff)",
    "#0072b2": "var(--plot-blue,#0072b2)",
    "#d55e00": "var(--plot-orange,#d55e00)",
    "#6b6b6b": "var(--plot-grey,#6b6b6b)",
}
# A word may reach lower than the symbol that the room was measured for.
ROOT_STYLE = "stroke-linejoin:round;fill:currentColor;overflow:visible"
_PAINT = re.compile(r"(?P<what>fill|stroke):(?P<colour>#\w+)")
_REFERENCE = re.compile(r"#(p\d+)\b")
_SIZE = re.compile(r"[\d.]+px")
_WIDE = re.compile(r"[\u2e80-\uffdc]")
_GAP = 0.4  # of a letter's height, between a word and its symbol


def drawn(text: str, words: dict[str, str], alt: str) -> str:
    """Return a stored SVG as the page's drawing; KeyError for a colour or an axis without a counterpart."""
    root = ElementTree.fromstring(text)
    root.remove(root.find(f"*[@id='{GROUND}']"))
    size = float(_SIZE.search(root.get("style"))[0].removesuffix("px"))
    for element in root.iter():
        if style := element.get("style"):
            element.set("style", _PAINT.sub(lambda found, style=style: _painted(found, style), style))
        if element.get("id", "").startswith(AXIS):
            _name_axis(element, words[element.attrib.pop("id").removeprefix(AXIS)], size)
    prefix = f"plot-{short_digest(text)}-"  # two of one page may not share an id
    for element in root.iter():
        if element.get("id"):
            element.set("id", prefix + element.get("id"))
        for key in ("clip-path", "style", f"{XLINK}href"):
            if element.get(key, "")[:300].count("#"):
                element.set(key, _REFERENCE.sub(rf"#{prefix}\1", element.get(key)))
    root.set("style", f"{ROOT_STYLE};font-size:{size:g}px")
    for key, value in {"class": "plot", "role": "img", "aria-label": alt}.items():
        root.set(key, value)
    ElementTree.register_namespace("", SVG.strip("{}"))
    ElementTree.register_namespace("xlink", XLINK.strip("{}"))
    return ElementTree.tostring(root, encoding="unicode")


def _painted(found: re.Match, style: str) -> str:
    clear = found["what"] == "fill" and "opacity" in style
    return found[0] if clear else f"{found['what']}:{COLOURS[found['colour']]}"


def _name_axis(label: ElementTree.Element, word: str, size: float) -> None:
    """Put the word before a symbol, both in the middle of the axis; a name of code gives way to the word."""
    if (plain := label.find(f"{SVG}text")) is not None:
        plain.text = word
        return
    group = label.find(f"{SVG}g")
    width = size * (sum(1 if _WIDE.match(letter) else 0.55 for letter in word) + _GAP)
    group.set("transform", f"{group.get('transform')} translate({width / 2:.2f} 0)")
    level = group.find(f"{SVG}text/{SVG}tspan").get("y")
    written = ElementTree.SubElement(group, f"{SVG}text", {"x": f"{-_GAP * size:.2f}", "y": level})
    written.set("style", "text-anchor:end")
    written.text = word


def sources(page: Page) -> dict[str, Path]:
    """Return the stored file of each picture of the site, by its name there."""
    return {name: Path(page.app.srcdir, source) for source, name in page.app.builder.images.items()}


def is_plot(path: Path) -> bool:
    """Return whether a file is one that the library's figures have written."""
    return path.suffix == ".svg" and f'id="{GROUND}"' in path.read_text(encoding="utf-8")


def draw_plots(page: Page) -> None:
    """Draw each plot in the page, in place of its image."""
    files, words = sources(page), spoken_by(page.app).site.axes
    for image in page.select("img[src*='_images/'][src$='.svg']"):
        path = files.get(PurePosixPath(image["src"]).name)
        if not (path and is_plot(path)):
            continue
        try:
            svg = drawn(path.read_text(encoding="utf-8"), words, image.get("alt", ""))
        except KeyError as error:
            logger.warning("no counterpart of %s of a figure", error, location=page.name)
        else:
            image.replace_with(BeautifulSoup(svg, "html.parser").svg)


def drop_files(app: Sphinx, error: Exception | None) -> None:
    """Remove the files of the plots, which the pages hold themselves."""
    if error or app.builder.format != "html":
        return
    for path in Path(app.outdir, "_images").glob("*.svg"):
        if is_plot(path):
            path.unlink()


def setup(app: Sphinx) -> dict[str, object]:
    """Draw the plots of every page."""
    on_page(app, draw_plots)
    app.connect("build-finished", drop_files, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
