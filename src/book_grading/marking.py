"""One submission to one result: answers run in the sandbox, the source's tests run here.

The submission's cells run in its own order, as Jupyter's run-all does. Givens and tests come from the source
whatever stands in their place; what a student wrote into them runs before, since an answer may need it. An
item is judged where its test stands, and again when all has run; the better counts. An item that still fails
is judged once more with the source's own solutions in place of earlier functions that failed.

Whoever sees a test's hidden inputs could send them home in an error's text, so that process's errors are told
by their type alone. Where that leaves a student without a word, a second process runs the cells and the
visible checks, and its errors are quoted.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from book_grading import words
from book_grading.identify import identify, tidy
from book_grading.source_notebooks import Submission, Unreadable, released, without_hidden_tests
from book_grading.student import Student, StudentError
from book_grading.texts import plain

LONGEST_DERIVATION = 20_000
QUESTIONS = ("answer", "test", "derivation")
MAGIC = re.compile(r"^[ \t]*(?:\w[\w, ]*= *)?(%{1,2}[a-z]\w*|!\w+)", re.MULTILINE)
RUN_MAGICS = {"%time", "%%time", "%timeit", "%%timeit", "%%capture", "%%prun", "%matplotlib"}


@dataclass
class Item:
    """A test cell and the answers that it judges."""

    test: object
    position: int
    answers: list


@dataclass
class Judged:
    """An item's row, how many cells had run by then, and whether the student's process was lost over it."""

    row: dict
    after: int
    lost: bool

    @property
    def withheld(self):
        """Whether a message leaves a student's own error text out."""
        return any(words.UNSEEN in message for message in self.row["messages"])


@dataclass
class Progress:
    """What has run of one submission."""

    student: Student
    givens_run: set = field(default_factory=set)
    errors: dict = field(default_factory=dict)
    ran: list = field(default_factory=list)  # (source, grade_id of an answer or None) of what did not end it
    judged: dict = field(default_factory=dict)

    def run(self, source, answer=None, extra=False):
        """Run a cell; keep how an answer failed."""
        self.errors.pop(answer, None)
        try:
            self.student.run(source, extra=extra)
        except StudentError as error:
            if answer is not None and not isinstance(error, NotImplementedError):
                self.errors[answer] = error
            if error.fatal:
                return
        self.ran.append((source, answer))


def items_of(assignment):
    """List the marked items: each test cell with the answer cells since the test before it."""
    items, answers = [], []
    for position, cell in enumerate(assignment.cells):
        if cell.role == "answer":
            answers.append(cell)
        elif cell.role == "test":
            items.append(Item(cell, position, answers))
            answers = []
    return items


def reference(assignment):
    """Return the source's own solutions as a submission."""
    return Submission(tuple(cell for cell in assignment.cells if cell.solution))


def mark(assignment, submission, open_sandbox):
    """Mark a submission; return a JSON-like result.

    {"items": [{"id", "title", "most", "points", "state", "messages"}], "derivations": [{"id", "title",
    "most", "text"}], "notes": [text]}; points are None where a test cell itself failed. Raises Unreadable
    for another set's notebook, MarkerFault where the marker failed. All is told in the set's language.
    """
    with words.speaking(assignment.language):
        return told_mark(assignment, submission, open_sandbox)


def told_mark(assignment, submission, open_sandbox):
    """Mark a submission in the language that is spoken, that of the set."""
    found = identify(assignment, submission)
    check_set(assignment, submission, found)
    items = items_of(assignment)
    with Student(open_sandbox, quotes=False) as student:
        progress = Progress(student)
        run_all(assignment, submission, found, items, progress)
        judge_at_the_end(assignment, items, progress)
        own = tuple(progress.ran)
        judge_with_solutions(assignment, items, progress)
    rows = [progress.judged[item.test.grade_id].row for item in items]
    if any(one.withheld for one in progress.judged.values()):
        quote_errors(assignment, items, progress, own, open_sandbox)
    return {
        "items": rows,
        "derivations": derivations(assignment, submission, found),
        "notes": [*submission.notes, *notes_on(assignment, submission, found)],
    }


def check_set(assignment, submission, found):
    """Raise Unreadable if no cell of the notebook is one of this set's questions.

    Sets share some marks (``intro``, ``setup``), so those of questions decide; where a notebook has lost all
    its marks, the questions that were found without them.
    """
    if not submission.cells:
        raise Unreadable(words.NO_CELLS)
    known = {cell.grade_id for cell in assignment.cells}
    questions = {cell.grade_id for cell in assignment.cells if cell.role in QUESTIONS}
    ids = {cell.grade_id for cell in submission.cells if cell.grade_id}
    recognised = any(assignment.cells[i].role in QUESTIONS for i in found if i is not None)
    if not recognised or (ids - known and not ids & questions):
        raise Unreadable(words.ANOTHER_SET)


