"""Shared by the grading tests: the sets, and submissions made from their sources."""

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from book_grading import batch, channel, cli, release, runner
from book_grading import source_notebooks as notebooks
from book_grading.sandbox import Limits, NoSandbox, check_machine

SOURCES = Path(__file__).parents[2] / "assignments" / "source"
NAMES = ("hand", "code", "project")


@pytest.fixture(scope="session")
def sets():
    """The three sets by name."""
    return {name: notebooks.read_set(SOURCES / name / f"{name}.ipynb") for name in NAMES}


@pytest.fixture(scope="session")
def sandboxed():
    """Skip where no sandbox starts."""
    try:
        check_machine()
    except NoSandbox as error:
        pytest.skip(f"no sandbox on this machine: {error}")


class Maker:
    """Make a submission's JSON from a set: the student version with answers filled in."""

    def __init__(self, assignment):
        self.assignment = assignment
        self.solutions = {cell.grade_id: cell.source for cell in assignment.cells if cell.solution}

    def raw(self, changes=None, solved=True):
        """Return the notebook as a dict; ``changes`` maps a grade_id to the cell's text."""
        raw = json.loads(release.student_version(self.assignment))
        for cell in raw["cells"]:
            cell["source"] = "".join(cell["source"])
            grade_id = cell["metadata"]["nbgrader"]["grade_id"]
            if solved and grade_id in self.solutions:
                cell["source"] = self.solutions[grade_id]
            if changes and grade_id in changes:
                cell["source"] = changes[grade_id]
        return raw

    def data(self, changes=None, solved=True):
        """Return the notebook as bytes."""
        return json.dumps(self.raw(changes, solved), ensure_ascii=False).encode()


@pytest.fixture(scope="session")
def makers(sets):
    """A Maker for each set."""
    return {name: Maker(assignment) for name, assignment in sets.items()}


@pytest.fixture(scope="session")
def maker_of():
    """The class of makers, for sets of a test's own."""
    return Maker


class InProcess:
    """A box that runs the student's side in this process: for the tests' own, harmless answers."""

    limits = Limits()
    cpu_used = 0.0

    def __init__(self):
        self.namespace = runner.new_namespace()

    def request(self, op, **fields):
        """Answer as the runner does, through the channel's text."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's warning is no error, here as in the sandbox
            asked = json.loads(json.dumps({"op": op, **fields}))
            # In a thread of its own: a browser's tests leave an event loop running in this one.
            with ThreadPoolExecutor(1) as thread:
                answer = thread.submit(runner.serve, channel, self.namespace, asked).result()
        return json.loads(json.dumps(answer))

    def close(self):
        """Nothing to end."""


@pytest.fixture
def in_process():
    """The class of boxes that run answers in this process."""
    return InProcess


@pytest.fixture
def unboxed(monkeypatch, in_process):
    """The command with boxes in this process, where what is tested is the command; use one worker."""
    monkeypatch.setattr(batch, "Sandbox", lambda *_, **__: in_process())
    monkeypatch.setattr(cli, "check_machine", lambda: None)
