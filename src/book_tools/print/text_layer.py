"""The text behind a PDF's glyphs: the characters that people type.

A font draws 人 and the radical ⼈ (U+2F08) with one glyph, and Chromium notes the lower code: a search for 人
would find nothing. Sources: ISO 32000-1, 9.10.3, ToUnicode CMaps; Unicode, Kangxi Radicals and CJK Radicals
Supplement.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, StreamObject

RADICALS = range(0x2E80, 0x2FE0)
# Radicals that share a glyph with a character in simplified Chinese, and have no compatibility mapping to it.
LIKE = str.maketrans(
    "⺃⺅⺉⺎⺏⺐⺒⺓⺔⺕⺖⺘⺙⺛⺞⺠⺡⺣⺦⺨⺫⺭⺯⺰⺱⺲⺹⺺⺾⻁⻂⻃⻅⻆⻈⻉⻋⻌⻐⻑⻒⻓⻔⻖⻘⻙⻚⻛⻜⻝⻟⻠⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻮⻯⻰⻱⻲⼾",
    "乚亻刂兀尣尢巳幺彑彐忄扌攵旡歺民氵灬丬犭罒礻糹纟罓罒耂肀艹虎衤覀见角讠贝车辶钅長镸长门阝青韦页风飞食飠饣马骨鬼鱼鸟卤麦黄黾斉齐齿竜龙龜亀户",
)
ONE = re.compile(r"(<[0-9A-Fa-f]+> )<([0-9A-Fa-f]{4})>(?=\s*\n)")
MANY = re.compile(r"(<([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)> )<([0-9A-Fa-f]{4})>")
BLOCK = re.compile(r"beginbf(char|range)(.*?)endbf\1", re.DOTALL)


def typed(code: int) -> str:
    """Return the character that people type for what a font's glyph stands for."""
    character = chr(code)
    return unicodedata.normalize("NFKC", character.translate(LIKE)) if code in RADICALS else character


def hexadecimal(code: int) -> str:
    """Return a code as a string of a character map."""
    return f"<{typed(code).encode('utf-16-be').hex().upper()}>"


def correct(character_map: str) -> str:
    """Return a ToUnicode map in which no glyph stands for a radical."""

    def one(match: re.Match) -> str:
        return match[1] + hexadecimal(int(match[2], 16))

    def many(match: re.Match) -> str:
        first, last, code = (int(match[number], 16) for number in (2, 3, 4))
        codes = range(code, code + last - first + 1)
        if not any(code in RADICALS for code in codes):
            return match[0]
        return f"{match[1]}[{' '.join(map(hexadecimal, codes))}]"

    def block(match: re.Match) -> str:
        return ONE.sub(one, match[0]) if match[1] == "char" else MANY.sub(many, match[0])

    return BLOCK.sub(block, character_map)


def fonts(resources: DictionaryObject) -> Iterator[DictionaryObject]:
    """Yield the fonts of a page's resources, those of the forms drawn on it included."""
    for font in resources.get("/Font", {}).values():
        yield font.get_object()
    for form in resources.get("/XObject", {}).values():
        yield from fonts(form.get_object().get("/Resources", {}))


def streams(pages: Iterable[PageObject]) -> Iterator[StreamObject]:
    """Yield the ToUnicode map of each font that pages use, each once."""
    done = set()
    for page in pages:
        for font in fonts(page["/Resources"]):
            if "/ToUnicode" not in font:
                continue
            stream = font["/ToUnicode"]
            if id(stream) not in done:
                done.add(id(stream))
                yield stream


def character_maps(reader: PdfReader) -> Iterator[str]:
    """Yield the text of each map of a PDF."""
    for stream in streams(reader.pages):
        yield stream.get_data().decode("ascii")


def correct_text(writer: PdfWriter) -> None:
    """Correct the text layer of a whole PDF in place."""
    for stream in streams(writer.pages):
        stream.set_data(correct(stream.get_data().decode("ascii")).encode("ascii"))
