"""The student's side of the channel: run cells, call functions, give values; started inside the sandbox.

Usage: ``python -I -S runner.py LIMITS PATHS…`` with the limits as JSON. It speaks on the descriptors it
gets as standard input and output, and points 0, 1 and 2 at /dev/null before any student code runs. Nothing
here is trusted by the marker: student code shares this process and may do with it what it likes.
"""

import ast
import importlib.util
import inspect
import json
import os
import random
import struct
import sys
import traceback

OWN_PACKAGES = ("transformer_book", "book_tools", "book_grading")  # they hold the answers
LONGEST_NAME = 80
# Cell magics that run the cell's own code; the others are not run.
RUNS_ITS_CELL = ("time", "timeit", "capture", "prun")


def main():
    """Bound this process, announce it, then answer requests until the channel closes."""
    limits = json.loads(sys.argv[1])
    sys.path.extend(sys.argv[2:])
    requests, replies = take_channel()
    bound(limits)
    channel = load("channel")
    sys.meta_path.insert(0, NotForAnswers())
    load("compiler").put_off()
    fix_randomness()
    namespace = new_namespace()
    send(replies, channel.pack({"ready": True}))
    while (request := receive(requests)) is not None:
        frame = pack(channel, request["id"], serve(channel, namespace, request))
        if len(frame) > limits["reply_bytes"] or channel.too_many(frame):
            frame = channel.pack({"id": request["id"], "error": {"code": "too large"}})
        send(replies, frame)


def pack(channel, number, answer):
    """Write an answer as a frame, or what it is about the answer that cannot be written."""
    try:
        return channel.pack({"id": number, **answer})
    except ValueError:  # more digits than Python prints
        return channel.pack({"id": number, "error": {"code": "too many digits"}})


def load(name):
    """Load a module from the file beside this one, leaving sys.path to the packages."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def take_channel():
    """Move the channel to fresh descriptors and close the standard three to the student."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return requests, replies


def bound(limits):
    """Set the hard limits that every process below inherits (Windows has none of them)."""
    try:
        import resource
    except ImportError:
        return
    wanted = {
        "RLIMIT_CPU": limits["process_cpu_s"],
        "RLIMIT_AS": limits["memory_bytes"],
        "RLIMIT_FSIZE": limits["disk_bytes"],
        "RLIMIT_NPROC": limits["processes"],
        "RLIMIT_NOFILE": 128,
        "RLIMIT_CORE": 0,
    }
    for name, value in wanted.items():
        if value is not None and hasattr(resource, name):
            set_limit(resource, getattr(resource, name), value)


def set_limit(resource, which, value):
    """Lower one limit, never above the hard limit already there."""
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (ValueError, OSError):  # macOS refuses some; the sandbox is Linux alone
        return


class NotForAnswers:
    """An importer that refuses the book's own packages, on every machine and with no sandbox too."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Raise for a package that holds the answers; leave the others to the other importers."""
        if name.partition(".")[0] in OWN_PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def new_namespace():
    """Return what a notebook's cells find: IPython's names do what they can without IPython."""
    namespace = {"__name__": "__main__", "__builtins__": __builtins__, "In": [""], "Out": {}, "_": ""}
    namespace.update(dict.fromkeys(("display", "help", "exit", "quit"), ignore))
    namespace["get_ipython"] = Notebook(namespace).itself
    return namespace


def ignore(*_args, **_kwargs):
    """Stand in for IPython's display and for what a terminal's Python offers."""


class Notebook:
    """What ``get_ipython()`` gives: magics that run code of the cell run it, everything else does nothing."""

    def __init__(self, namespace):
        self.namespace = namespace

    def itself(self):
        """Be what ``get_ipython`` returns."""
        return self

    def run_cell_magic(self, name, _line, cell):
        """Run the cell of ``%%time`` and the like."""
        if name in RUNS_ITS_CELL:
            run_cell(cell, self.namespace)

    def run_line_magic(self, name, line, _stack_depth=1):
        """Run the statement of ``%time`` and give its value."""
        if name in RUNS_ITS_CELL:
            return run_cell(line, self.namespace)
        return None

    def getoutput(self, *_args, **_kwargs):
        """Give no lines: shell commands do not run."""
        return []

    def __getattr__(self, _name):
        return ignore


