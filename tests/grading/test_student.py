"""How long a submission may keep the marker, over all its requests, though each is answered in time."""

import pytest

from book_grading import student
from book_grading.sandbox import Limits, Silent
from book_grading.student import Student, StudentError

LIMITS = Limits(cpu_s=1, wall_s=10)


class Clock:
    """A clock that requests move on."""

    now = 0.0

    def monotonic(self):
        return self.now

    def thread_time(self):
        return 0.0


class Slow:
    """A box whose requests take some seconds of waiting and of CPU time; it fails where ``lost`` says so."""

    limits = LIMITS
    opened = 0

    def __init__(self, clock, waiting=0.0, cpu=0.0, lost=()):
        type(self).opened += 1
        self.clock, self.waiting, self.cpu, self.lost = clock, waiting, cpu, lost
        self.cpu_used = 0.0

    def request(self, op, **fields):
        self.clock.now += self.waiting
        self.cpu_used += self.cpu
        if op in self.lost:
            raise Silent("asleep")
        return {"value": 1}

    def close(self):
        """Nothing to end."""


@pytest.fixture
def clock(monkeypatch):
    """A clock in the student's module; no box is open yet."""
    made = Clock()
    monkeypatch.setattr(student, "time", made)
    monkeypatch.setattr(Slow, "opened", 0)
    return made


def answered(running, most=1000):
    """Count the requests that are answered before one is refused."""
    for count in range(most):
        try:
            running.get("x")
        except StudentError:
            return count
    return most


def test_naps_below_the_limit_add_up(clock):
    """Nine seconds a request, thirty requests: each in time, together half an afternoon for sixty papers."""
    assert answered(Student(lambda: Slow(clock, waiting=9))) == 9


def test_cpu_time_adds_up(clock):
    assert answered(Student(lambda: Slow(clock, waiting=0.9, cpu=0.9))) == 9


def test_a_starving_submission_is_not_taken_for_a_napping_one(clock):
    """With a twentieth of a core each second of CPU time takes twenty by the clock."""
    assert answered(Student(lambda: Slow(clock, waiting=2, cpu=0.1)), most=60) == 60


def test_starting_again_counts_and_nothing_starts_when_all_is_spent(clock):
    """A cell that sleeps when it runs again must not cost the marker a wait for each of many answers."""
    running = Student(lambda: Slow(clock, waiting=9, lost=("call",)))
    running.run("cell")
    for _ in range(20):
        with pytest.raises(StudentError):
            running.call("f", [], {})
    spent, opened = clock.now, Slow.opened
    assert spent < 120
    with pytest.raises(StudentError):
        running.call("f", [], {})
    assert (clock.now, Slow.opened) == (spent, opened)
