"""What reports say, in the language that is spoken now: ``with speaking("en"): words.NO_CELLS``.

Each attribute is one of the module of that language. Where nobody has said otherwise, Chinese is spoken.
"""

from contextlib import contextmanager
from contextvars import ContextVar

from book_grading import chinese, english

LANGUAGES = {"zh": chinese, "en": english}
FIRST = "zh"  # of the sets' sources, and of papers that do not name a language
_spoken = ContextVar("spoken", default=FIRST)


def __getattr__(name):
    return getattr(LANGUAGES[_spoken.get()], name)


def spoken():
    """Return the code of the language that is spoken now."""
    return _spoken.get()


@contextmanager
def speaking(code):
    """Speak another language within a block, in this thread alone; never around a ``yield``."""
    before = _spoken.set(code)
    try:
        yield
    finally:
        _spoken.reset(before)


def where(folder):
    """Say where the results are; some sets have no page to mark by hand, and most runs no whose.csv."""
    names = ("summary.html", "by-hand.html", "whose.csv", "similar.html", "totals.csv", "marks.csv")
    return f"→ {folder}: {', '.join(name for name in names if (folder / name).exists())}, feedback/"


def every(name):
    """List what an attribute is in each language, to know it again in what an earlier run wrote."""
    return tuple(dict.fromkeys(getattr(language, name) for language in LANGUAGES.values()))
