"""One submission to one result: answers run in the sandbox, the source's tests run here.

The submission's cells run in its own order, as they would in Jupyter: a test follows the last of its
answers. Givens and tests come from the source whatever the submission holds in their place. Cells that the
student added run too, since an answer may need what they import; they get time of their own and their
failures cost nothing.
"""

from dataclasses import dataclass, field

from book_grading.source_notebooks import Submission, Unreadable, released
from book_grading.student import Student, StudentError
from book_grading.variants import tag_for

MOST_EXTRA_CELLS = 200
UNANSWERED = "还没有作答。"  # what Checks says


@dataclass
class Item:
    """A test cell and the answers that it judges."""

    test: object
    position: int
    answers: list


@dataclass
class Progress:
    """What has run of one submission."""

    student: Student
    givens_run: set = field(default_factory=set)
    passed: set = field(default_factory=set)
    errors: dict = field(default_factory=dict)
    results: dict = field(default_factory=dict)
    extras: int = 0


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
    for another set's notebook.
    """
    check_set(assignment, submission)
    items = items_of(assignment)
    with Student(open_sandbox) as student:
        progress = Progress(student)
        walk(assignment, submission, items, progress)
        for item in items:
            if item.test.grade_id not in progress.results:
                run_givens(assignment, progress, item.position)
                progress.results[item.test.grade_id] = judge(assignment, item, progress)
    return {
        "items": [progress.results[item.test.grade_id] for item in items],
        "derivations": derivations(assignment, submission),
        "notes": [*submission.notes, *notes_on(assignment, submission)],
    }


def check_set(assignment, submission):
    """Raise Unreadable if the notebook carries grade_ids, and none of this set's."""
    ids = {cell.grade_id for cell in submission.cells if cell.grade_id}
    if ids and not ids & {cell.grade_id for cell in assignment.cells}:
        raise Unreadable("不是这一套作业")
    if not submission.cells:
        raise Unreadable("笔记本里没有单元")


def walk(assignment, submission, items, progress):
    """Run the submission's cells in order, judging each item after the last of its answers."""
    position = {cell.grade_id: i for i, cell in enumerate(assignment.cells) if cell.grade_id}
    known_texts = {released(cell).strip() for cell in assignment.cells if cell.role in ("given", "test")}
    attempts = answer_cells(assignment, submission)
    for cell in submission.cells:
        if cell.kind != "code":
            continue
        if cell.grade_id in attempts:
            answer = assignment.cells[position[cell.grade_id]]
            if cell in attempts[cell.grade_id]:
                run_givens(assignment, progress, position[cell.grade_id])
                run_answer(cell, progress)
            if attempts[cell.grade_id] and cell is attempts[cell.grade_id][-1]:
                progress.passed.add(answer.grade_id)
                judge_finished(assignment, items, progress)
        elif cell.grade_id in position:
            run_givens(assignment, progress, position[cell.grade_id] + 1)
        elif cell.source.strip() not in known_texts:
            run_extra(cell, progress)


def answer_cells(assignment, submission):
    """Return {grade_id: the submission's cells with that id, untouched stubs left out}."""
    attempts = {}
    for answer in assignment.by_role("answer"):
        stub = released(answer).strip()
        attempts[answer.grade_id] = [
            cell
            for cell in submission.cells
            if cell.kind == "code"
            and cell.grade_id == answer.grade_id
            and cell.source.strip() not in ("", stub)
        ]
    return attempts


def run_givens(assignment, progress, before):
    """Run, in the sandbox, the source's givens that stand before a position and have not run."""
    for i, cell in enumerate(assignment.cells[:before]):
        if cell.role == "given" and i not in progress.givens_run:
            progress.givens_run.add(i)
            try:
                progress.student.run(cell.source)
            except StudentError as error:  # the student's earlier code broke what the givens need
                progress.errors[cell.grade_id] = describe(error)


def run_answer(cell, progress):
    """Run an answer cell, keeping how it failed."""
    progress.errors.pop(cell.grade_id, None)
    try:
        progress.student.run(cell.source)
    except StudentError as error:
        if not isinstance(error, NotImplementedError):
            progress.errors[cell.grade_id] = describe(error)


def run_extra(cell, progress):
    """Run a cell that the student added; what it raises costs nothing."""
    progress.extras += 1
    if progress.extras > MOST_EXTRA_CELLS:
        return
    try:
        progress.student.run(cell.source, extra=True)
    except StudentError:
        return


def describe(error):
    """Tell an error in one line."""
    return f"{type(error).__name__}: {error}"


