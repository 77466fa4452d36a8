"""The font of the formulas: STIX Two Math (SIL Open Font License), with the characters that pages use.

It stands inside its style sheet, which only pages with a formula load: it comes with the page, so nothing
moves, and it works from `file://`.
"""

import base64
import re
import unicodedata
from html import unescape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

STYLE_SHEET = "mathematics.css"
FAMILY = "Book Mathematics"
UNPACK = f"""document.fonts.load('1em "{FAMILY}"', '∑')"""
MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
NOT_SHOWN = re.compile(r"<annotation\b.*?</annotation>|<[^>]*>", re.DOTALL)
VARIABLE = re.compile(r"<mi>(.)</mi>")  # browsers set a single letter in italics
ITALICS = {
    unicodedata.normalize("NFKC", chr(code)): chr(code) for code in [*range(0x1D434, 0x1D468), 0x210E]
} | dict(zip("αβγδεζηθικλμνξοπρςστυφχψω", map(chr, range(0x1D6FC, 0x1D715)), strict=True))


def font_file() -> Path:
    """Return where pip put the font; the package that ships it is located and not run."""
    return Path(find_spec("ziamath").submodule_search_locations[0]) / "fonts" / "STIXTwoMath-Regular.ttf"


def characters(pages: list[Path]) -> set[str]:
    """Return the characters that the formulas of finished pages show."""
    formulas = [formula for page in pages for formula in MATH.findall(page.read_text(encoding="utf-8"))]
    shown = set(unescape("".join(NOT_SHOWN.sub("", formula) for formula in formulas)))
    letters = set(VARIABLE.findall("".join(formulas)))
    roots = {"√"} if any("<msqrt>" in formula or "<mroot>" in formula for formula in formulas) else set()
    return shown | {ITALICS[letter] for letter in letters & ITALICS.keys()} | roots


def subset(font: Path, shown: set[str]) -> bytes:
    """Return the font with these characters alone, their larger forms and the MATH table, as WOFF2."""
    options = Options(
        flavor="woff2", layout_features=["ssty", "dtls", "flac"], hinting=False, desubroutinize=True
    )
    options.drop_tables += ["DSIG"]
    cut = TTFont(font, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, shown)))
    subsetter.subset(cut)
    cut.flavor = "woff2"
    written = BytesIO()
    cut.save(written)
    return written.getvalue()


def write_style_sheet(app: Sphinx, error: Exception | None) -> None:
    """Write the font for the formulas of all pages, once they are finished."""
    if error or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    font = base64.b64encode(subset(font_file(), characters(sorted(folder.glob("*.html"))))).decode()
    source = f'url(data:font/woff2;base64,{font}) format("woff2")'
    rule = f'@font-face{{font-family:"{FAMILY}";src:{source}}}\n'
    (folder / "_static" / STYLE_SHEET).write_text(rule, encoding="utf-8")


def link_style_sheet(page: Page) -> None:
    """Load the font where there is a formula.

    The script waits for the sheet, and has the font unpacked before a formula asks for it: laid out with
    another font, it would move the page when this one is ready.
    """
    if page.soup.find("math"):
        sheet = page.soup.new_tag("link", rel="stylesheet", href=f"_static/{STYLE_SHEET}")
        page.soup.head.extend([sheet, page.soup.new_tag("script", string=UNPACK)])


def setup(app: Sphinx) -> dict[str, object]:
    """Cut the font and link it."""
    app.connect("build-finished", write_style_sheet)
    on_page(app, link_style_sheet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
