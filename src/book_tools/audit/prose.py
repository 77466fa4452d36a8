"""Cut a page's Markdown into the pieces that the audit looks at: text, bound values, mathematics, code.

Positions are kept, so that every finding can name its line. What is structure and not a printed number
falls away: directive and fence marks, their options, labels, targets of references and links, tags, the
numbers of a list.
"""

import bisect
import dataclasses
import functools
import re
from pathlib import Path

from book_tools.audit.tables import read_table


@dataclasses.dataclass(frozen=True)
class Piece:
    """A piece of a cell: kind (text, data, math, display, code, literal, alt, list), text, place, key."""

    kind: str
    text: str
    start: int
    key: str = ""


# Directives whose argument is a title that readers see; the argument of any other is a path or a label.
_TITLED = re.compile(
    r"admonition|note|tip|warning|hint|important|caution|danger|error|attention|seealso|dropdown|"
    r"table|list-table|csv-table|exercise|exercise-start|topic|card|"
    r"grid-item-card|tab-item|margin|sidebar|prf:proof|prf:theorem|prf:lemma|prf:definition|"
    r"prf:property|prf:proposition|prf:example|prf:remark"
)
_LITERAL = {"code", "code-block", "code-cell", "literalinclude", "sourcecode", "parsed-literal"}
_VISIBLE_OPTIONS = {"alt": "alt", "caption": "text", "title": "text"}

