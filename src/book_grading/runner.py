"""The student's side of the channel: run cells, call functions, give values; started inside the sandbox.

Usage: ``python -I -S runner.py LIMITS PATHS…`` with the limits as JSON. It speaks on the descriptors it
gets as standard input and output, and points 0, 1 and 2 at /dev/null before any student code runs. Nothing
here is trusted by the marker: student code shares this process and may do with it what it likes.
"""

import importlib.util
import json
import os
import random
import re
import struct
import sys
import traceback

NOTEBOOK_LINE = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
LONGEST_NAME = 80


def main():
    """Bound this process, announce it, then answer requests until the channel closes."""
    limits = json.loads(sys.argv[1])
    sys.path.extend(sys.argv[2:])
    requests, replies = take_channel()
    bound(limits)
    channel = load_channel()
    namespace = {"__name__": "__main__", "__builtins__": __builtins__, "display": ignore}
    send(replies, channel.pack({"ready": True}))
    while (request := receive(requests)) is not None:
        frame = pack(channel, request["id"], serve(channel, namespace, request))
        if len(frame) > limits["reply_bytes"]:
            error = {"type": "ValueError", "text": f"结果太大（超过 {limits['reply_bytes']} 字节）"}
            frame = channel.pack({"id": request["id"], "error": error})
        send(replies, frame)


def pack(channel, number, answer):
    """Write an answer as a frame, or what it is about the answer that cannot be written."""
    try:
        return channel.pack({"id": number, **answer})
    except ValueError:  # more digits than Python prints
        error = {"type": "ValueError", "text": "结果里有位数太多的整数"}
        return channel.pack({"id": number, "error": error})


def load_channel():
    """Load ``channel`` from the file beside this one, leaving sys.path to the packages."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "channel.py")
    spec = importlib.util.spec_from_file_location("channel", path)
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


def ignore(*_args, **_kwargs):
    """Stand in for IPython's display."""


def serve(channel, namespace, request):
    """Carry out one request; the answer holds "value" or "error"."""
    seed()
    try:
        return {"value": channel.encode(carry_out(channel, namespace, request))}
    except channel.NotPlainData as error:
        text = f"结果应当是数、列表、元组、字典、数组或张量，不能是别的（{error}）"
        return {"error": {"type": "TypeError", "text": text}}
    except BaseException as error:  # SystemExit and KeyboardInterrupt from student code are answers too
        return {"error": describe(error)}


def carry_out(channel, namespace, request):
    """Run a cell, call a function or give a value."""
    if request["op"] == "run":
        code = compile(without_magics(request["source"]), "<answer>", "exec")
        exec(code, namespace)
        return None
    name = request["name"]
    if name not in namespace:
        raise NotImplementedError(f"没有找到 {name}")
    if request["op"] == "get":
        if namespace[name] is ...:
            raise NotImplementedError(f"{name} 还没有填")
        return namespace[name]
    return namespace[name](*channel.decode(request["args"]), **channel.decode(request["kwargs"]))


def without_magics(source):
    """Blank out magics, shell lines and questions for help, which are no Python; line numbers stay."""
    try:
        compile(source, "<answer>", "exec")
    except SyntaxError:
        return NOTEBOOK_LINE.sub(r"\1pass  # \g<0>", source)
    return source


def seed():
    """Fix the global generators, so that the same submission gets the same mark."""
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


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