def serve(channel, namespace, request):
    """Carry out one request; the answer holds "value" or "error"."""
    seed()
    try:
        return {"value": channel.encode(carry_out(channel, namespace, request))}
    except Missing as error:
        return {"error": {"code": str(error)}}
    except channel.NotPlainData:
        return {"error": {"code": "not data"}}
    except channel.TooLarge:
        return {"error": {"code": "too large"}}
    except BaseException as error:  # SystemExit and KeyboardInterrupt from student code are answers too
        return {"error": describe(error)}


class Missing(Exception):
    """An answer that is not there; the text is the code that says so."""


def carry_out(channel, namespace, request):
    """Run a cell, call a function or give a value; "call and look" gives a call's arguments afterwards."""
    if request["op"] == "run":
        run_cell(request["source"], namespace)
        return None
    name = request["name"]
    if name not in namespace:
        raise Missing("no such name")
    if request["op"] == "get":
        if namespace[name] is ...:
            raise Missing("not filled in")
        return namespace[name]
    arguments, words = channel.decode(request["args"]), channel.decode(request["kwargs"])
    value = namespace[name](*arguments, **words)
    if request["op"] == "call and look":
        return list(arguments)
    if value is None:
        raise Missing("nothing returned")
    return value


def run_cell(source, namespace):
    """Run a cell as a notebook does, magics and top-level await too; return its last expression's value."""
    tree = parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    run(compile(tree, "<answer>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), namespace)
    if last is not None:
        code = compile(ast.Expression(last.value), "<answer>", "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return run(code, namespace)
    return None


def parse(source):
    """Return a cell's syntax tree; where it is not plain Python, as IPython reads it."""
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        return compile(source, "<answer>", "exec", flags)
    except SyntaxError:
        from IPython.core.inputtransformer2 import TransformerManager

        plain = TransformerManager().transform_cell(source)
        return compile(plain, "<answer>", "exec", flags)


def run(code, namespace):
    """Run a cell's code, in an event loop where it awaits."""
    if not code.co_flags & inspect.CO_COROUTINE:
        return eval(code, namespace)
    import asyncio

    class Loop(asyncio.SelectorEventLoop):
        """A loop of one thread: the filter on system calls leaves no socket to wake it from another."""

        def _make_self_pipe(self):
            self._ssock = self._csock = None

        def _close_self_pipe(self):
            return

    with asyncio.Runner(loop_factory=Loop) as runner:

        async def wait():
            return await eval(code, namespace)

        return runner.run(wait())


def seed():
    """Fix the global generators, so that the same submission gets the same mark."""
    random.seed(0)
    ENTROPY.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
        sys.modules["torch"].seed = seed_torch


ENTROPY = random.Random(0)  # what the machine's own entropy is replaced by


def seed_torch():
    """Stand in for ``torch.seed``, which asks the machine for a number."""
    number = ENTROPY.getrandbits(63)
    sys.modules["torch"].manual_seed(number)
    return number


def fix_randomness():
    """Make generators without a seed start from numbers that are the same in every run.

    NumPy's ``default_rng()`` asks ``secrets``, and so does ``random.SystemRandom``; both read ``os.urandom``.
    """
    os.urandom = random._urandom = ENTROPY.randbytes
    by_hand = random.Random.seed

    def seed_without_a_clock(self, a=None, version=2):
        by_hand(self, ENTROPY.getrandbits(64) if a is None else a, version)

    random.Random.seed = seed_without_a_clock
    random.seed = random._inst.seed


def describe(error):
    """Tell an error in words: its type, its text and the last line of the answer that it passed."""
    try:
        text = str(error)[:500]
    except Exception:
        text = ""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == "<answer>":
            line = frame.lineno
    return {"type": type(error).__name__[:LONGEST_NAME], "text": text, "line": line}


def send(descriptor, data):
    """Write all of a frame."""
    while data:
        data = data[os.write(descriptor, data) :]


def receive(descriptor):
    """Read one request; None when the marker has closed the channel."""
    header = read_exactly(descriptor, 4)
    if header is None:
        return None
    payload = read_exactly(descriptor, struct.unpack(">I", header)[0])
    return None if payload is None else json.loads(payload)


def read_exactly(descriptor, count):
    """Read count bytes; None at the end of the channel."""
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main()
