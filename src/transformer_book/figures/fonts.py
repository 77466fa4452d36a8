"""Fonts for the tokens in a figure: DejaVu Sans, which matplotlib ships, and installed ones for Chinese."""

import contextlib
import re
import warnings

from matplotlib import font_manager

FIRST = "DejaVu Sans"
# Fonts for simplified Chinese that Windows, macOS and Linux have, or that readers install.
CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "STHeiti",
    "SimHei",
    "SimSun",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
_MISSING = re.compile(r"Glyph (\d+) .*missing from")


def families() -> list[str]:
    """Return the fonts to look for a character in, one after the other: those that are installed."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [FIRST, *(name for name in CHINESE if name in installed)]


@contextlib.contextmanager
def one_warning():
    """Turn matplotlib's warning for each character that no font has into one that says what to do."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing: dict[str, None] = {}
    for found in caught:
        if match := _MISSING.match(str(found.message)):
            missing[chr(int(match[1]))] = None
        else:
            warnings.warn_explicit(found.message, found.category, found.filename, found.lineno)
    if missing:
        warnings.warn(
            f"No installed font has {''.join(missing)}: the figure shows boxes. Install one that does, such "
            "as Noto Sans CJK SC (Debian, Ubuntu: apt install fonts-noto-cjk), and start Python again.",
            stacklevel=4,
        )