# -- running


def run_all(assignment, submission, found, items, progress):
    """Run the submission's cells in order, judging each item where the last copy of its test stands."""
    of_test = {item.position: item for item in items}
    last = {i: place for place, i in enumerate(found)}
    for place, (cell, i) in enumerate(zip(submission.cells, found, strict=True)):
        if cell.kind != "code":
            continue
        if i is None:
            progress.run(cell.source, extra=True)
            continue
        known = assignment.cells[i]
        run_givens(assignment, progress, i)
        if known.role == "answer":
            if not untouched(cell, known):
                progress.run(cell.source, known.grade_id)
            continue
        if tidy(cell.source) != tidy(released(known)):
            progress.run(cell.source, extra=True)
        run_givens(assignment, progress, i + 1)
        if i in of_test and last[i] == place:
            judge_better(assignment, of_test[i], progress)


def untouched(cell, answer):
    """Say whether an answer cell is as it was handed out."""
    return tidy(cell.source) in ("", tidy(released(answer)))


def run_givens(assignment, progress, before):
    """Run, in the sandbox, the source's givens that stand before a position and have not run."""
    for i, cell in enumerate(assignment.cells[:before]):
        if cell.role == "given" and i not in progress.givens_run:
            progress.givens_run.add(i)
            progress.run(cell.source)


# -- judging


def judge_at_the_end(assignment, items, progress):
    """Judge what has no full marks in the state that the whole notebook leaves."""
    run_givens(assignment, progress, len(assignment.cells))
    for item in items:
        earlier = progress.judged.get(item.test.grade_id)
        if earlier is None or not (
            earlier.lost or earlier.row["state"] == "full" or earlier.after == len(progress.ran)
        ):
            judge_better(assignment, item, progress)


def judge_with_solutions(assignment, items, progress):
    """Judge what fails with solutions in place of the earlier functions that failed; say where it helps.

    From here on the process knows solutions, but of items before the one that is judged alone.
    """
    failed = []
    for item in items:
        before = progress.judged[item.test.grade_id]
        if failed and before.row["state"] in ("part", "wrong") and not before.lost:
            put_solutions(failed, item, progress)
            judge_better(assignment, item, progress)
            after = progress.judged[item.test.grade_id]
            if after is not before:
                said = words.with_solutions(map(name_of, failed))
                after.row["messages"].append(said)
        if before.row["state"] != "full":
            failed += [
                answer for answer in item.answers if {kind for _, kind in answer.answers} == {"function"}
            ]


def name_of(answer):
    """Name an answer cell by what it defines."""
    return words.AND.join(name for name, _ in answer.answers)


def put_solutions(failed, item, progress):
    """Run the solutions of answers that failed, then the item's own answers that did not run without."""
    own = {answer.grade_id for answer in item.answers} & set(progress.errors)
    again = [(source, answer) for source, answer in progress.ran if answer in own]
    for source, answer in [*((cell.source, None) for cell in failed), *again]:
        progress.run(source, answer, extra=True)


def judge_better(assignment, item, progress):
    """Judge an item and keep the row if it is the first, or better than the one before."""
    new = judge(assignment, item, progress)
    old = progress.judged.get(item.test.grade_id)
    if old is None or (new.row["points"] or 0) > (old.row["points"] or 0):
        progress.judged[item.test.grade_id] = new


def judge(assignment, item, progress, source=None):
    """Run a test cell (or the source given) here, on what the sandbox gives."""
    test, lost = item.test, []
    namespace = {"__name__": "__test__", "print": silent}
    for cell in assignment.cells[: item.position]:
        if cell.role == "given":
            exec(compile(cell.source, f"<{cell.grade_id}>", "exec"), namespace)
    errors = [progress.errors[cell.grade_id] for cell in item.answers if cell.grade_id in progress.errors]
    told = [describe(error) for error in errors]
    for cell in assignment.cells[: item.position]:
        if cell.role == "answer":
            told += bring_answers(namespace, cell, progress.student, lost, needed=cell in item.answers)
    row = {"id": test.grade_id, "title": test.title, "most": test.points, "points": None, "messages": []}
    try:
        exec(compile(source or test.source, f"<{test.grade_id}>", "exec"), namespace)
    except Exception as error:  # a test cell that fails says nothing about the student
        row |= {"state": "broken test", "messages": [words.test_failed(describe(error))]}
        return Judged(row, len(progress.ran), bool(lost))
    checks = namespace["checks"]
    points = min(max(checks.points, 0), test.points)
    # A test that finds no answer calls it missing, also where it failed.
    said = [plain(message) for message in checks.messages if not told or message != words.UNANSWERED]
    messages = [*(words.answer_failed(text) for text in told), *said]
    row |= {"points": points, "messages": messages, "state": state_of(points, test.points, messages)}
    return Judged(row, len(progress.ran), bool(lost))


