"""What a language has to tell: how it writes numbers and marks, what the site and the printed book say."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from book_tools.audit.tables import read_table


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Numbers in text.

    The patterns of the mutation test are plainer than `numerals`, and its own: what the audit's reader drops
    is to be tried all the same.
    """

    numerals: ModuleType  # of transformer_book.numerals
    multipliers: dict[str, Fraction]  # what stands behind digits, the longest first
    units: dict[str, str]  # a unit of `show`, such as ms, and its name
    holds_unit: re.Pattern
    copula: re.Pattern  # between a name and its value
    times: re.Pattern  # behind a numeral: it is a multiple
    factor: re.Pattern  # before a numeral: it multiplies or divides
    large: re.Pattern  # in what only looks like a numeral: name it all the same
    point: str  # in a numeral with decimals
    not_a_number: str  # a pattern with {word}: where a listed word stands for itself
    # for the mutation test
    digits: tuple[str, ...]  # groups of characters of which one can stand for another
    alike: dict[str, str]  # other characters for the same digits
    words: tuple[tuple[str, ...], ...]  # groups of words likewise
    bound: re.Pattern  # a numeral of any size, in <data>
    plain: re.Pattern  # one that has to be bound
    on_page: re.Pattern  # one that a reader takes for a number
    below_five: re.Pattern
    text: re.Pattern  # what tells places of a page apart: a character or a word


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What pages write so that the audit and the site know it."""

    numbered: dict[str, list[tuple[str, re.Pattern]]]  # by tag, a kind and the number typed in it
    names: dict[str, str]  # what a link to a kind of thing says
    next: str
    previous: str
    title_end: str  # in a title, before what a link may leave out
    figure: str
    table: str
    beside: tuple[str, ...]  # what a link to a figure without a number says
    caption_gap: str  # behind `**Figure 12.1**`
    guess: str
    before_answer: re.Pattern  # what asks a reader for a guess
    exercise: re.Pattern  # at the beginning of a heading
    mention: re.Pattern  # of a numbered thing in an assignment: its kind, its number
    mentioned: dict[str, str]
    exercise_heading: str  # in an assignment; {chapter}
    equation_heading: str
    folded: re.Pattern  # the title of an answer or a hint
    answer: str  # such a title that says no more
    references: str


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the site says. A {} stands for what is filled in."""

    interface: dict[str, str]  # what the themes say, and how this language says it
    about: dict  # what differs from _config.yml: author
    settings: dict  # of Sphinx in it
    parts: tuple[str, ...]  # the captions of _toc.yml, in order; none: as they stand there
    other: str  # the link to this edition, on another one's pages
    licences: str
    not_found: tuple[str, str]  # title and text; {root}
    sentence_end: str
    cover: str
    again: str
    minutes: str
    rates: str
    read_a_minute: Callable[[str], float]  # a text's length in what a reader takes in within a minute
    left_sidebar: str
    right_sidebar: str
    neighbours: str
    link_to_equation: str
    links: dict[str, str]  # to a figure, to a table
    equation: str
    found: str
    nothing_found: str
    printed_by: str  # number of the cell, key, value
    from_course: str
    from_address: str
    from_work: str  # title, year, place
    ask_number: str
    ask_choice: str
    my_guess: str
    commit: str
    skip: str
    guess_again: str
    told: dict  # what scripts/guesses.js tells
    whole_book: str  # one file of it; its kind
    download: str  # the whole book as a kind of file
    archive: str
    with_size: str
    code: str  # before what folded code does
    code_parts: str  # between two things that it does
    code_names: str  # between two names
    code_does: dict[str, tuple[str, str]]  # a verb; what counts the names that are left out; {all}
    raw: str  # what was printed, as it was printed
    axes: dict[str, str]  # what stands before a symbol at the axis of a figure, by the figures' own names


@dataclass(frozen=True, kw_only=True)
class Print:
    """What the printed book says."""

    contents: str
    answers: str
    number_end: re.Pattern  # behind an answer's number
    numbered_answer: str
    accessibility: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """A language of the book: its codes, its name, and the four parts above."""

    code: str  # of its explorers' labels and its folder of pages
    html: str
    sphinx: str
    name: str
    no_library: tuple[str, ...]  # what the first cell of a notebook says where the library is missing
    numbers: Numbers
    marks: Marks
    site: Site
    print: Print

    @functools.cached_property
    def not_numbers(self) -> re.Pattern:
        """The pattern of the words that only look like numbers."""
        path = Path(__file__).with_name("not_numbers") / f"{self.code}.csv"
        words = sorted((row["word"] for _, row in read_table(path, ["word", "why"])), key=len, reverse=True)
        return re.compile("|".join(self.numbers.not_a_number.format(word=word) for word in words))

    @functools.cached_property
    def caption(self) -> re.Pattern:
        """The pattern of a caption's mark: `kind`, and `number` if it has one."""
        return re.compile(rf"(?P<kind>{self.marks.figure}|{self.marks.table})(?: (?P<number>[\d.]+))?")

    @functools.cached_property
    def figure_caption(self) -> re.Pattern:
        """The pattern of the beginning of a figure's caption, in Markdown."""
        return re.compile(rf"(?:<a id=\"[\w-]+\"></a>)?\*\*{self.marks.figure}(?: [\d.]+)?\*\*")
