"""The languages say the same things, each in its own words, and no file beside them speaks Chinese."""

import dataclasses
import re
from string import Formatter

import pytest

from book_tools.audit.quantities import quantities
from book_tools.audit.words import number_words
from book_tools.language import CHINESE, ENGLISH, LANGUAGES, named
from book_tools.mutation.digits import sites
from book_tools.notebooks.files import ROOT

HAN = re.compile(r"[\u4e00-\u9fff]")
# What may hold Chinese: the languages, and data about Chinese as the book's material.
LANGUAGE_FILES = {
    "src/book_tools/language/chinese.py": "the language",
    "src/book_tools/language/not_numbers/zh.csv": "the language",
    "src/book_grading/chinese.py": "the language of feedback",
    "src/book_grading/english.py": "the headings that a platform reads",
    "src/book_grading/headings.py": "what platforms and earlier runs wrote",
    "src/book_grading/checks.py": "every set's notebook carries a copy of it to its students",
}
MATERIAL = {
    "src/book_tools/print/text_layer.py": "characters that share a glyph",
    "src/book_tools/record/datasets.py": "the range of characters in a corpus",
    "src/book_tools/record/explorer_data/rhymes.py": "groups of rhymes",
    "src/transformer_book/numerals/chinese.py": "numerals",
    "src/transformer_book/numerals/numeral.py": "numerals",
    "src/transformer_book/data/numerals.py": "numerals",
    "src/transformer_book/data/quatrains.py": "a poem",
    "src/transformer_book/experiments/deep_stacks.py": "numerals",
    "src/transformer_book/experiments/number_text.py": "numerals",
    "src/transformer_book/experiments/numerals.py": "numerals",
    "src/transformer_book/experiments/quatrains.py": "the form of a poem",
    "src/transformer_book/widgets/data/rhymes.txt": "groups of rhymes",
    "src/transformer_book/widgets/js/translation/numerals.js": "numerals",
    "src/transformer_book/widgets/translation.py": "a numeral",
    "src/transformer_book/widgets/weights.py": "a review",
}
SUFFIXES = {".py", ".js", ".css", ".csv", ".txt", ".html", ".json"}


def speaking() -> set[str]:
    """List the files of src that hold a Chinese character, but for the explorers' labels."""
    files = (
        path for path in (ROOT / "src").rglob("*") if path.suffix in SUFFIXES and path.name != "labels.js"
    )
    return {
        path.relative_to(ROOT).as_posix() for path in files if HAN.search(path.read_text(encoding="utf-8"))
    }


def test_no_file_beside_the_languages_speaks_chinese():
    assert speaking() == set(LANGUAGE_FILES) | set(MATERIAL)


def parts(language):
    return {name: getattr(language, name) for name in ("marks", "site", "print")}


def texts(value):
    """List the texts of a field, by their place in it."""
    if isinstance(value, str):
        return {(): value}
    if isinstance(value, dict):
        return {(key, *rest): text for key, inner in value.items() for rest, text in texts(inner).items()}
    if isinstance(value, tuple):
        return {(key, *rest): text for key, inner in enumerate(value) for rest, text in texts(inner).items()}
    return {}


def filled_in(text):
    """List what is filled in a text; a language counts all names, or the rest of them."""
    names = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    return ["all" if name == "rest" else name for name in names]


@pytest.mark.parametrize("part", ["marks", "site", "print"])
def test_what_is_filled_in_is_the_same_in_each_language(part):
    free = {
        "about",
        "interface",
        "settings",
        "parts",
        "mentioned",
        "units",
    }  # what each language lists as it likes
    first, second = (parts(language)[part] for language in (CHINESE, ENGLISH))
    for field in dataclasses.fields(first):
        if field.name in free:
            continue
        one, other = (texts(getattr(side, field.name)) for side in (first, second))
        if field.name == "links":
            assert len(one) == len(other) == 2
            continue
        one, other = ({k: v for k, v in found.items() if "units" not in k} for found in (one, other))
        assert one.keys() == other.keys(), field.name
        for key in one:
            assert filled_in(one[key]) == filled_in(other[key]), (field.name, key)


def test_english_holds_no_chinese():
    texts_of = str(dataclasses.asdict(ENGLISH.site)) + str(ENGLISH.marks) + str(ENGLISH.print)
    assert not HAN.search(texts_of)


def test_a_language_is_named_by_its_code():
    assert [named(code) for code in LANGUAGES] == [CHINESE, ENGLISH]
    with pytest.raises(ValueError, match="the language must be one of zh, en; got 'fr'"):
        named("fr")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sixteen keys for twelve heads", ["sixteen", "twelve"]),
        ("four times slower, two thirds, three heads", ["four times", "two thirds"]),
        ("multiplied by four, divided by two", ["four", "two"]),
        ("twice as fast, tenfold, half of it", ["twice", "tenfold", "half"]),
        ("more than seven thousand poems, the fifth layer", ["more than seven thousand", "fifth"]),
        ("one of two; the first half; base ten; a seven-character line", []),
    ],
)
def test_which_english_words_have_to_be_bound(text, found):
    assert [word for word, _ in number_words(text, ENGLISH)] == found
    assert all(text.startswith(word, start) for word, start in number_words(text, ENGLISH))


@pytest.mark.parametrize(
    ("text", "value"), [("1.24 million", 1_240_000), ("3 billion", 3 * 10**9), ("15%", 0.15), ("sixteen", 16)]
)
def test_reads_an_english_quantity(text, value):
    (quantity,) = quantities(text, ENGLISH)
    assert quantity.value == pytest.approx(value)


def test_the_mutation_test_changes_english_words():
    from nbformat.v4 import new_markdown_cell, new_notebook

    page = new_notebook(cells=[new_markdown_cell("It has sixteen heads, four times as many.")])
    found = {site.text(page): site.others for site in sites(page, ENGLISH)}
    assert set(found) == {"sixteen", "four"}
    assert "seventeen" in found["sixteen"]
    assert "sixteen" not in found["sixteen"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("between zero and one", ["zero"]),  # one is a pronoun as well
        ("lines two and three", ["two", "three"]),
        ("a hundred and five, six thousand and twenty", ["hundred and five", "six thousand and twenty"]),
        ("twenty-four or two thirds", ["twenty-four", "two thirds"]),
    ],
)
def test_english_joins_numbers_with_and_after_a_hundred_alone(text, numbers):
    assert [match[0] for match in ENGLISH.numbers.on_page.finditer(text)] == numbers