def judge_finished(assignment, items, progress):
    """Judge the items whose answers have all run."""
    for item in items:
        ready = all(answer.grade_id in progress.passed for answer in item.answers)
        if ready and item.answers and item.test.grade_id not in progress.results:
            run_givens(assignment, progress, item.position)
            progress.results[item.test.grade_id] = judge(assignment, item, progress)


def judge(assignment, item, progress):
    """Run a test cell here, on what the sandbox gives, and return the item's row."""
    test = item.test
    namespace = {"__name__": "__test__", "print": silent}
    for cell in assignment.cells[: item.position]:
        if cell.role == "given":
            exec(compile(cell.source, f"<{cell.grade_id}>", "exec"), namespace)
    for cell in assignment.cells[: item.position]:
        if cell.role == "answer":
            bring_answers(namespace, cell, progress, needed=cell in item.answers)
    row = {"id": test.grade_id, "title": test.title, "most": test.points, "points": None, "messages": []}
    try:
        exec(compile(test.source, f"<{test.grade_id}>", "exec"), namespace)
    except Exception as error:  # a test cell that fails says nothing about the student
        return {**row, "state": "broken test", "messages": [f"测试本身出错：{describe(error)}"]}
    checks = namespace["checks"]
    points = min(max(checks.points, 0), test.points)
    errors = [progress.errors[a.grade_id] for a in item.answers if a.grade_id in progress.errors]
    # A test that finds no answer calls it missing, also where it failed.
    said = [message for message in checks.messages if not errors or message != UNANSWERED]
    messages = [f"答案单元运行出错：{text}" for text in errors] + said
    return {**row, "points": points, "messages": messages, "state": state_of(points, test.points, messages)}


def silent(*_args, **_kwargs):
    """Stand in for print while a test cell runs here."""


def bring_answers(namespace, cell, progress, needed):
    """Put a cell's answers into a test's namespace: functions as proxies, values where needed."""
    for name, kind in cell.answers:
        if kind == "function":
            namespace[name] = proxy(progress.student, name)
        elif needed:
            try:
                namespace[name] = progress.student.get(name)
            except StudentError as error:
                namespace[name] = None
                if not isinstance(error, NotImplementedError):
                    progress.errors.setdefault(cell.grade_id, f"{name}：{describe(error)}")


def proxy(student, name):
    """Return a function that calls the student's one, and no more once it has cost the process."""
    lost = []

    def call(*args, **kwargs):
        if lost:
            raise lost[0]
        try:
            return student.call(name, args, kwargs)
        except StudentError as error:
            if error.fatal:
                lost.append(error)
            raise

    return call


def state_of(points, most, messages):
    """Say in a word how an item went."""
    if points == most:
        return "full"
    if points > 0:
        return "part"
    return "blank" if messages == [UNANSWERED] else "wrong"


def derivations(assignment, submission):
    """Collect the written answers, for the teacher to mark; an untouched stub counts as none."""
    found = []
    for cell in assignment.by_role("derivation"):
        texts = [c.source for c in submission.cells if c.grade_id == cell.grade_id and c.source.strip()]
        texts = [text for text in texts if text.strip() != released(cell).strip()]
        found.append(
            {
                "id": cell.grade_id,
                "title": cell.title,
                "most": cell.points,
                "text": "\n\n".join(texts)[:20000],
            }
        )
    return found


def notes_on(assignment, submission):
    """Say what was odd about a notebook's cells."""
    notes = []
    attempts = answer_cells(assignment, submission)
    present = {cell.grade_id for cell in submission.cells if cell.kind == "code"}
    if not any(cell.grade_id for cell in submission.cells):
        notes.append("所有单元都丢了 nbgrader 的标记，按函数名和变量名找答案")
        return notes
    missing = [cell.grade_id for cell in assignment.by_role("answer") if cell.grade_id not in present]
    if missing:
        notes.append(f"缺少答案单元：{'、'.join(missing)}")
    twice = [grade_id for grade_id, cells in attempts.items() if len(cells) > 1]
    if twice:
        notes.append(f"答案单元重复，依次运行，以最后一个为准：{'、'.join(twice)}")
    return notes


def note_on_tag(assignment, submission, student, roster, secret):
    """Say whether the notebook was handed out to somebody else, by the tag of its release."""
    if submission.tag is None or submission.tag == tag_for(secret, assignment.name, student):
        return None
    for other in roster:
        if submission.tag == tag_for(secret, assignment.name, other):
            return f"这份笔记本是发给 {other} 的"
    return "这份笔记本的发放标记不认识"
