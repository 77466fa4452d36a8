"""What teacher and students get of one set: sheets, pages, uploads; each whole, in the set's own folder."""

from book_grading import (
    by_hand,
    class_report,
    exports,
    feedback,
    hand_marks,
    mathematics,
    sheets,
    similar,
    words,
)
from book_grading.handed_in import NO_RULES, settle
from book_grading.merged import merge
from book_grading.pages import number, write_page
from book_grading.roster import NOBODY


def write_all(folder, assignment, outcomes, roster=NOBODY, hand_path=None, *, rules=NO_RULES, cells=None):
    """Write every report of a set into ``folder``; return the merged papers and the remarks for the teacher.

    ``outcomes`` lists (paper, result); ``cells`` gives the Submission of each paper's name, for the page of
    answers that are alike. The hand marks come from ``hand-marks.csv`` in the folder, as an earlier run left
    it and the teacher filled it in, and from ``hand_path``, which goes before; what was filled in is never
    lost. Raises BadSheet before anything is written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    marks = read_marks(folder, assignment, hand_path)
    marked = merge(settle(outcomes, rules), roster, marks, rules)
    rendered = render(assignment, marked)
    write_tables(folder, assignment, marked)
    rows = hand_marks.rows(assignment, marked, marks, number)
    sheets.write_sheet(folder / "hand-marks.csv", words.HAND_HEADER, rows)
    if assignment.by_role("derivation"):
        by_hand.write_by_hand(folder, assignment, marked, marks, rendered)
    submissions = [(cells or {}).get(one.paper.name) for one in marked]
    page = similar.similar_page(assignment, marked, submissions)
    write_page(folder / "similar.html", words.SIMILAR.format(assignment.title), page)
    exports.write_exports(folder, assignment, marked)
    feedback.write_feedback(folder, assignment, marked, rendered)
    exports.write_all_sets(folder.parent)
    present = {one.key for one in marked}
    strays = sorted({key for key, _ in marks if key not in present})
    return marked, [words.no_such_paper(strays)] if strays else []


def write_running(folder, assignment, outcomes, roster=NOBODY, rules=NO_RULES):
    """Write the totals and the class page of a run that is not over; the teacher's own sheets stay alone."""
    marks = read_marks(folder, assignment)
    write_tables(folder, assignment, merge(settle(outcomes, rules), roster, marks, rules))


def read_marks(folder, assignment, hand_path=None):
    """Return the hand marks that there are, those of ``hand_path`` before the folder's; raise BadSheet."""
    kept = folder / "hand-marks.csv"
    marks = hand_marks.read(kept, assignment) if kept.exists() else {}
    return marks | (hand_marks.read(hand_path, assignment) if hand_path else {})


def render(assignment, marked):
    """Return {text: safe HTML} for every written answer, question and model answer."""
    texts = by_hand.texts_of(assignment, marked)
    return dict(zip(texts, mathematics.render(texts), strict=True))


def write_tables(folder, assignment, marked):
    """Write marks.csv, totals.csv and the class page."""
    sheets.write_sheet(folder / "marks.csv", words.MARK_HEADER, mark_rows(marked))
    totals = [total_row(one, assignment) for one in marked]
    sheets.write_sheet(folder / "totals.csv", words.TOTAL_HEADER, totals)
    title = words.CLASS.format(assignment.title)
    write_page(folder / "summary.html", title, class_report.summary(assignment, marked))


def mark_rows(marked):
    """Yield one row for each paper and item."""
    for one in marked:
        who = (one.paper.student or "", one.student.name, one.paper.name)
        if one.problem:
            yield (*who, "", "", "", "", words.STATES["no mark"], one.problem)
        for line in one.lines:
            said = " ".join([*line.messages, *([line.comment] if line.comment else [])])
            numbers = (number(line.most), number(line.points))
            yield (*who, line.id, line.title, *numbers, words.STATES[line.state], said)


def total_row(one, assignment):
    """Return a paper's row; a total that is not certain yet stays empty, and the remark says why."""
    student = (one.paper.student or "", one.student.name, one.student.group)
    sums = [number(value) for value in (one.automatic, one.by_hand, one.total, sum(assignment.most))]
    return (*student, one.paper.name, *sums, words.SEMICOLON.join(one.notes))
