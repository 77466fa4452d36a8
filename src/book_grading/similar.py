"""Answers that are alike, listed for the teacher to judge; nothing follows from them by itself.

Answers are compared as sets of runs of K tokens (Schleimer, Wilkerson and Aiken, "Winnowing", 2003), once as
written and once with comments gone and names numbered. Short answers, and what many have alike, say nothing
and are left out. The work is bounded: tokens of an answer, pairs shown.
"""

import io
import keyword
import tokenize
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations

from book_grading import words
from book_grading.pages import paragraph, text
from book_grading.source_notebooks import released
from book_grading.texts import plain

RUN = 5
SHORTEST = 40  # tokens of code, or characters of prose
MOST_TOKENS = 4000
NEAR = 0.8
COMMON_SHARE = 0.1  # a form that more than this share of the class has (and more than two) is left out
MOST_PAIRS = 60
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Answer:
    """One answer of one paper: its text, its tokens with names numbered, and their runs."""

    paper: int
    title: str
    source: str
    form: tuple
    runs: frozenset


def code_form(source):
    """Return code as tokens with comments gone and names numbered in order; words of broken code."""
    numbers, form = {}, []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                form.append(numbers.setdefault(token.string, len(numbers)))
            elif token.type not in SKIPPED:
                form.append(token.string.strip() or tokenize.tok_name[token.type])
            if len(form) >= MOST_TOKENS:
                break
    except (tokenize.TokenError, SyntaxError, ValueError):
        form = source.split()[:MOST_TOKENS]
    return tuple(form)


def prose_form(source):
    """Return prose as its characters, blanks gone."""
    return tuple("".join(source.split())[:MOST_TOKENS])


def answers_of(assignment, submissions):
    """List the answers long enough to compare, by item: {grade_id: [Answer]}."""
    found = defaultdict(list)
    for cell in assignment.cells:
        if cell.role not in ("answer", "derivation"):
            continue
        form_of = code_form if cell.role == "answer" else prose_form
        stub = len(form_of(released(cell)))
        for number, submission in enumerate(submissions):
            parts = [c.source for c in submission.cells if c.grade_id == cell.grade_id] if submission else []
            source = plain("\n\n".join(parts).strip()[: 20 * MOST_TOKENS], layout="\n\t")
            form = form_of(source)
            if len(form) >= stub + SHORTEST:
                runs = frozenset(hash(form[i : i + RUN]) for i in range(len(form) - RUN + 1))
                found[cell.grade_id].append(Answer(number, cell.title or cell.grade_id, source, form, runs))
    return found


def alike(answers, papers):
    """Yield (kind, one, other) for the pairs of one item's answers that are alike and not common."""
    most = max(2, COMMON_SHARE * papers)
    count = Counter(answer.form for answer in answers)
    rare = [answer for answer in answers if count[answer.form] <= most]
    for one, other in combinations(rare, 2):
        if one.source == other.source:
            yield "same", one, other
        elif one.form == other.form:
            yield "renamed", one, other
        elif len(one.runs & other.runs) >= NEAR * len(one.runs | other.runs):
            yield "near", one, other


def similar_pairs(assignment, submissions):
    """Return [((paper, other), [(kind, answer, answer)])], the pairs with most in common first."""
    pairs = defaultdict(list)
    for answers in answers_of(assignment, submissions).values():
        for kind, one, other in alike(answers, len(submissions)):
            pairs[one.paper, other.paper].append((kind, one, other))
    weight = {"same": 3, "renamed": 2, "near": 1}
    return sorted(pairs.items(), key=lambda pair: -sum(weight[kind] for kind, *_ in pair[1]))


def similar_page(assignment, marked, submissions):
    """Return the body of the page that lists pairs of papers with answers alike, side by side."""
    parts = [paragraph(words.SIMILAR_HELP)]
    pairs = similar_pairs(assignment, submissions)
    if not pairs:
        parts.append(paragraph(words.NO_SIMILAR))
    for (one, other), found in pairs[:MOST_PAIRS]:
        names = [marked[number].student.label or marked[number].paper.name for number in (one, other)]
        parts.append(f"<details><summary>{text(words.SIMILAR_PAIR.format(*names, len(found)))}</summary>")
        for kind, mine, theirs in found:
            parts.append(f"<h2>{text(mine.title)}{words.COLON}{text(words.SIMILAR_KINDS[kind])}</h2>")
            texts = [mine.source] if kind == "same" else [mine.source, theirs.source]
            shown = "".join(f"<pre>{text(source)}</pre>" for source in texts)
            parts.append(f'<div class="pair">{shown}</div>' if len(texts) > 1 else shown)
        parts.append("</details>")
    if len(pairs) > MOST_PAIRS:
        parts.append(paragraph(words.SIMILAR_MORE.format(len(pairs) - MOST_PAIRS)))
    return "\n".join(parts)