_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,}|:{3,})(?:\{(?P<directive>[^}]*)\})?(?P<argument>.*)$")
_OPTION = re.compile(r"^\s*:(?P<name>[\w-]+):(?P<value>.*)$")
_LIST = re.compile(r"^(?P<indent>[\s>]*)(?P<number>\d+)[.)]\s")
_INLINE = re.compile(
    r"""
    (?P<comment><!--.*?-->)
  | <data\s+value="(?P<key>[^"]*)"[^>]*>(?P<bound>.*?)</data>
  | \$\$(?P<display>.*?)\$\$(?:[ ]*\([\w-]+\))?
  | (?P<environment>\\begin\{(?P<name>equation|align|gather|multline)\*?\}.*?\\end\{(?P=name)\*?\})
  | \{(?P<role>[a-zA-Z][\w:+-]*)\}`(?P<target>[^`]*)`
  | (?P<ticks>`+)(?P<code>.+?)(?P=ticks)
  | (?<!\\)\$(?P<math>[^$]+?)(?<!\\)\$
  | !\[(?P<alt>[^\]]*)\]\([^)]*\)
  | (?P<link>\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+"[^"]*")?\))
  | (?P<address><https?://[^>]*>|https?://[^\s)>\]，。；、）]+)
  | (?P<footnote>\[\^[\w-]+\]:?)
  | (?P<entity>&\#?\w+;)
  | (?P<attributes>(?<=[\])`])\{[^}]*\}|^\{[^}]*\}$)
  | (?P<tag></?[a-zA-Z][^>]*>)
  | (?P<escape>\\[^\w\s])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_SPOKEN_ATTRIBUTE = re.compile(r'(?:alt|title|aria-label)="([^"]*)"')
_TITLE = re.compile(r"^(.*?)\s*<[^<>]*>$", re.DOTALL)
_NAME_DIGITS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*-?\d[\w-]*|\d+[A-Za-z_][\w-]*")
_BARE = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:万|亿|%|‰))?|[⁰¹²³⁴-⁹₀-₉½⅓⅔¼¾①-⑳]+"
    r"|[零一二两三四五六七八九十百千万亿半]+分之[一二三四五六七八九十百千]+"
    r"|(?<![一二三四五六七八九十百千])[二两三四五六七八九十百千]+(?:倍|万(?!一)|亿)"
)


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


def pieces(markdown):
    """List the pieces of a Markdown text, in order."""
    found, masked = _blocks(markdown)
    position = 0
    for match in _INLINE.finditer(masked):
        found.append(Piece("text", masked[position : match.start()], position))
        found.extend(_inline(match))
        position = match.end()
    found.append(Piece("text", masked[position:], position))
    return sorted(
        (piece for piece in found if piece.text.strip() or piece.key), key=lambda piece: piece.start
    )


def _inline(match):
    if match["key"] is not None:
        yield Piece("data", match["bound"], match.start("bound"), match["key"])
    elif match["display"] is not None:
        yield Piece("display", match["display"], match.start("display"))
    elif match["environment"] is not None:
        yield Piece("display", match["environment"], match.start("environment"))
    elif match["role"] is not None:
        yield from _role(match)
    elif match["code"] is not None:
        yield Piece("code", match["code"], match.start("code"))
    elif match["math"] is not None:
        yield Piece("math", match["math"], match.start("math"))
    elif match["alt"] is not None:
        yield Piece("alt", match["alt"], match.start("alt"))
    elif match["tag"] is not None:
        for attribute in _SPOKEN_ATTRIBUTE.finditer(match["tag"]):
            yield Piece("alt", attribute[1], match.start("tag") + attribute.start(1))


def _role(match):
    """A role prints its title or looks its number up; `math` and `code` roles hold what their names say."""
    name, target, start = match["role"], match["target"], match.start("target")
    if name == "math":
        yield Piece("math", target, start)
    elif name in ("code", "kbd", "command", "samp"):
        yield Piece("code", target, start)
    elif name in ("sub", "sup", "abbr", "guilabel", "strong", "emphasis"):
        yield Piece("text", target, start)
    else:
        title = _TITLE.match(target)
        if title:
            yield Piece("text", title[1].replace("%s", "  "), start)


def _blocks(markdown):
    """Take out fences, options, comments, targets and list numbers; return what they print, and the masked
    rest.
    """
    found, lines, stack = [], [], []
    position, options, last_number = 0, False, {}
    body_start = 0
    for line in markdown.split("\n"):
        fence = _FENCE.match(line)
        masked = line
        inside = stack[-1] if stack else None
        if fence and inside and _closes(fence, inside):
            stack.pop()
            if inside["kind"] != "prose":
                found.append(Piece(inside["kind"], "\n".join(inside["lines"]), inside["start"]))
            masked, options = " " * len(line), False
        elif inside and inside["kind"] != "prose":
            option = _OPTION.match(line) if options else None
            if option:
                found.extend(_option_pieces(option, position))
                inside["start"] = position + len(line) + 1
            else:
                options = options and not line.strip() and not inside["lines"]
                inside["lines"].append(line)
            masked = " " * len(line)
        elif fence:
            stack.append(_opened(fence))
            body_start = position + len(line) + 1
            stack[-1]["start"] = body_start
            options = fence["directive"] is not None
            titled = _TITLED.fullmatch(fence["directive"] or "") and fence["argument"].strip()
            kept = fence.start("argument") if titled else len(line)
            masked = " " * kept + line[kept:]
        elif options and inside and _OPTION.match(line):
            found.extend(_option_pieces(_OPTION.match(line), position))
            masked = " " * len(line)
        else:
            options = options and not line.strip()
            if re.match(r"^\s*(?:%|\([\w-]+\)=\s*$|\[[^\]^]+\]:\s)", line):
                masked = " " * len(line)
            elif number := _LIST.match(line):
                expected = last_number.get(number["indent"], 0) + 1
                if int(number["number"]) != expected:
                    found.append(
                        Piece("list", number["number"], position + number.start("number"), str(expected))
                    )
                last_number = {
                    indent: n for indent, n in last_number.items() if len(indent) < len(number["indent"])
                }
                last_number[number["indent"]] = int(number["number"])
                masked = " " * number.end() + line[number.end() :]
            elif line.strip() and not line.startswith((" ", "\t", ">")):
                last_number = {}
        lines.append(masked)
        position += len(line) + 1
    for unclosed in stack:
        if unclosed["kind"] != "prose":
            found.append(Piece(unclosed["kind"], "\n".join(unclosed["lines"]), unclosed["start"]))
    return found, "\n".join(lines)


def _closes(fence, opened):
    mark = fence["mark"]
    bare = fence["directive"] is None and not fence["argument"].strip()
    return bare and mark[0] == opened["mark"][0] and len(mark) >= len(opened["mark"])


def _opened(fence):
    directive = fence["directive"]
    if directive is None:
        kind = "prose" if fence["mark"][0] == ":" else "literal"
    else:
        kind = "display" if directive == "math" else "literal" if directive in _LITERAL else "prose"
    return {"mark": fence["mark"], "kind": kind, "lines": [], "start": 0}


def _option_pieces(option, position):
    kind = _VISIBLE_OPTIONS.get(option["name"])
    if kind:
        yield Piece(kind, option["value"], position + option.start("value"))


def bare_numbers(text):
    """Yield (number, offset, is_name) for each number in running text, listed proper names left out."""
    text = _names_pattern().sub(lambda match: " " * len(match[0]), text)
    for match in _NAME_DIGITS.finditer(text):
        yield match[0], match.start(), True
    text = _NAME_DIGITS.sub(lambda match: " " * len(match[0]), text)
    for match in _BARE.finditer(text):
        yield match[0], match.start(), False
