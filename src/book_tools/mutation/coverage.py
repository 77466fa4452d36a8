"""Find the numbers of the built pages in a way of its own, and list those that no mutant reaches.

The mutation test changes the numbers that it finds in a notebook's source. Here the numbers come from the
text of the finished pages: digits, and numbers in words. The characters or words between them, the same on
the page and in the notebook, say where each of them stands in the source; a number is reached
if the mutation test has a site there.
"""

import bisect
import collections
import dataclasses
import difflib
import re
import unicodedata

from bs4 import BeautifulSoup, NavigableString

from book_tools.audit.prose import names
from book_tools.editions.places import folder_of, language_of
from book_tools.mutation.digits import HIDDEN, changeable_pages, sites
from book_tools.notebooks.files import ROOT, NotebookError, is_measured, read_page, read_text

HTML = ROOT / "_build" / "html"
_DIGITS = re.compile(r"(?P<plain>\d+(?:\.\d+)?)|[⁰¹²³⁴-⁹₀-₉①-⑳½⅓⅔¼¾]+")  # thousands count in groups
_LEAVES = ("mi", "mn", "mo", "mtext")
# Where a number stands on a page, by the nearest element around it; the first that fits.
_KINDS = (
    ("estimate", ".card-time"),
    ("label", ".section-number, .caption-number, .eqno"),
    ("reference", "a:not(.bound-value)"),
    ("formula", "math, .math"),
    ("quoted code", "code, pre"),
    ("table", "td, th"),
    ("caption", "figcaption"),
)
REASONS = {
    "code of a cell": "pytest --nbval runs it, and its outputs are tied to it",
    "measured output": "of the author's machine; the audit compares it with its bounds",
    "estimate": "the builder estimates how long a section takes to read, and says by which rule",
    "label": "the builder counts the headings of each section",
    "number word below five": "two to four things may stand in plain sight",
}


@dataclasses.dataclass(frozen=True)
class Seen:
    """A number on a page: its text, its kind, the text around it, and whether a mutant reaches it."""

    page: str
    kind: str
    text: str
    context: str
    reached: bool


def coverage(path, html=HTML):
    """List the numbers of one page; `html` is the folder of the built site, other editions below it."""
    built = folder_of(language_of(path), html) / f"{path.stem}.html"
    if not built.is_file():
        raise NotebookError(f"{built} must exist: build the site first (make book)")
    article = BeautifulSoup(read_text(built), "html.parser").find("article")
    for tex in article.find_all("annotation"):  # browsers do not show it
        tex.decompose()
    for hidden in article.select("script, style, .tex, .headerlink, details.raw"):
        hidden.decompose()
    notebook, language = read_page(path), language_of(path)
    found = sites(notebook, language)
    return [
        *_outputs(path.stem, article, notebook, found, language),
        *_text(path.stem, article, notebook, found, language),
    ]


