"""A student's text on its way into tables and pages: nothing in it that a terminal would obey."""

import unicodedata

# Control, format (bidirectional overrides, zero widths), surrogate, private and unassigned characters, and
# the separators of lines and paragraphs.
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
LAYOUT = "\n\t"


def plain(text, layout=""):
    """Return the text without invisible characters; those in ``layout`` stay, other line ends are spaces."""
    kept = (char if char in layout or char not in LAYOUT else " " for char in text)
    return "".join(char for char in kept if char in layout or unicodedata.category(char) not in UNSEEN)
