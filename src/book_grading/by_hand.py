"""The page on which the teacher marks written answers: by question, with the model answer, by keyboard."""

import html
import re
from pathlib import Path

from book_grading import words
from book_grading.pages import number, paragraph, text, write_page

PICTURE = re.compile(r"!\[|<img", re.IGNORECASE)
SCRIPT = Path(__file__).with_name("by_hand.js")


def write_by_hand(folder, assignment, marked, marks, answers):
    """Write by-hand.html: each question, how it is marked, and everybody's answer with boxes to fill in.

    ``answers`` gives each text as safe HTML. What is typed is kept by the browser and saved as a
    hand-marks.csv; the page sends nothing anywhere.
    """
    parts = [
        paragraph(words.BY_HAND_HELP),
        f'<p class="bar-top"><button type="button" id="save">{words.SAVE}</button> '
        '<output id="progress"></output></p>',
    ]
    for cell in assignment.by_role("derivation"):
        parts.append(f"<section><h2>{text(cell.title)}</h2>{answers[question(assignment, cell)]}")
        parts.append(f"<details><summary>{words.MODEL_ANSWER}</summary>{answers[cell.source]}</details>")
        for one in marked:
            for line in one.lines if one.entry.counts else ():
                if line.id == cell.grade_id:
                    parts.append(one_answer(one, line, marks.get((one.key, line.id)), answers))
        parts.append("</section>")
    title = words.BY_HAND.format(assignment.title)
    write_page(folder / "by-hand.html", title, "\n".join(parts), script_of(assignment))


def script_of(assignment):
    """Return the page's script with the sheet's header and the set's name filled in."""
    script = SCRIPT.read_text(encoding="utf-8").replace("HEADER", ",".join(words.HAND_HEADER))
    return script.replace("PROGRESS", words.PROGRESS).replace("SET", assignment.name)


def question(assignment, cell):
    """Return the text that asks a question: the text cell before it, without its heading."""
    before = assignment.cells[: assignment.cells.index(cell)]
    asked = next((other.source for other in reversed(before) if other.role == "text"), "")
    return re.sub(r"\A#+ .*\n+", "", asked)


def texts_of(assignment, marked):
    """List every text of the page once: questions, model answers, students' answers."""
    cells = assignment.by_role("derivation")
    texts = [question(assignment, cell) for cell in cells] + [cell.source for cell in cells]
    texts += [line.text for one in marked for line in one.lines if line.by_hand and line.text]
    return list(dict.fromkeys(texts))


def one_answer(one, line, mark, answers):
    """Return one student's answer with its boxes."""
    title = one.student.label or one.paper.name
    known = {
        "id": one.paper.student or "", "name": one.student.name, "file": one.paper.name, "item": line.id,
        "title": line.title, "most": number(line.most), "version": line.version,
    }  # fmt: skip
    data = " ".join(f'data-{key}="{html.escape(str(value))}"' for key, value in known.items())
    notes = [words.PICTURE] if PICTURE.search(line.text) else []
    if line.changed:  # an old mark is not the mark of a new answer: it is told, and given again or not
        notes.append(words.marked_before(number(mark.points), mark.comment))
        mark = None
    shown = answers[line.text] if line.text else paragraph(words.NO_ANSWER)
    if line.text:
        shown += f"<details><summary>{words.SOURCE_TEXT}</summary><pre>{text(line.text)}</pre></details>"
    points, comment = (number(mark.points), mark.comment) if mark else ("", "")
    told = "".join(paragraph(note, note=True) for note in notes)
    return (
        f"<article {data}><h3>{text(title)}</h3>{told}{shown}"
        f'<p><label>{words.POINTS_BOX.format(number(line.most))} <input class="points" type="number" min="0" '
        f'max="{number(line.most)}" step="0.5" value="{points}"></label></p>'
        f'<p><label>{words.COMMENT_BOX} <textarea rows="1">{text(comment)}</textarea></label></p></article>'
    )
