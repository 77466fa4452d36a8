"""Cut a page's Markdown into the pieces that the audit looks at: text, bound values, mathematics, links.

markdown-it-py reads the Markdown and Python's own parser the HTML in it. Places in the source are kept, so
that every finding can name its line. What is structure and not a printed number falls away: marks, tags,
addresses, the numbers of a list.
"""

import bisect
import dataclasses
import functools
import re
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from book_tools.audit.tables import read_table
from book_tools.audit.words import number_words
from book_tools.language import CHINESE

_PARSER = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, allow_labels=False)
_PARSER.disable("text_join")  # escaped marks and entities stay apart, with what stands for them in the source


@dataclasses.dataclass(frozen=True)
class Piece:
    """A piece of a cell: its kind, text, place and key.

    Kinds: text, data (bound to the key), guess and option (key: the expression that tells the answer), math,
    display, code, literal, alt, list (key: the right number); numbered (a typed number; key: eq, fig, tab,
    ex, section, answer), anchor (key: its id), reference (key: where it leads), foreign (markup that is not
    plain Markdown), apart (a link that is not written [text](address)).
    """

    kind: str
    text: str
    start: int
    key: str = ""


_TAG = re.compile(r"\\tag\{([^}]*)\}")
_LINK_END = re.compile(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_ADDRESS = re.compile(r"https?://[^\s)>\]，。；、）]+")
_FOREIGN = re.compile(r"\{[a-zA-Z][\w:+-]*\}$|^\([\w-]+\)=$|^:{3,}\{?")
_NAME_DIGITS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*-?\d[\w-]*|\d+[A-Za-z_][\w-]*")


class Lines:
    """Turn a position in a text into its line, counting from 1."""

    def __init__(self, text):
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def at(self, position):
        return bisect.bisect_right(self.starts, position)


@functools.cache
def names():
    """Proper names that hold digits (GPT-2), longest first; they are names, not numbers."""
    path = Path(__file__).with_name("names.csv")
    return tuple(sorted((row["name"] for _, row in read_table(path, ["name", "why"])), key=len, reverse=True))


@functools.cache
def _names_pattern():
    alternatives = "|".join(re.escape(name) for name in names())
    return re.compile(rf"(?<![A-Za-z0-9])(?:{alternatives})(?![A-Za-z0-9])")


@functools.cache
def _bare_pattern(language):
    units = "|".join([*language.numbers.multipliers, "%", "‰"])
    return re.compile(rf"\d+(?:,\d{{3}})*(?:\.\d+)?(?:\s?(?:{units}))?|[⁰¹²³⁴-⁹₀-₉½⅓⅔¼¾①-⑳]+")


def pieces(markdown, language=CHINESE):
    """List the pieces of a Markdown text, in order."""
    reader = _Reader(markdown, language)
    for token in _PARSER.parse(markdown):
        reader.block(token)
    return sorted(
        (piece for piece in reader.found if piece.text.strip() or piece.key), key=lambda piece: piece.start
    )


class _Reader(HTMLParser):
    """Collects the pieces of one text; `place` moves on through the source with the parser's tokens."""

    def __init__(self, markdown, language):
        super().__init__(convert_charrefs=False)
        self.numbered = language.marks.numbered
        self.source, self.starts = markdown, Lines(markdown).starts
        self.found, self.place, self.origin = [], 0, 0
        self.where, self.lists = "", []
        self.bound, self.link = [], None

    def add(self, kind, text, start, key=""):
        self.found.append(Piece(kind, text, start, key))

    def take(self, text):
        """Find the next place of a text, and go behind it; a blank in it may be a line end."""
        loose = r"[\s>]+".join(map(re.escape, text.split()))
        start = self.source.find(text, self.place)
        if start < 0:
            found = re.compile(loose).search(self.source, self.place)
            start, text = found.start(), found[0]
        self.place = start + len(text)
        return start

    def slice(self, token):
        """Return where a block begins, and its source."""
        start = self.starts[token.map[0]]
        end = self.starts[token.map[1]] if token.map[1] < len(self.starts) else len(self.source)
        self.place = end
        return start, self.source[start:end]

    def block(self, token):
        kind = token.type
        if kind in ("heading_open", "heading_close"):
            self.where = token.tag if kind == "heading_open" else ""
        elif kind == "ordered_list_open":
            self.lists.append(0)
        elif kind == "ordered_list_close":
            self.lists.pop()
        elif kind == "list_item_open" and token.info:
            self.item(token)
        elif kind == "inline":
            self.place = max(self.place, self.starts[token.map[0]])
            for child in token.children:
                self.inline(child)
        elif kind == "math_block":
            start, text = self.slice(token)
            self.display(text.strip().strip("$"), start + text.index("$$") + 2)
        elif kind in ("fence", "code_block"):
            start, text = self.slice(token)
            if token.info.startswith("{"):
                self.add("foreign", token.info, start)
            skipped = text.index("\n") + 1 if kind == "fence" else 0
            self.add(
                "literal",
                self.source[start + skipped : start + len(text.rstrip().rstrip("`~"))],
                start + skipped,
            )
        elif kind == "html_block":
            self.html(*self.slice(token))

    def item(self, token):
        """A list's numbers begin with 1 and leave no gap: renderers look at the first one alone."""
        self.lists[-1] += 1
        if token.info != str(self.lists[-1]):
            start = self.source.index(token.info, self.starts[token.map[0]])
            self.add("list", token.info, start, str(self.lists[-1]))

    def display(self, text, start):
        for tag in _TAG.finditer(text):
            self.add("numbered", tag[1], start + tag.start(1), "eq")
        self.add("display", _TAG.sub(lambda tag: " " * len(tag[0]), text), start)

    def inline(self, token):
        kind, content = token.type, token.content
        if kind == "html_inline":
            self.html(self.take(content), content)
        elif kind == "link_open":
            self.link = (
                token.attrGet("href"),
                token.markup == "autolink",
                self.take("<" if token.markup else "[") + 1,
            )
        elif kind == "link_close":
            self.close_link()
        elif kind in ("strong_open", "strong_close"):
            self.where = "strong" if kind == "strong_open" else ""
        elif kind == "image":
            start = self.take("![") + 2
            self.add("alt", content, start)
            self.place = _LINK_END.search(self.source, start).end()
        elif kind == "text_special":
            self.take(token.markup)
        elif content:
            kind = {"code_inline": "code", "math_inline": "math", "math_inline_double": "display"}.get(
                kind, "text"
            )
            start = self.take(content)
            if kind == "text":
                self.text(content, start)
            elif self.bound:
                if kind == "math" and self.source[: start - 1].endswith('">'):
                    self.add("touching", content, start)
            else:
                if kind == "code" and _FOREIGN.search(
                    self.source[: start - len(token.markup)].split("\n")[-1]
                ):
                    self.add("foreign", content, start)
                self.add(kind, self.source[start : self.place], start)

    def close_link(self):
        (address, automatic, start), self.link = self.link, None
        if automatic:
            return
        end = _LINK_END.match(self.source, self.source.index("]", self.place))
        if end is None:
            self.add("apart", self.source[start : self.place], start)
            return
        self.place = end.end()
        if not re.match(r"[a-z]+:", address):
            self.add("reference", self.source[start : end.start()], start, address)

    def text(self, text, start):
        if self.bound or (self.link and (self.link[1] or not re.match(r"[a-z]+:", self.link[0]))):
            return
        if _FOREIGN.search(text) and not text.endswith("}"):
            self.add("foreign", text, start)
        for key, pattern in self.numbered.get(self.where, ()):
            if match := pattern.search(text):
                self.add("numbered", match[1], start + match.start(1), key)
                text = text[: match.start(1)] + " " * len(match[1]) + text[match.end(1) :]
        self.add("text", _ADDRESS.sub(lambda match: " " * len(match[0]), text), start)

    def html(self, start, text):
        """Read a piece of HTML, a whole block or one tag within a line."""
        self.origin, self.html_lines = start, Lines(text).starts
        self.reset()
        self.feed(text)
        self.close()

    def here(self):
        line, column = self.getpos()
        return self.origin + self.html_lines[line - 1] + column

    def handle_starttag(self, tag, attributes):
        values, start = dict(attributes), self.here()
        end = start + len(self.get_starttag_text())
        if tag == "data":
            mark = values.get("class")
            kind = mark if mark in ("guess", "option") else "data"
            self.bound.append((values.get("value", ""), end, kind))
        elif tag == "a" and values.get("id"):
            self.add("anchor", "", start, values["id"])
        elif tag == "a" and values.get("href"):
            self.add("apart", values["href"], start)
        elif tag == "summary":
            self.where = "summary"
        for name in ("alt", "title", "aria-label"):
            if values.get(name):
                self.add("alt", values[name], self.source.index(values[name], start))

    def handle_endtag(self, tag):
        if tag == "data" and self.bound:
            key, start, kind = self.bound.pop()
            self.add(kind, self.source[start : self.here()], start, key)
        elif tag == "summary":
            self.where = ""

    def handle_comment(self, data):
        """A comment right after a tag stands there for VS Code, which draws no formula right after one."""
        start = self.here()
        if self.bound and self.bound[-1][1] == start:
            key, _, kind = self.bound.pop()
            self.bound.append((key, start + len(f"<!--{data}-->"), kind))

    def handle_data(self, data):
        self.text(data, self.here())


def bare_numbers(text, language=CHINESE):
    """Yield (number, offset, is_name) for each number in running text, also those in words; listed proper
    names left out.
    """
    text = _names_pattern().sub(lambda match: " " * len(match[0]), text)
    for match in _NAME_DIGITS.finditer(text):
        yield match[0], match.start(), True
    text = _NAME_DIGITS.sub(lambda match: " " * len(match[0]), text)
    pattern = _bare_pattern(language)
    found = [(match[0], match.start()) for match in pattern.finditer(text)]
    found += number_words(pattern.sub(lambda match: " " * len(match[0]), text), language)
    for number, start in sorted(found, key=lambda pair: pair[1]):
        yield number, start, False
