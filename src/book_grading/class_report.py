"""The class at a glance: distribution, success of each item, common mistakes, what needs the teacher."""

import statistics
from collections import Counter

from book_grading import words
from book_grading.pages import bars, bullets, number, paragraph, table, text

BINS = 10


def summary(assignment, marked):
    """Return the body of the class summary."""
    papers = [one for one in marked if one.paper.path is not None]
    counted = [one for one in marked if one.lines and one.entry.counts]
    return "\n".join(
        [
            paragraph(words.COUNTS.format(len(papers), sum(bool(one.lines) for one in papers))),
            *distribution(counted, assignment.most),
            f"<h2>{words.EACH_ITEM}</h2>",
            table(words.ITEM_HEADER, item_rows(assignment, counted)),
            *mistakes(assignment, counted),
            f"<h2>{words.NEEDS_TEACHER}</h2>",
            attention(marked),
            f"<h2>{words.EVERYBODY}</h2>",
            table(words.EVERYBODY_HEADER, map(paper_row, marked)),
        ]
    )


def distribution(counted, most):
    """Return median, mean and a histogram of the totals; of the automatic marks while no total is certain.

    ``most`` gives the points that can be had (automatic, by hand).
    """
    what, totals, whole = words.TOTAL, [one.total for one in counted], sum(most)
    if all(total is None for total in totals):
        what, totals, whole = words.AUTOMATIC, [one.automatic for one in counted], most[0]
    totals = [total for total in totals if total is not None]
    if not totals:
        return [paragraph(words.NO_FIGURES)]
    figures = (statistics.median(totals), statistics.fmean(totals), max(totals), min(totals), whole)
    said = words.FIGURES.format(what, len(totals), *map(number, figures))
    return [
        paragraph(said),
        f"<h2>{words.DISTRIBUTION}</h2>",
        bars(words.DISTRIBUTION_HEADER, histogram(totals, whole)),
    ]


def histogram(totals, most):
    """Return {range of points: how many}, ten ranges of one width; the last holds its upper end."""
    width = most / BINS
    found = Counter(min(int(total / width), BINS - 1) for total in totals)
    return {f"{number(i * width)}–{number((i + 1) * width)}": found[i] for i in range(BINS)}


def item_rows(assignment, counted):
    """Yield one row for each item: its mean, the share of its points got, who got it all, who left it."""
    for i, first in enumerate(counted[0].lines if counted else ()):
        lines = [one.lines[i] for one in counted if one.lines[i].points is not None]
        mean = statistics.fmean(line.points for line in lines) if lines else 0
        full = sum(line.points == line.most for line in lines)
        blank = sum(one.lines[i].state in ("blank", "nothing written") for one in counted)
        shares = (
            [f"{100 * mean / first.most:.0f}%", f"{100 * full / len(lines):.0f}%"] if lines else ["—", "—"]
        )
        yield assignment.titles[first.id], number(first.most), f"{mean:.2f}" if lines else "—", *shares, blank


def mistakes(assignment, counted):
    """Return what the tests said most often, for each item."""
    parts = [f"<h2>{words.COMMON_MISTAKES}</h2>"]
    for i, first in enumerate(counted[0].lines if counted else ()):
        lines = [one.lines[i] for one in counted if one.lines[i].state != "blank"]
        said = Counter(message for line in lines for message in line.messages)
        common = [words.COMMON.format(count, message) for message, count in said.most_common(5)]
        parts += [f"<h3>{text(assignment.titles[first.id])}</h3>", bullets(common)] if common else []
    return parts


def attention(marked):
    """Return a list of what needs the teacher's eye."""
    notes = ((one.student.label or one.paper.name, note) for one in marked for note in one.notes)
    told = [f"{name}{words.COLON}{note}" for name, note in notes]
    return bullets(told) if told else paragraph(words.NOTHING)


def paper_row(one):
    """Return a paper's row: student, sums, remarks."""
    sums = [number(value) for value in (one.automatic, one.by_hand, one.total)]
    return one.student.label or one.paper.name, *sums, words.SEMICOLON.join(one.notes)
