"""A submission's code at work: cells run in order, functions called, values fetched, whatever the code does.

When the process ends or is ended, the next request finds a fresh one in which the cells that had finished
ran again. What may be the machine's doing (a process that vanished, silence without CPU time) is tried once
more; what the code did by itself (CPU time, memory, garbage on the channel) is not.
"""

import builtins
import time

from book_grading import channel, words
from book_grading.sandbox import BUSY_MACHINE, Died, Garbled, OutOfMemory, OutOfTime, Silent
from book_grading.texts import plain

TOLD = {
    OutOfTime: ("TimeoutError", "OUT_OF_TIME"),
    OutOfMemory: ("MemoryError", "OUT_OF_MEMORY"),
    Silent: ("TimeoutError", "SILENT"),
    Died: ("SystemExit", "DIED"),
    Garbled: ("ValueError", "GARBLED"),
}
# What the runner says of an answer in a code, so that the words are ours.
CODES = {
    "no such name": ("NotImplementedError", "NO_SUCH_NAME"),
    "not filled in": ("NotImplementedError", "NOT_FILLED_IN"),
    "nothing returned": ("TypeError", "NOTHING_RETURNED"),
    "not data": ("TypeError", "NOT_DATA"),
    "too large": ("ValueError", "TOO_LARGE"),
    "too many digits": ("ValueError", "TOO_MANY_DIGITS"),
}
# The names that an error may show where its text may not: a student's own class could be called anything.
KNOWN_ERRORS = {
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
} | {"LinAlgError", "AxisError", "OutOfMemoryError"}
# A submission may spend this many requests' worth of CPU time, and of waiting, over its answers before the
# rest is not tried any more; as much again is for cells that the student added, so that an experiment left in
# a notebook costs no marks.
PATIENCE = 8
# What one paper may cost the marker itself, in seconds of its thread's CPU time. An ordinary paper costs 0.1;
# each request's size is bounded, so that a look between requests is enough.
MARKER_CPU = 60.0
LONGEST_NAME = 80


class StudentError(Exception):
    """What a student's code raised; the subclass carries the name of the original type."""

    fatal = False  # True where the process was lost, so that asking again would only lose another
    withheld = False  # True where the student's own words were left out

    def __init__(self, text, line=None):
        super().__init__(text if line is None else words.at_line(text, line))


class MarkerFault(BaseException):
    """The marker's own failure while a test runs; no test cell may catch it and take it for the student's."""


def named_error(name, text, line=None):
    """Return an exception whose class has the student's error name; NotImplementedError stays itself."""
    name = name[:LONGEST_NAME] if isinstance(name, str) and name.isidentifier() else "Exception"
    bases = (StudentError, NotImplementedError) if name == "NotImplementedError" else (StudentError,)
    line = line if isinstance(line, int) and 0 < line < 10**6 else None
    return type(name, bases, {})(str(text)[:500], line)


def told_by_us(name, said):
    """Return an exception with a text of ours: the attribute of ``words`` that it is."""
    return named_error(name, getattr(words, said))


class Student:
    """The running code of one submission."""

    def __init__(self, open_sandbox, quotes=True):
        """Take a function that opens a fresh Sandbox; nothing starts before the first request.

        Without ``quotes`` an error's own text, type and line are not passed on: code that has seen hidden
        inputs could send them home in its errors.
        """
        self._open = open_sandbox
        self._quotes = quotes
        self._longest = 0  # lines of the longest cell
        self._box = None
        self._limits = None  # known once there is a process
        self._done = []
        self._spent = {"answers": [0.0, 0.0], "extras": [0.0, 0.0]}  # seconds: of CPU time, of waiting
        self._account = "answers"
        self._started = time.thread_time()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the process."""
        if self._box is not None:
            self._box.close()
            self._box = None

    def run(self, source, extra=False):
        """Run a cell; raise StudentError if it fails. A cell that cost the process is not run again."""
        self._account = "extras" if extra else "answers"
        self._longest = max(self._longest, source.count("\n") + 1)
        try:
            self._ask("run", source=source)
            self._done.append(source)
        except StudentError as error:
            if not error.fatal:
                self._done.append(source)
            raise
        finally:
            self._account = "answers"

    def call(self, name, args, kwargs, look=False):
        """Call a function by name with plain data and return what it gives, or (look) its arguments after."""
        try:
            args, kwargs = channel.encode(list(args)), channel.encode(dict(kwargs))
        except Exception as error:  # the test's own arguments: never the student's doing
            raise MarkerFault(f"an argument of {name} does not cross: {error}") from error
        return self._ask("call and look" if look else "call", name=name, args=args, kwargs=kwargs)

    def get(self, name):
        """Fetch a value by name."""
        return self._ask("get", name=name)

    def _ask(self, op, **fields):
        """Send a request, once more where the machine may be to blame; return the value or raise."""
        for last in (False, True):
            try:
                return self._once(op, **fields)
            except tuple(TOLD) as error:
                self.close()
                if last or not isinstance(error, Died | Silent):
                    raise fatal(error) from error
            except StudentError:
                raise
            except Exception as error:
                raise MarkerFault(f"{type(error).__name__}: {error}") from error
        raise AssertionError("the loop above returns or raises")

    def _once(self, op, **fields):
        """Send a request, unless the submission's whole time is spent; starting again is part of it."""
        if time.thread_time() - self._started > MARKER_CPU:
            raise MarkerFault(
                f"the paper must take the marker at most {MARKER_CPU:.0f} s of CPU time; got more"
            )
        spent = self._spent[self._account]
        if self._limits is not None:
            if spent[0] > PATIENCE * self._limits.cpu_s:
                raise OutOfTime("the submission's whole CPU time is spent")
            if spent[1] > PATIENCE * self._limits.wall_s:
                raise Silent("the submission's whole waiting time is spent")
        started, used = time.monotonic(), self._box.cpu_used if self._box else 0.0
        try:
            return self._read(self._ready().request(op, **fields))
        finally:
            if self._box is not None:
                cpu = self._box.cpu_used - used
                spent[0] += cpu
                spent[1] += max(0.0, time.monotonic() - started - BUSY_MACHINE * cpu)

    def _ready(self):
        """Return the process, started and with the finished cells run again where there was none."""
        if self._box is None:
            self._box = self._open()
            self._limits = self._box.limits
            for source in self._done:
                self._box.request("run", source=source)
        return self._box

    def _read(self, answer):
        """Decode an answer; raise the student's error where it holds one, Garbled where it cannot be read."""
        if "value" in answer:
            try:
                return channel.decode(answer["value"])
            except channel.BadFrame as error:
                raise Garbled(str(error)) from error
        error = answer["error"]
        if not isinstance(error, dict):
            raise Garbled("an error that is not an object")
        if error.get("code") is not None:
            if error["code"] not in list(CODES):
                raise Garbled("an unknown code")
            raise told_by_us(*CODES[error["code"]])
        name, text, line = error.get("type"), error.get("text", ""), error.get("line")
        if self._quotes:
            raise named_error(name, plain(str(text)[:500]), line)
        known = isinstance(name, str) and name in KNOWN_ERRORS
        short = isinstance(line, int) and line <= self._longest
        told = named_error(name if known else "Exception", words.UNSEEN, line if short else None)
        told.withheld = True
        raise told


def fatal(error):
    """Return the StudentError that tells how the process was lost."""
    told = told_by_us(*TOLD[type(error)])
    told.fatal = True
    return told