def _outputs(page, article, notebook, found, language):
    """Yield the numbers of code cells and their outputs, and take these off the page."""
    cells = [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    numbered = {cell.execution_count: (index, cell) for index, cell in cells}
    for box in article.select("div.cell"):
        index, cell = numbered[int(box["id"].removeprefix("cell-"))]
        known = collections.Counter(
            part
            for site in found
            if site.cell == index and site.field[0] == "outputs"
            for part in _groups(site.text(notebook))
        )
        for source in box.select(".cell_input"):
            for match in _DIGITS.finditer(source.get_text()):
                yield Seen(page, "code of a cell", match[0], f"cell {index + 1}", False)
            source.decompose()
        for caption in box.select("figcaption"):
            box.insert_after(caption.extract())
        yield from _alt_texts(page, box, index, notebook, found, language)
        for picture in box.select("svg.plot"):  # its numbers are compared as a drawing
            picture.decompose()
        kind = "measured output" if is_measured(cell) else "output"
        for number in _groups(box.get_text(" ")):
            yield Seen(page, kind, number, f"cell {index + 1}", known[number] > 0)
            known[number] -= 1
        box.decompose()


def _alt_texts(page, box, index, notebook, found, language):
    """Yield the numbers of the alt texts of a cell's figures, in digits and in words."""
    sites_here = (site for site in found if site.cell == index and site.kind == "alt text")
    texts = (site.text(notebook) for site in sites_here)
    known = collections.Counter(part for text in texts for part in _groups(text) or [text])
    for picture in box.select("img[alt], svg[aria-label]"):
        alt = picture.get("alt") or picture.get("aria-label")
        for name in names():
            alt = alt.replace(name, "")
        words, numbers = language.not_numbers.sub("", alt), language.numbers
        for number in [*_groups(alt), *(match[0] for match in numbers.on_page.finditer(words))]:
            small = numbers.below_five.fullmatch(number)
            kind = "number word below five" if small else "alt text"
            yield Seen(page, kind, number, f"cell {index + 1}", known[number] > 0)
            known[number] -= 1


def _groups(text):
    text = text.replace("{,}", ",")
    return [unicodedata.normalize("NFKC", match[0]) for match in _DIGITS.finditer(text)]


def _text(page, article, notebook, found, language):
    """Yield the numbers of prose, tables, formulas and captions."""
    source, places = _source(notebook, found)
    strings = [(_spaced(string), _kind(string)) for string in _strings(article)]
    text = "".join(string for string, _ in strings)
    starts, total = [], 0
    for string, _ in strings:
        starts.append(total)
        total += len(string)
    where, numbers = _Alignment(text, source, language.numbers.text), language.numbers
    named = list(re.finditer("|".join(map(re.escape, names())), text))
    taken = collections.Counter()
    words = language.not_numbers.sub(lambda match: " " * len(match[0]), text)
    matches = [*_DIGITS.finditer(text), *numbers.on_page.finditer(words)]
    for match in sorted(matches, key=lambda match: match.start()):
        kind = strings[bisect.bisect_right(starts, match.start()) - 1][1]
        word = match.re is numbers.on_page
        estimated = kind == "estimate"
        if word and not estimated:
            kind = "number word below five" if numbers.below_five.fullmatch(match[0]) else "number word"
        elif not estimated and any(name.start() <= match.start() < name.end() for name in named):
            kind = "name"
        low, high = where.gap(match.start(), match.end())
        wanted = match[0] if word else _groups(match[0])[0]
        here = [place for place, known in places if low <= place < high and known == wanted]
        free = [place for place in here if not taken[place, wanted]]
        if free:
            taken[free[0], wanted] += 1
        context = " ".join(text[max(0, match.start() - 12) : match.end() + 12].split())
        yield Seen(page, kind, match[0], context, bool(free))


def _strings(article):
    for string in article.find_all(string=True):
        if type(string) is NavigableString and not string.find_parent(class_="cell"):
            yield string


def _spaced(string):
    return f" {string} " if string.parent.name in _LEAVES else str(string)


def _kind(string):
    for name, selector in _KINDS:
        if string.parent.css.closest(selector):
            return name
    return "prose"


def _source(notebook, found):
    """Join the texts of a notebook; return them, and the place and text of each site in them."""
    fields, text = {}, ""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            fields[index, ("source",)] = len(text)
            text += cell.source + "\n"
    places = [
        (fields[site.cell, site.field] + site.start + offset, part)
        for site in found
        if (site.cell, site.field) in fields and site.kind not in ("link", "anchor")
        for offset, part in _parts(site.text(notebook))
    ]
    return HIDDEN.sub(lambda match: " " * len(match[0]), text), places  # the page has no words of its tags


def _parts(text):
    """List the groups of digits in a site's text, each with its place in it; without any, the text itself."""
    digits = [(match.start(), group) for match in _DIGITS.finditer(text) for group in _groups(match[0])]
    return digits or [(0, text)]


class _Alignment:
    """Which place of a notebook's text a place of the page comes from, told by what stands around it."""

    def __init__(self, text, source, pattern):
        here, there = list(pattern.finditer(text)), list(pattern.finditer(source))
        self.signs, self.source_signs = ([match.start() for match in found] for found in (here, there))
        self.end = len(source)
        matcher = difflib.SequenceMatcher(
            None, [match[0] for match in here], [match[0] for match in there], autojunk=False
        )
        self.to = {}
        for block in matcher.get_matching_blocks():
            self.to.update({block.a + step: block.b + step for step in range(block.size)})
        self.known = sorted(self.to)

    def gap(self, start, end):
        """The stretch of source between what stands before `start` and what stands from `end` on."""
        before = bisect.bisect_left(self.signs, start) - 1
        after = bisect.bisect_left(self.signs, end)
        left = bisect.bisect_right(self.known, before) - 1
        right = bisect.bisect_left(self.known, after)
        low = self.source_signs[self.to[self.known[left]]] + 1 if left >= 0 else 0
        high = self.source_signs[self.to[self.known[right]]] if right < len(self.known) else self.end
        return low, high


def report(examples):
    """Print, by kind, how many numbers stand on the built pages and how many no mutant reaches."""
    paths = changeable_pages()
    seen = [number for path in paths for number in coverage(path)]
    by_kind = collections.defaultdict(list)
    for number in seen:
        by_kind[number.kind].append(number)
    missed = [number for number in seen if not number.reached and number.kind not in REASONS]
    print(f"{len(seen)} numbers on {len(paths)} pages; no mutant reaches {len(missed)}, for no stated reason")
    for kind, numbers in sorted(by_kind.items()):
        out = [number for number in numbers if not number.reached]
        reason = f" ({REASONS[kind]})" if out and kind in REASONS else ""
        print(f"  {kind}: {len(numbers) - len(out)} of {len(numbers)} reached{reason}")
        for number in out[:examples] if kind not in REASONS else ():
            print(f"    {number.page}: {number.text} in “{number.context}”")
