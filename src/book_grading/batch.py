"""Many submissions: a few workers, one result file each; stop and resume lose and repeat no mark."""

import dataclasses
import hashlib
import json
import os
import queue
import signal
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy  # noqa: F401  (before threads start: values and tests need it, and none may find it half made)

from book_grading import marking, submissions, variants, words
from book_grading.handed_out import check_handed_out
from book_grading.identify import tidy
from book_grading.sandbox import NoSandbox, Sandbox, Stopped
from book_grading.source_notebooks import Submission, Unreadable, read_submission
from book_grading.student import MarkerFault
from book_grading.texts import plain
from transformer_book.checks.messages import must_be

HERE = Path(__file__).parent


class ReferenceFails(Exception):
    """The set's own solutions do not get full marks, so nobody may be marked by its tests."""


@dataclass(frozen=True)
class Job:
    """A paper, the set with its student's numbers, its cells (None: unreadable), its result file's name."""

    paper: submissions.Paper
    assignment: object
    submission: Submission | None
    key: str


class Batch:
    """A run of marking: a set, its papers, a folder for this set's results alone."""

    def __init__(
        self, assignment, out, *, others=(), roster=(), secret=None, protected=True, workers=None, hidden=()
    ):
        """Keep the run's settings; ``hidden`` are paths that no student's code may see.

        ``others`` are the same set in other languages: a paper is marked by the one that it grew from.
        """
        self.assignment = assignment
        self.editions = {one.language: one for one in (assignment, *others)}
        self.folder = Path(out) / "marks"
        self.roster = roster
        self.secret = secret
        self.protected = protected
        self.workers = workers or os.cpu_count() or 1
        self.hidden = hidden
        self.stop = threading.Event()
        self._unfit = {}  # cells of a set with own numbers: why its solutions do not get full marks
        self.running = {}  # papers that run now: when each started
        self._slots = queue.SimpleQueue()
        for slot in range(self.workers):
            self._slots.put(slot)

    def set_for(self, student, submission=None):
        """Return the set in a paper's language, with the student's numbers where there is a roster."""
        assignment = self.assignment if submission is None else edition_of(self.editions, submission)
        if self.secret is None or student is None:
            return assignment
        return variants.vary_set(assignment, self.secret, student)

    def jobs(self, papers):
        """Return one job a paper, the file read once and its cells alone kept."""
        made = []
        for paper in papers:
            assignment, data, submission = self.set_for(paper.student), None, None
            if paper.problem is None:
                try:
                    data = submissions.read(paper)
                    submission = read_submission(data)
                    assignment = self.set_for(paper.student, submission)
                except OSError as error:
                    paper = dataclasses.replace(paper, problem=words.unreadable(error.strerror))
                except Unreadable as error:
                    paper = dataclasses.replace(paper, problem=str(error))
                except (MemoryError, RecursionError) as error:
                    paper = dataclasses.replace(paper, problem=words.unreadable(type(error).__name__))
            made.append(Job(paper, assignment, submission, self._key(paper, assignment, data)))
        return made

    def _key(self, paper, assignment, data):
        """Name a result by all that it depends on: the marker, the set, whose paper it is, the file."""
        digest = hashlib.sha256(marker_digest())
        parts = [
            repr((assignment.language, assignment.title)),
            repr(assignment.cells),
            repr(assignment.limits),
            repr((paper.name, paper.student, paper.notes)),
        ]
        parts += [repr(paper.problem), repr(self.protected), repr(self.roster if self.secret else None)]
        for part in parts:
            digest.update(part.encode("utf-8", "backslashreplace") + b"\0")
        digest.update(b"\0" if data is None else data)
        return digest.hexdigest()[:32]

    def references(self, jobs=()):
        """List the sets whose solutions have to be marked before the jobs: the set, with own numbers too."""
        sets = [self.assignment, *(job.assignment for job in jobs)]
        return list({repr(one.cells): one for one in sets}.values())

    def check_references(self, sets):
        """Mark sets' own solutions, yielding as each is done; raise ReferenceFails below full marks.

        Where only the solutions with one student's numbers fail, that student's papers stay without a mark.
        """
        for _ in self._each(sets, self._check_one):
            yield

    def _check_one(self, assignment, open_sandbox):
        """Mark one set's solutions."""
        try:
            result = marking.mark(assignment, marking.reference(assignment), open_sandbox)
        except MarkerFault as error:
            raise NoSandbox(str(error)) from error
        for item in result["items"]:
            if item["points"] != item["most"]:
                told = "; ".join(item["messages"]) or "no message"
                points = f"{item['points']} of {item['most']} for {item['id']}: {told}"
                if assignment.cells == self.assignment.cells:
                    raise ReferenceFails(f"{assignment.path}: the reference gets {points}")
                self._unfit[repr(assignment.cells)] = points

    def run(self, jobs):
        """Mark what has no result yet; yield (job, result, fresh) as each is there.

        Raises ValueError where the folder holds the marks of another set.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._claim()
        for job in jobs:
            result = self._stored(job)
            if result is not None:
                yield job, result, False
        for job, result in self._each(self.waiting(jobs), self._mark):
            yield job, result, True

    def _claim(self):
        """Write the set's questions into the folder; raise ValueError if it holds those of another set."""
        path, own = self.folder / "set.txt", {cell.grade_id for cell in self.assignment.by_role("test")}
        there = set(path.read_text(encoding="utf-8").split("\n")) if path.exists() else own
        if not own & there:
            raise ValueError(
                must_be("--out", f"a folder of {self.assignment.path} alone", self.folder.parent)
            )
        path.write_text("\n".join(sorted(own)), encoding="utf-8")

    def waiting(self, jobs):
        """List the jobs that have no result yet."""
        return [job for job in jobs if self._stored(job) is None]

    def _stored(self, job):
        """Return a job's finished result, or None."""
        try:
            return json.loads((self.folder / f"{job.key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def _mark(self, job, open_sandbox):
        """Mark one paper and tell in its language; keep the result in a file, unless the marker failed."""
        with words.speaking(job.assignment.language):
            result, kept = self._result(job, open_sandbox)
        if kept:
            path = self.folder / f"{job.key}.json"
            temporary = path.with_suffix(".part")
            temporary.write_text(json.dumps(result), encoding="ascii")
            os.replace(temporary, path)
        return result

    def _result(self, job, open_sandbox):
        """Mark one paper; return its result and whether it is one to keep."""
        notes = [plain(note) for note in job.paper.notes]
        spoken = {"language": job.assignment.language, "title": job.assignment.title}
        result = {"notes": notes, "items": [], "derivations": [], "problem": job.paper.problem, **spoken}
        if job.submission is not None:
            try:
                marked = self._marked(job, open_sandbox)
            except Unreadable as error:
                result["problem"] = plain(str(error))
            except (MarkerFault, Exception) as error:  # never the student's: no mark, and none is kept
                problem = words.marker_failed(f"{type(error).__name__}: {plain(str(error))}")
                return {**result, "problem": problem}, False
            else:
                result |= {**marked, "notes": [*notes, *map(plain, marked["notes"])], "problem": None}
        return result, all(item["points"] is not None for item in result["items"])

    def _marked(self, job, open_sandbox):
        """Mark one paper that was read."""
        if unfit := self._unfit.get(repr(job.assignment.cells)):
            raise MarkerFault(f"the reference gets {unfit}")
        said = check_handed_out(job.assignment, job.submission, job.paper.student, self.roster, self.secret)
        marked = marking.mark(job.assignment, job.submission, open_sandbox)
        return {**marked, "notes": [*marked["notes"], *said]}

    def _each(self, things, work):
        """Do the work on each thing; yield (thing, outcome) as they finish; stop at the first failure."""
        with interrupts_noted() as check_interrupts, ThreadPoolExecutor(self.workers) as pool:
            pending = {pool.submit(self._with_slot, work, thing): thing for thing in things}
            try:
                while pending:
                    done, _ = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                    check_interrupts()
                    for future in [each for each in pending if each in done]:  # a set has no order
                        yield pending.pop(future), future.result()
            except BaseException:
                self.stop.set()
                for future in pending:
                    future.cancel()
                raise

    def _with_slot(self, work, thing):
        """Do one piece of work under a slot's user."""
        slot = self._slots.get()
        name = thing.paper.name if isinstance(thing, Job) else thing.name
        self.running[name] = time.monotonic()
        try:
            return work(thing, lambda: self._open(thing, slot))
        finally:
            self.running.pop(name, None)
            self._slots.put(slot)

    def _open(self, thing, slot):
        """Open a sandbox, a second time if the machine failed at the first."""
        limits = getattr(thing, "assignment", thing).limits
        settings = {"slot": slot, "protected": self.protected, "stop": self.stop, "hidden": self.hidden}
        if self.stop.is_set():
            raise Stopped
        try:
            return Sandbox(limits, **settings)
        except NoSandbox:
            return Sandbox(limits, **settings)


@contextmanager
def interrupts_noted():
    """Only note SIGINT and SIGTERM; yield a function that raises KeyboardInterrupt if one came.

    Python raises it between any two steps of the main thread, so also just after ``wait`` took a lock, which
    no worker would ever get then. A second signal acts as it did before. Elsewhere than in the main thread,
    which alone gets signals, nothing changes.
    """
    came, before = [], {}

    def note(number, _frame):
        came.append(number)
        restore()

    def restore():
        for each, handler in before.items():
            signal.signal(each, handler)

    def check():
        if came:
            raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(each) != signal.SIG_IGN:
                before[each] = signal.signal(each, note)
    try:
        yield check
    finally:
        restore()


def edition_of(editions, submission):
    """Return the set in the language of a paper: as its release says, else the one of most of its texts."""
    told = submission.release.get("language")
    if told in editions:
        return editions[told]
    texts = {tidy(cell.source) for cell in submission.cells if cell.kind == "markdown"}
    return max(
        editions.values(), key=lambda one: sum(tidy(cell.source) in texts for cell in one.by_role("text"))
    )


def marker_digest():
    """Digest the marker's own code, so that results of another version are not taken for its own."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
