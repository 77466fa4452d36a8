"""Which release a paper grew from, so that nobody is marked with other numbers than those handed out.

A release writes its set's name, a digest of its numbers and, with a roster, a tag into the notebook's
metadata. Where an editor has dropped them, the numbers in the paper's own cells of givens tell.
"""

import ast

from book_grading import words
from book_grading.source_notebooks import Unreadable
from book_grading.variants import ASSIGNMENT, numbers_of, tag_for


def check_handed_out(assignment, submission, student=None, roster=(), secret=None):
    """Return what to note about a paper's release, as a list; ``assignment`` has the student's own numbers.

    Raises Unreadable, with the release that is needed, for a paper that had other numbers.
    """
    if not any(cell.variant for cell in assignment.cells):
        return []
    release = submission.release
    tagged = "tag" in release
    if tagged and release.get("set", assignment.name) != assignment.name:
        raise Unreadable(words.renamed_set(release["set"][:60], assignment.name))
    if tagged and secret is None:
        raise Unreadable(words.NEEDS_ROSTER)
    if tagged and release["tag"] != tag_for(secret, assignment.name, student):
        for other in roster:
            if release["tag"] == tag_for(secret, assignment.name, other):
                return [words.given_to(other)]
        raise Unreadable(words.UNKNOWN_RELEASE)
    if "numbers" in release:
        if release["numbers"] != numbers_of(assignment):
            raise Unreadable(words.NUMBERS_CHANGED)
    elif other := other_numbers(assignment, submission):
        raise Unreadable(words.other_numbers(other))
    return []


def other_numbers(assignment, submission):
    """List the givens for which a paper holds another of the set's choices, not just a student's edit."""
    handed = {cell.grade_id: assigned(cell.source) for cell in submission.cells if cell.grade_id}
    found = []
    for cell in assignment.cells:
        own, theirs = assigned(cell.source) if cell.variant else {}, handed.get(cell.grade_id, {})
        for group in cell.variant:
            values = [theirs.get(name) for name in group["names"]]
            if values in group["choices"] and values != [own[name] for name in group["names"]]:
                found += group["names"]
    return found


def assigned(source):
    """Return {name: value} of a cell's lines that assign a literal; of no more than a cell of givens has."""
    values = {}
    for line in source[:4000].split("\n"):
        match = ASSIGNMENT.match(line)
        if match:
            try:
                values[match["name"]] = ast.literal_eval(match["value"])
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
    return values
