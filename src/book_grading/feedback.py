"""What each student gets: one page, and a zip of all pages with a folder a student."""

import hashlib
import re

from book_grading import sheets, words
from book_grading.pages import bullets, number, paragraph, text, write_page
from book_grading.release import safe_name, zip_bytes

MOODLE_FOLDER = re.compile(r"[^/]+_assignsubmission_\w+")


def write_feedback(folder, assignment, marked, answers):
    """Write a page for each paper and a zip of them; pages of files that are gone are removed.

    ``answers`` gives each written answer as safe HTML.
    """
    pages = folder / "feedback"
    pages.mkdir(exist_ok=True)
    names, archive = page_names(marked), {}
    for one, name in zip(marked, names, strict=True):
        label = one.student.label or one.paper.name
        title = one.entry.result.get("title", assignment.title)
        with words.speaking(one.entry.language):
            path = pages / f"{name}.html"
            write_page(path, f"{title}{words.COLON}{label}", feedback(one, answers))
        folder_name = moodle_folder(one) or name
        archive[f"{folder_name}/{assignment.name}.html"] = path.read_bytes()
    for path in pages.glob("*.html"):
        if path.stem not in names:
            path.unlink()
    sheets.write_whole(folder / "feedback.zip", zip_bytes(archive))


def page_names(marked):
    """Return a file name for each paper: the student, and a digest of the file where that is taken."""
    names, taken = [], set()
    for one in marked:
        name = safe_name(one.student.label or one.paper.name.removesuffix(".ipynb"))
        if name.casefold() in taken:
            digest = hashlib.sha256(one.paper.name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
            name = f"{name}-{digest}"
        taken.add(name.casefold())
        names.append(name)
    return names


def moodle_folder(one):
    """Return the folder that Moodle made for a paper, so that it takes the zip back; None if it did not."""
    top = one.paper.name.split("/")[0]
    return top if MOODLE_FOLDER.fullmatch(top) else None


def feedback(one, answers):
    """Return the body of a student's page."""
    parts = [paragraph(f"{words.FILE}{words.COLON}{one.paper.name}")]
    if one.problem:
        return "\n".join([*parts, paragraph(words.ASK_TEACHER.format(one.problem), note=True)])
    most = number(sum(line.most for line in one.lines))
    sums = [shown(value) for value in (one.automatic, one.by_hand, one.total)]
    parts.append(paragraph(words.SUMS.format(*sums, most)))
    parts += [] if one.entry.counts else [paragraph(words.NOT_COUNTED, note=True)]
    parts += [paragraph(note, note=True) for note in one.notes]
    for line in one.lines:
        parts += written_part(line, answers) if line.by_hand else test_part(line)
    return "\n".join(parts)


def heading(line, unknown):
    """Return an item's heading with its points."""
    points = unknown if line.points is None else number(line.points)
    return f"<h2>{text(line.title)}{words.COLON}{points} / {number(line.most)}</h2>"


def test_part(line):
    """Return what a page says of an automatic item."""
    parts = [heading(line, words.UNCERTAIN)]
    if line.comment:
        parts.append(paragraph(words.ADJUSTED.format(line.comment)))
    if line.state == "full":
        return [*parts, paragraph(words.ALL_RIGHT)]
    return [*parts, bullets(line.messages if line.state != "broken test" else [words.BROKEN_TEST])]


def written_part(line, answers):
    """Return what a page says of a written answer."""
    parts = [heading(line, words.TO_BE_MARKED)]
    parts += [paragraph(line.comment)] if line.comment else []
    return [*parts, answers[line.text] if line.text else paragraph(words.NO_ANSWER)]


def shown(value):
    """Show a number that may not be certain yet."""
    return words.UNCERTAIN if value is None else words.NUMBER.format(number(value))
