"""WordPiece in the page: the same pieces as the library's, on text of every kind."""

import sys
import unicodedata

import pytest

from transformer_book.tokenizers import WordPiece
from transformer_book.tokenizers.wordpiece import SPECIAL, split_words
from transformer_book.widgets import bundle

PIECES = [
    *SPECIAL,
    *"abcdefxσ猫鬼.!$",
    "un",
    "##bel",
    "##ie",
    "##v",
    "##able",
    "##a",
    "##b",
    "##c",
    "##x",
    "##σ",
]
PIECES += ["οδοσ", "cafe", "naive", "istanbul", "ß", "é", "##𝒳", "the", "cat", "2024"]

MOVED = {"\U0001171e"}  # a medial of Ahom, which Unicode 14 has as Mn and later ones as Mc


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.add_script_tag(content=bundle.source("js/model/wordpiece.js"))
    yield page
    page.close()


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "The cat.", "unbelievable", "unbelievably", "Café naïve NAÏVE", "ΟΔΟΣ ΣΑΣ",
        "İSTANBUL Straße",
        "猫鬼cat猫。", "the\tcat\r\nthe\u00a0cat\u3000the", "a$b+c^d`e|f~2024", "«the»—cat…", "x" * 100,
        "x" * 101, "𝒳x𝒳", "a\u0301b\u00ada\u200bb\ufeffc\ufffdd\x00e\x7f",
        "a\u2028b\u2029c\x85d\x1ce",
        "[CLS]a[SEP][PAD] b[UNK]", "[mask] [MASK", "[[MASK]]", "Paris is [MASK].", "한국어 ｆｕｌｌ ﬁ",
        "\ud7a3 \U00020000a\U0002fa1f", "e\u0301\u0327 ᾼ",
    ],
)  # fmt: skip
def test_pieces_are_the_library_s(page, text):
    library = WordPiece(PIECES, lower_case=True)
    pieces = "([text, pieces]) => wordPieces(text, new Map(pieces.map((piece, i) => [piece, i])))"
    assert page.evaluate(pieces, [text, PIECES]) == library.tokens(text)


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("the cat", []),
        ("猫吃鬼，吃吃！ [UNK] [MASK]", ["吃", "，", "！"]),
        ("Zoo the zoo " + "x" * 101, ["zoo", "x" * 101]),
    ],
)
def test_words_that_become_unk_are_named(page, text, lacking):
    assert WordPiece(PIECES, lower_case=True).unknown_words(text) == lacking
    words = "([text, pieces]) => unknownWords(text, new Map(pieces.map((piece, i) => [piece, i])))"
    assert page.evaluate(words, [text, PIECES]) == lacking


def test_every_character_is_treated_as_the_library_treats_it(page):
    """Characters that this Python does not know yet are left out: a newer browser may know them."""
    characters = set(map(chr, range(sys.maxunicode + 1))) - MOVED
    known = sorted(c for c in characters if unicodedata.category(c) not in ("Cn", "Cs", "Co"))
    lines = [f"a{c}B" for c in known]
    ours = page.evaluate("lines => lines.map((line) => splitWords(line).join(' '))", lines)
    wrong = [
        f"U+{ord(c):04X}"
        for c, line, found in zip(known, lines, ours, strict=True)
        if found != " ".join(split_words(line))
    ]
    assert not wrong, f"{len(wrong)} characters: {wrong[:20]}"