def describe(error):
    """Tell an error in one line."""
    return plain(f"{type(error).__name__}: {error}")


def silent(*_args, **_kwargs):
    """Stand in for print while a test cell runs here."""


def bring_answers(namespace, cell, student, lost, needed):
    """Put a cell's answers into a test's namespace, functions as proxies; tell what is wrong with values."""
    told = []
    for name, kind in cell.answers:
        if kind == "function":
            namespace[name] = proxy(student, name, lost)
        elif needed:
            namespace[name] = ...
            try:
                namespace[name] = student.get(name)
            except NotImplementedError:
                continue
            except StudentError as error:
                told.append(words.value_failed(name, describe(error)))
    return told


def proxy(student, name, lost):
    """Return a function that calls the student's one, and no more once it has cost the process."""

    def ask(args, kwargs, look):
        if lost:
            raise lost[0]
        try:
            return student.call(name, args, kwargs, look)
        except StudentError as error:
            if error.fatal:
                lost.append(error)
            raise

    def call(*args, **kwargs):
        return ask(args, kwargs, look=False)

    call.arguments_after = lambda *args: ask(args, {}, look=True)
    return call


def state_of(points, most, messages):
    """Say in a word how an item went."""
    if points == most:
        return "full"
    if points > 0:
        return "part"
    return "blank" if messages == [words.UNANSWERED] else "wrong"


def quote_errors(assignment, items, progress, own, open_sandbox):
    """Put errors' own words where they were left out, from a process that sees visible checks alone.

    It runs the student's ``own`` cells: words of a process that has solutions could send these home.
    """
    with Student(open_sandbox) as student:
        second = Progress(student)
        for source, answer in own:
            second.run(source, answer)
        for item in items:
            judged = progress.judged[item.test.grade_id]
            if judged.withheld and judged.after <= len(own):
                visible = judge(assignment, item, second, without_hidden_tests(item.test.source)).row
                quoted = [text for text in visible["messages"] if words.RAN_INTO in text]
                kept = [text for text in judged.row["messages"] if not quoted or words.UNSEEN not in text]
                judged.row["messages"] = [*quoted, *kept]


# -- what is not marked here


def derivations(assignment, submission, found):
    """Collect the written answers, for the teacher to mark: each one's cells, and those added below it."""
    texts, current = {}, None
    for cell, i in zip(submission.cells, found, strict=True):
        if cell.kind == "markdown" and tidy(cell.source) not in ("", tidy(words.TEXT_STUB)):
            if i is not None and assignment.cells[i].role == "derivation":
                texts.setdefault(i, []).append(cell.source)
            elif i is None and current is not None:
                texts.setdefault(current, []).append(cell.source)
        if i is not None:
            near = [j for j in (i, i + 1) if j < len(assignment.cells)]
            current = next((j for j in near if assignment.cells[j].role == "derivation"), None)
    return [
        {
            "id": cell.grade_id,
            "title": cell.title,
            "most": cell.points,
            "text": plain("\n\n".join(texts.get(i, ()))[:LONGEST_DERIVATION], layout="\n\t"),
        }
        for i, cell in enumerate(assignment.cells)
        if cell.role == "derivation"
    ]


def notes_on(assignment, submission, found):
    """Say what was odd about a notebook's cells."""
    notes = []
    cells = assignment.cells
    pairs = [(cell, cells[i]) for cell, i in zip(submission.cells, found, strict=True) if i is not None]
    if not any(cell.grade_id for cell in submission.cells):
        notes.append(words.NO_MARKS_LEFT)
    else:
        present = {cell.grade_id for cell in submission.cells if cell.kind == "code"}
        missing = [cell.grade_id for cell in assignment.by_role("answer") if cell.grade_id not in present]
        notes += [words.missing_answers(missing)] if missing else []
    answered = [
        known.grade_id for cell, known in pairs if known.role == "answer" and not untouched(cell, known)
    ]
    twice = [grade_id for grade_id, count in Counter(answered).items() if count > 1]
    notes += [words.repeated_answers(twice)] if twice else []
    edited = [
        known.grade_id
        for cell, known in pairs
        if known.role in ("given", "test", "text") and tidy(cell.source) != tidy(released(known))
    ]
    edited = list(dict.fromkeys(edited))
    notes += [words.edited_cells(edited)] if edited else []
    magics = (name for cell in submission.cells if cell.kind == "code" for name in MAGIC.findall(cell.source))
    magics = sorted(set(magics) - RUN_MAGICS)[:5]
    notes += [words.magics(plain(name[:20]) for name in magics)] if magics else []
    return notes
