"""Hostile and clumsy submissions, each with the mark that it deserves; one run marks them all."""

import base64
import csv
import hashlib
import html
import json
import os
import random
import re
import subprocess
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from book_grading import release

ITEMS = {
    "test-softmax": 4,
    "test-attention": 5,
    "test-scaled": 4,
    "test-causal": 5,
    "test-sinusoidal": 4,
    "test-rope": 5,
    "test-heads": 5,
    "test-count": 4,
    "test-cache": 5,
}
# The size of the disk tells this run's processes from those of another run beside it.
LIMITS = {"cpu_s": 1, "wall_s": 2, "memory_mib": 700, "disk_mib": 16 + os.getpid() % 32, "processes": 24}


@dataclass(frozen=True)
class Case:
    """A submission: its file name, how to make it, and what it deserves.

    ``lost`` maps items to the points they get instead of full ones; without ``mark`` none may be given.
    ``said`` is told to the student; of several texts one is, where the machine's speed decides which.
    """

    name: str
    make: object
    lost: dict = field(default_factory=dict)
    mark: bool = True
    note: str = ""
    said: str | tuple[str, ...] = ""


CASES = []


def case(name, lost=None, *, mark=True, note="", said=""):
    """Register a case; the decorated function makes the file's bytes (or the file itself)."""

    assert all(one.name != name for one in CASES), f"two cases are named {name!r}"

    def register(make):
        CASES.append(Case(name, make, lost or {}, mark, note, said))
        return make

    return register


def answer(name, source, lost=None, **expected):
    """Register a case that changes one answer of a perfect submission; by default it gets nothing for it."""
    item = name.split(" ", 1)[0]
    lost = {f"test-{item}": 0} if lost is None else lost
    case(f"{name}.ipynb", lost, **expected)(lambda make: make.data({f"answer-{item}": source}))


NOTHING = dict.fromkeys(ITEMS, 0)

# -- files, clumsy and odd -----------------------------------------------------------------------------------

for name in (
    "perfect.ipynb",
    "作业 最终版(2) 真的.IPYNB.txt",
    "no extension",
    "-rf.ipynb",
    "..%2f..%2f..%2fetc%2fpasswd.ipynb",
    "..\\..\\windows\\system32.ipynb",
    "<script>alert(1)<'&quot;.ipynb",
    '=HYPERLINK("x").ipynb',
    "\x1b[2J\x1b]0;owned\x07\nclear.ipynb",
    "𠮷" * 60 + ".ipynb",
    " 7.ipynb",
    "dots.and spaces .ipynb .ipynb",
    "CON.ipynb",
    ".hidden.ipynb",
    "100% 'quoted' & $HOME `id`.ipynb",
    "‮gnp.ipynb",
):
    case(name)(lambda make: make.data())

for name, said, content in (
    ("empty.ipynb", "空", b""),
    ("picture.ipynb", "不是笔记本", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4),
    ("other.json", "不是笔记本", b'{"name": "not a notebook"}'),
    ("cells-are-no-list.ipynb", "不是笔记本", b'{"cells": {"a": 1}, "nbformat": 4}'),
    ("deep.ipynb", "不是笔记本", b"[" * 200000),
):
    case(name, mark=False, said=said)(lambda make, content=content: content)


for name, encoding in (
    ("gbk.ipynb", "gb18030"),
    ("bom.ipynb", "utf-8-sig"),
    ("utf16.ipynb", "utf-16"),
    ("utf16 without a mark.ipynb", "utf-16-le"),
):
    case(name, note="" if encoding == "utf-8-sig" else encoding)(
        lambda make, encoding=encoding: make.data().decode().encode(encoding)
    )

case("blank.ipynb", NOTHING)(lambda make: make.data(solved=False))
case("zipped.ipynb", mark=False, said="压缩包")(lambda make: release.zip_bytes({"code.ipynb": make.data()}))
case("truncated.ipynb", mark=False, said="不完整")(lambda make: make.data()[:9000])


@case("odd-cells.ipynb", note="缺少答案单元")
def _(make):
    raw = make.raw()
    cells = [None, 3, {"cell_type": "code"}, {"cell_type": "code", "source": {"a": 1}, "metadata": []}]
    raw["cells"] = [
        *cells,
        *(c for c in raw["cells"] if c["metadata"]["nbgrader"]["grade_id"] != "answer-count"),
    ]
    raw["cells"].append({"cell_type": "code", "source": make.solutions["answer-count"], "metadata": None})
    return json.dumps(raw).encode()


@case("enormous.ipynb", mark=False, said="太大")
def _(make, path):
    with path.open("wb") as file:
        file.truncate(70 << 20)


@case("photographs pasted in.ipynb")
def _(make):
    raw = make.raw()
    photograph = base64.b64encode(random.Random(0).randbytes(8 << 20)).decode()
    for cell in raw["cells"][:2]:
        cell["attachments"] = {"IMG_1.jpg": {"image/jpeg": photograph}}
    return json.dumps(raw).encode()


@case("number of a million digits.ipynb")
def _(make):
    raw = json.dumps(make.raw())
    return raw.replace('"nbformat":', f'"digits": {"9" * 10**6}, "nbformat":', 1).encode()


@case("empty folder.ipynb", mark=False, said="空文件夹")
def _(make, path):
    path.mkdir()


@case("folder.ipynb/within.ipynb")
def _(make, path):
    path.parent.mkdir()
    path.write_bytes(make.data())


@case("of another kernel, outputs forged.ipynb", {"test-count": 0})
def _(make):
    raw = make.raw({"answer-count": "count_parameters <- function(V, D, L, N) 124439808"})
    raw["metadata"] = {"kernelspec": {"name": "ir", "language": "R"}, "language_info": {"name": "R"}}
    for cell in raw["cells"]:
        cell["id"] = "same"
        if cell["cell_type"] == "code":
            cell["outputs"] = [
                {"output_type": "execute_result", "data": {"text/plain": "5"}, "execution_count": 1}
            ]
    return json.dumps(raw).encode()


@case("wrong-set.ipynb", mark=False, said="不是这一套")
def _(make):
    raw = make.raw()
    for cell in raw["cells"]:
        cell["metadata"]["nbgrader"]["grade_id"] = "other-" + cell["metadata"]["nbgrader"]["grade_id"]
    return json.dumps(raw).encode()


@case("link to the solution.ipynb", mark=False, said="链接")
def _(make, path):
    path.symlink_to(make.assignment.path)


@case("pipe.ipynb", mark=False, said="不是普通文件")
def _(make, path):
    os.mkfifo(path)


@case("version 3.ipynb")
def _(make):
    cells = [{**cell, "input": cell["source"]} for cell in make.raw()["cells"]]
    for cell in cells:
        del cell["source"]
    return json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}], "metadata": {}}).encode()


# -- cells: missing, doubled, moved, edited ------------------------------------------------------------------


def without(raw, *grade_ids):
    """Drop cells by grade_id."""
    raw["cells"] = [
        c for c in raw["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") not in grade_ids
    ]
    return raw


@case("missing cell.ipynb", {"test-cache": 0}, note="缺少答案单元")
def _(make):
    return json.dumps(without(make.raw(), "answer-cache")).encode()


@case("answer in a new cell.ipynb", note="缺少答案单元")
def _(make):
    raw = without(make.raw(), "answer-rope")
    raw["cells"].insert(1, {"cell_type": "code", "source": make.solutions["answer-rope"], "metadata": {}})
    raw["cells"].insert(1, {"cell_type": "code", "source": "import numpy as np", "metadata": {}})
    return json.dumps(raw).encode()


def doubled(make, first, second):
    """Return a submission with two cells answer-causal."""
    raw = make.raw({"answer-causal": first})
    place = next(
        i for i, c in enumerate(raw["cells"]) if c["metadata"]["nbgrader"]["grade_id"] == "answer-causal"
    )
    raw["cells"].insert(place + 1, {**raw["cells"][place], "source": second})
    return json.dumps(raw).encode()


@case("doubled, last good.ipynb", note="重复")
def _(make):
    return doubled(make, "def causal_weights(S):\n    return S", make.solutions["answer-causal"])


@case("doubled, last bad.ipynb", {"test-causal": 0}, note="重复")
def _(make):
    return doubled(make, make.solutions["answer-causal"], "def causal_weights(S):\n    return S")


@case("doubled, last untouched.ipynb")
def _(make):
    stub = next(c for c in make.raw(solved=False)["cells"] if c["id"] == "answer-causal")
    return doubled(make, make.solutions["answer-causal"], stub["source"])


@case("metadata stripped.ipynb", note="丢了")
def _(make):
    raw = make.raw()
    for cell in raw["cells"]:
        cell["metadata"] = {}
    return json.dumps(raw).encode()


@case("turned into text.ipynb", {"test-cache": 0}, note="缺少答案单元")
def _(make):
    raw = make.raw()
    next(cell for cell in raw["cells"] if cell["id"] == "answer-cache")["cell_type"] = "markdown"
    return json.dumps(raw).encode()


@case("edited points and tests.ipynb", {"test-count": 0}, note="test-softmax、test-count")
def _(make):
    wrong = {
        "answer-softmax": "def softmax(S):\n    return S",
        "answer-count": "def count_parameters(*a):\n    return 1",
    }
    raw = make.raw(
        {**wrong, "test-softmax": "checks = Checks(4)\nchecks.points = 4\n4", "test-count": "1000"}
    )
    keep = "def honest(S):\n    e = np.exp(S - S.max(axis=0))\n    return e / e.sum(axis=0)\nsoftmax = honest"
    place = next(i for i, c in enumerate(raw["cells"]) if c["id"] == "text-attention")
    raw["cells"].insert(place, {"cell_type": "code", "source": keep, "metadata": {}})
    for cell in raw["cells"]:
        cell["metadata"].get("nbgrader", {})["points"] = 1000
    return json.dumps(raw).encode()


@case("edited givens.ipynb", note="改动了不该改的单元")
def _(make):
    return make.data({"setup": "raise RuntimeError('no setup for you')"})


@case("unlocked and renamed.ipynb")
def _(make):
    raw = make.raw()
    for cell in raw["cells"]:
        cell["metadata"]["nbgrader"].update(locked=False, solution=True, grade=True, task=True)
    return json.dumps(raw).encode()


@case("experiments.ipynb")
def _(make):
    raw = make.raw()
    for source in (
        "1 / 0",
        "while True: pass",
        "x = [",
        "import nothing_here",
        "softmax(np.eye(3)",
        "!pip list",
    ):
        raw["cells"].insert(4, {"cell_type": "code", "source": source, "metadata": {}})
    return json.dumps(raw).encode()


@case("name used again.ipynb")
def _(make):
    later = make.solutions["answer-count"] + "\n\ndef sinusoidal(position):\n    return position\n"
    return make.data({"answer-count": later})


def with_cells(make, count, source, **metadata):
    """A perfect submission with many cells more."""
    raw = make.raw()
    raw["cells"] += [{"cell_type": "code", "source": source, "metadata": metadata}] * count
    return json.dumps(raw).encode()


@case("8,000 answers to one question.ipynb", mark=False, said="单元太多")
def _(make):
    return with_cells(make, 8000, "def softmax(S): return S", nbgrader={"grade_id": "answer-softmax"})


@case("1,500 answers to one question.ipynb", note="重复")
def _(make):
    return with_cells(make, 1500, make.solutions["answer-softmax"], nbgrader={"grade_id": "answer-softmax"})


@case("tiny cells, megabytes of them.ipynb", mark=False, said="太多太碎")
def _(make):
    cells = ",".join(['{"cell_type":"code","source":"1","metadata":{}}'] * 400_000)
    return f'{{"cells":[{cells}],"nbformat":4}}'.encode()


@case("tiny values, megabytes of them.ipynb", mark=False, said="太多太碎")
def _(make):
    return f'{{"cells":[],"x":[{"1," * 5_000_000}1]}}'.encode()


@case("a novel of code.ipynb", mark=False, said="代码太多")
def _(make):
    return with_cells(make, 1, "x = 1\n" * 400_000)


@case("one line of a million equals signs.ipynb", note="缺少答案单元")
def _(make):
    raw = without(make.raw(), "answer-rope")
    raw["cells"].insert(1, {"cell_type": "code", "source": "# " + "rope = " * 100_000, "metadata": {}})
    raw["cells"].append({"cell_type": "code", "source": make.solutions["answer-rope"], "metadata": {}})
    return json.dumps(raw).encode()


@case("an interactive plot left in.ipynb")
def _(make):
    raw = make.raw()
    raw["cells"][1]["outputs"] = [
        {"output_type": "display_data", "data": {"application/vnd.plotly": [0.5] * 200_000}}
    ]
    return json.dumps(raw).encode()


@case("magics left in.ipynb", note="评分时不运行魔法命令和 ! 命令：!ls、%load_ext")
def _(make):
    source = "%load_ext autoreload\nfiles = !ls\nimport asyncio\nawait asyncio.sleep(0)\n"
    return make.data({"answer-count": source + make.solutions["answer-count"]})


@case("the first answer is broken.ipynb", {"test-softmax": 0})
def _(make):
    return make.data({"answer-softmax": "def softmax(S):\n    return S"})


@case("no metadata, no ids.ipynb", note="丢了")
def _(make):
    raw = make.raw()
    cells = [{"cell_type": cell["cell_type"], "source": cell["source"]} for cell in raw["cells"]]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


@case("answers reversed, tests last.ipynb")
def _(make):
    raw = make.raw()
    by = {name: [c for c in raw["cells"] if c["id"].startswith(name)] for name in ("answer", "test")}
    raw["cells"] = [c for c in raw["cells"] if not c["id"].startswith(tuple(by))]
    raw["cells"] += [*reversed(by["answer"]), *by["test"]]
    return json.dumps(raw).encode()


# -- answers, clumsy -----------------------------------------------------------------------------------------

SOFTMAX = "    e = np.exp(S - S.max(axis=0))\n    return e / e.sum(axis=0)\n"
COUNT = (
    "def count_parameters(V, D, L, N):\n    {}\n    return V * D + N * D + L * (12 * D**2 + 13 * D) + 2 * D\n"
)

answer("rope syntax error", "def rope(Q)\n    return Q", said="SyntaxError")
answer("rope tabs and spaces", "def rope(Q):\n        a = 1\n\tb = 2\n    return Q", said="Error")
answer("rope null byte", "def rope(Q):\n    return Q\0", said="Error")
answer("count prints nothing", "def count_parameters(V, D, L, N):\n    print(1)", said="漏了 return")
answer(
    "count warnings",
    "import warnings\nwarnings.warn('careful')\nnp.log(0)\n" + COUNT.format("np.log([0])"),
    {},
)
answer("count magics", "%matplotlib inline\n!pip install x\n" + COUNT.format("pass"), {})
answer("count cell magic", "%%time\n" + COUNT.format("display(1)"), {})
answer("count questions", "np.exp?\n?np.log\n" + COUNT.format("pass"), {})
answer(
    "count extended precision",
    COUNT.format("pass") + "exact = count_parameters\n"
    "def count_parameters(*arguments):\n    return np.longdouble(exact(*arguments))\n",
    {},
)
answer("count leftover stub", COUNT.format("pass") + "raise NotImplementedError", {})
answer(
    "softmax in place",
    "def softmax(S):\n    S -= S.max(axis=0)\n    np.exp(S, out=S)\n    return S / S.sum(axis=0)",
    {},
)
answer("softmax single precision", "def softmax(S):\n    S = np.float32(S)\n" + SOFTMAX, {})
answer(
    "softmax as a list",
    "def softmax(S):\n" + SOFTMAX.replace("e / e.sum(axis=0)", "(e / e.sum(axis=0)).tolist()"),
    {},
)
answer("count as text", "def count_parameters(V, D, L, N):\n    return '124,439,808'", said="数")
answer("count not a number", "def count_parameters(V, D, L, N):\n    return float('nan')", said="不对")
answer("count asks", "def count_parameters(V, D, L, N):\n    return int(input())", said="EOFError")
answer("count recursion", "def count_parameters(*a):\n    return count_parameters(*a)", said="RecursionError")
answer("count wrong arguments", "def count_parameters(V, D):\n    return V * D", said="TypeError")
answer("count exits", "import sys\nsys.exit(0)\n", said="SystemExit")
answer("count prints much", COUNT.format("print('x' * (20 << 20))"), {})


@case("rope lone surrogate.ipynb", {"test-rope": 0}, said="UnicodeEncodeError")
def _(make):
    return json.dumps(make.raw({"answer-rope": "def rope(Q):\n    return '\ud800'"})).encode()


# -- answers, hostile ----------------------------------------------------------------------------------------

FUNCTION = "def count_parameters(*arguments):\n"


def hostile(name, body, before="", lost=None, **expected):
    """Register a case whose count_parameters has this body."""
    text = "".join(f"    {line}\n" for line in body.strip().split("\n"))
    answer(f"count {name}", before + FUNCTION + text, lost, **expected)


hostile("loops", "while True: pass", said="CPU")
hostile("loops in the cell", "return 1", "while True: pass\n", said="CPU")
hostile(
    "swallows interrupts",
    "import signal\nfor s in range(1, 65):\n"
    "    try: signal.signal(s, signal.SIG_IGN)\n    except Exception: pass\n"
    "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    said="CPU",
)
FULL = ("内存", "CPU")  # what fills memory spends time too: a slow machine meets that limit first
hostile("sleeps", "import time\ntime.sleep(10**6)", said="很久")
hostile("prints for ever", "while True: print('x' * 10**6)", said="CPU")
hostile("fork bomb", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", said="运行出错")
hostile(
    "thread bomb",
    "import threading\nwhile True: threading.Thread(target=lambda: threading.Event().wait()).start()",
    said="运行出错",
)
hostile("asks for too much memory", "return bytearray(10**11)", said="Memory")
hostile(
    "memory bomb",
    "kept = []\nwhile True: kept.append(bytearray(10**8))",
    said=("Memory", *FULL),
)
hostile(
    "memory in many processes",
    "import os, time\nfor i in range(8):\n    if os.fork() == 0:\n"
    "        x = bytearray(500 << 20)\n        time.sleep(99)\nos.wait()",
    said=FULL,
)
hostile(
    "memory files",
    "import os\nfds = []\nwhile True:\n    fds.append(os.memfd_create('x'))\n"
    "    os.write(fds[-1], b'1' * (10 << 20))",
    said="PermissionError",
)
hostile(
    "fills the disk",
    "import itertools\nfor i in itertools.count():\n    open(f'/tmp/{i}', 'wb').write(b'1' * (4 << 20))",
    said="OSError",
)
hostile("big file", "open('/dev/shm/x', 'wb').write(b'1' * (200 << 20))", said="OSError")
hostile("vanishes", "import os\nos._exit(0)", said="SystemExit")
hostile("segfaults", "import ctypes\nctypes.string_at(0)", said="SystemExit")
hostile("kills everybody", "import os, signal\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)\nreturn 1")
hostile("raises a page", "raise ValueError('<script>alert(1)</script>')", said="<script>")
hostile("raises BaseException", "raise KeyboardInterrupt", said="KeyboardInterrupt")
hostile(
    "error that fails to print", "class E(Exception):\n    def __str__(self): raise self\nraise E", said="E:"
)
hostile(
    "equals everything",
    "class Same(int):\n    def __eq__(self, other): return True\n"
    "    def __array__(self, *a, **k): raise SystemExit\n"
    "return Same(1)",
)
hostile(
    "pickle",
    "class Gift:\n    def __reduce__(self):\n        import os\n"
    "        return os.system, ('touch {canary}',)\nreturn Gift()",
    said="TypeError",
)
hostile("enormous answer", "return np.zeros(1 << 22)", said="太大")
hostile("a million digits", "return 10 ** 10**6", said="位数太多")
hostile("generator", "while True: yield 1", said="TypeError")
hostile(
    "endless dictionary",
    "class Endless(dict):\n    def items(self):\n        while True: yield 1, 1\nreturn Endless()",
    said="太大",
)
hostile("not a number and infinite", "return [np.nan, np.inf, -np.inf]", said="形状")
hostile("long name", "raise type('E' * 10**7, (Exception,), {})", said="EEE")
hostile(
    "answers by the byte",
    "import os, struct, time\n"
    "def send(data):\n    for fd in range(3, 16):\n"
    "        try: os.write(fd, data)\n        except OSError: pass\n"
    "send(struct.pack('>I', 1 << 20))\nwhile True:\n    time.sleep(0.05)\n    send(b' ')",
    said="很久",
)
hostile(
    "burns in a thread",
    "time.sleep(10**6)",
    "import threading, time\n"
    "def burn():\n    while True: pass\n"
    "for i in range(2): threading.Thread(target=burn, daemon=True).start()\n",
    said="CPU",
    lost={"test-count": 0},
)
hostile("reads the environment", "import os\nreturn 124439808 if '{token}' in os.environ else 1")
hostile(
    "writes its own mark",
    "for path in ('{out}/marks/mine.json', '{out}/totals.csv', '/proc/1/root{out}/totals.csv'):\n"
    "    try: open(path, 'w').write('41')\n    except OSError: continue\n    return 124439808\nreturn 1",
)
answer(
    "rope answers too widely to multiply",
    "def rope(Q):\n    return np.ones((1, 10**6), np.int8)",
    said="形状应当是",
)
hostile("nested answer", "x = []\nfor i in range(200): x = [x]\nreturn x", said="TypeError")
hostile("patched numpy", "return 1", "np.allclose = np.isclose = np.array_equal = lambda *a, **k: True\n")
hostile(
    "patched checks", "return 1", "Checks.equal = lambda self, points, *a, **k: setattr(self, 'points', 99)\n"
)
hostile(
    "patched abs",
    "return 1",
    "import builtins\nbuiltins.abs = lambda x: 0\nbuiltins.AssertionError = Exception\n",
)
hostile(
    "forged replies",
    'import os, struct\nfor number in range(300):\n    text = b\'{"id": %d, "value": 124439808}\' % number\n'
    "    for fd in range(3, 16):\n        try: os.write(fd, struct.pack('>I', len(text)) + text)\n"
    "        except OSError: pass\nreturn 1",
    lost={"test-count": (0, 1)},
)
hostile(
    "forged frame",
    "import os\nfor fd in range(3, 16):\n"
    "    try: os.write(fd, b'\\xff' * 64)\n    except OSError: pass\nreturn 1",
    said="读不懂",
)
hostile("closes the channel", "import os\nos.closerange(0, 64)\nreturn 1", said="SystemExit")
hostile(
    "reads the solution",
    "import glob, re\n"
    "paths = ['{source}', '{other}', '/proc/1/root{source}']\n"
    "for path in glob.glob('/**/*.ipynb', recursive=True) + paths:\n"
    "    try: text = open(path).read()\n    except OSError: continue\n"
    "    if '124439808' in text or 'count_parameters' in text: return 124439808\nreturn 1",
)
PLACES = "'{secret}', '{roster}', '{classmate}'"
hostile(
    "reads the teacher's files and a classmate's",
    f"found = []\nfor path in ({PLACES}):\n"
    "    for root in ('', '/proc/1/root', '/proc/self/cwd/..', '/newroot', '/oldroot'):\n"
    "        try: found.append(open(root + path).read())\n        except OSError: continue\n"
    "raise ValueError(found)",
    said="ValueError: []",
)
hostile(
    "imports the book", "import transformer_book, book_tools\nreturn 124439808", said="ModuleNotFoundError"
)
hostile(
    "network",
    "import socket\nsocket.create_connection(('127.0.0.1', 22), timeout=2)\nreturn 124439808",
    said="Error",
)
hostile(
    "host socket",
    "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('/run/docker.sock')",
    said="Error",
)
hostile("writes to the host", "open('{canary}', 'w').write('owned')", said="Error")
hostile("deletes everything", "import shutil\nshutil.rmtree('/', ignore_errors=True)\nreturn 1")
hostile("becomes root", "import os\nos.setuid(0)", said="OSError")
hostile(
    "new namespace",
    "import ctypes\n"
    "if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == 0: return 124439808\nreturn 1",
)
hostile("traces its parent", "import ctypes\nreturn ctypes.CDLL(None).ptrace(16, 1, 0, 0)")
answer(
    "count leaves a daemon",
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
    "    if os.fork() == 0: time.sleep(10**6)\n    os._exit(0)\n" + COUNT.format("pass"),
    {},
)
answer(
    "cache floods the channel",
    "import os, threading\ndef flood():\n    while True:\n        for fd in range(3, 16):\n"
    "            try: os.write(fd, b'{}')\n            except OSError: pass\n"
    "threading.Thread(target=flood, daemon=True).start()\ndef cached_step(*a): return 1",
    said="读不懂",
)
answer(
    "cache breaks python",
    "import builtins, json, os\nbuiltins.isinstance = None\njson.dumps = None\n"
    "os.read = os.write = None\ndef cached_step(*a): return 1",
    said="SystemExit",
)


# What an answer sees of the hidden inputs (V = 997 is one) or of the marker may not come back in its words.
TELLS = (
    "for path in ('/proc/1/environ', '/proc/self/environ', '/proc/1/cmdline'): told += open(path).read()\n"
)
hostile("tells its environment", f"told = ''\n{TELLS}raise ValueError(told)", said="ValueError")
hostile(
    "searches memory",
    "told = b''\nfor line in open('/proc/1/maps'):\n"
    "    a, b = (int(x, 16) for x in line.split()[0].split('-'))\n"
    "    try:\n        with open('/proc/1/mem', 'rb') as f:\n"
    "            f.seek(a)\n            data = f.read(b - a)\n"
    "    except (OSError, ValueError, OverflowError): continue\n"
    "    i = data.find(b'TEACHER' b'_TOKEN=')\n"
    "    if i >= 0: raise ValueError(repr(data[i:i + 99]))\nreturn 1",
    lost={"test-count": 0},
)
hostile("tells its inputs", "raise ValueError(repr(arguments))", said="ValueError")
hostile("names its inputs", "raise type('V%d' % arguments[0], (Exception,), {})", said="V50257")
hostile("shapes its inputs", "return np.zeros(arguments[:2])", said="形状")
hostile(
    "numbers lines by its inputs",
    "space, text = {}, '\\n' * (arguments[0] - 1) + 'def f(): raise KeyError'\n"
    "exec(compile(text, '<answer>', 'exec'), space)\nspace['f']()",
    said="KeyError",
)
answer(
    "rope tells an earlier test's inputs",
    "kept = []\nold = softmax\ndef softmax(S):\n    kept.append(S.tolist())\n    return old(S)\n"
    "def rope(Q):\n    raise ValueError(repr(kept))",
    said="ValueError",
)
hostile(
    "raises control characters", r"raise ValueError('\x1b[2J\x00\x9b\u202e\u2066\u200b')", said="ValueError"
)
hostile(
    "error with a name that raises",
    "class M(type):\n    @property\n    def __name__(self): raise SystemExit\n"
    "class E(Exception, metaclass=M): pass\nraise E",
)

# -- memory of the kernel's
KERNEL = "import ctypes\nl = ctypes.CDLL(None)\n"
for call, arguments in {
    "semget": "0, 32000, 0o600",
    "msgget": "0, 0o1600",
    "shmget": "0, 1 << 20, 0o1600",
    "mq_open": "b'/x', 0o102, 0o600, None",
    "setxattr": "b'/tmp', b'user.x', b'1', 1, 0",
    "lsetxattr": "b'/tmp', b'user.x', b'1', 1, 0",
    "fsetxattr": "0, b'user.x', b'1', 1, 0",
    "inotify_init1": "0",
}.items():
    hostile(f"calls {call}", f"{KERNEL}return 124439808 if l.{call}({arguments}) >= 0 else 1")
hostile(
    "fills socket buffers", "import socket\nsocket.socketpair()\nreturn 124439808", said="PermissionError"
)
hostile("makes empty files", "import os\nfor i in range(10**9): os.mknod(f'/tmp/{i}')", said=FULL)
hostile("makes empty folders", "import os\nfor i in range(10**9): os.mkdir(f'/dev/shm/{i}')", said=FULL)
hostile(
    "keeps deleted files open",
    "import os\nkept = []\nfor i in range(10**9):\n"
    "    kept.append(os.open('/tmp/x', os.O_CREAT | os.O_RDWR)); os.unlink('/tmp/x')",
    said="OSError",
)
hostile(
    "fills pipes",
    "import fcntl, os\nkept = []\nwhile True:\n"
    "    kept.append(os.pipe()); os.set_blocking(kept[-1][1], False)\n"
    "    fcntl.fcntl(kept[-1][1], 1031, 1 << 20)\n    os.write(kept[-1][1], b'1' * (1 << 20))",
    said="Error",
)
hostile("stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nreturn 1")

# -- the marker's own work
answer(
    "softmax of no bytes",
    "def softmax(S):\n    return np.zeros((0, 10**9))",
    {"test-softmax": 0},
    said="太大",
)
hostile("too many dimensions", "return np.zeros((1,) * 32)", said="太大")
hostile("colliding keys", "return {k * ((1 << 61) - 1): 1 for k in range(3_000)}", said="太大")
hostile("too many values", "return list(range(350_000))", said="太大")
FRAME = """import os, struct, sys
frame = sys._getframe()
while 'request' not in frame.f_locals: frame = frame.f_back
text = ('{"id": %d, "value": ' % frame.f_locals['request']['id'] + TEXT + '}').encode()
for fd in range(3, 16):
    data = struct.pack('>I', len(text)) + text
    try:
        while data: data = data[os.write(fd, data):]
    except OSError: pass
return 1"""
for name, text in {
    "a shape of 250 long numbers": "'{\"array\": [\"<f8\", [' + ', '.join(['1' * 4299] * 250) + '], \"\"]}'",
    "a shape of no bytes": '\'{"array": ["<f8", [0, 1000000000], ""]}\'',
    "a tensor of no bytes": '\'{"tensor": ["<f4", [1000000000, 0], ""]}\'',
    "colliding pairs": "'{\"dict\": [' + ', '.join(f'[{k * (2**61 - 1)}, 1]' for k in range(9000)) + ']}'",
    "empty lists": "'{\"list\": [' + ', '.join(['[]'] * 400000) + ']}'",
}.items():
    hostile(f"forges {name}", FRAME.replace("TEXT", text), said="读不懂")


# A token in the teacher's environment, and what stands in the teacher's files and in one of the papers.
PLANTED = {place: f"planted-{place}-1f7a" for place in ("token", "secret", "roster", "classmate")}


@case("a classmate.ipynb")
def _(make):
    raw = make.raw()
    raw["cells"].insert(0, {"cell_type": "markdown", "source": PLANTED["classmate"], "metadata": {}})
    return json.dumps(raw).encode()


# -- the run -------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """What one run of the command left."""

    process: object
    rows: dict
    totals: dict
    out: Path
    canary: Path
    before: dict
    watched: tuple


def fingerprint(folders):
    """Digest every file below some folders (links and pipes by name alone)."""
    found = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        regular = path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 20
        found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if regular else "-"
    return found


def read_csv(path):
    """Read a table as the command writes it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def shown(name):
    """A file name as reports show it."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in name)


@pytest.fixture(scope="module")
def run(tmp_path_factory, makers, sandboxed):
    """Mark the whole corpus once, with a copy of the set outside the repository that has tight limits."""
    base = tmp_path_factory.mktemp("corpus")
    course, papers, out = base / "course", base / "papers", base / "out" / "code"
    course.mkdir()
    papers.mkdir()
    maker = makers["code"]
    raw = {**maker.assignment.raw, "metadata": {**maker.assignment.raw["metadata"]}}
    raw["metadata"]["book_tools"] = {"title": "写代码", "limits": LIMITS}
    (course / "code.ipynb").write_text(json.dumps(raw), encoding="utf-8")
    canary = base / "canary"
    places = {
        "{canary}": str(canary),
        "{source}": str(course / "code.ipynb"),
        "{other}": str(papers / "perfect.ipynb"),
        "{out}": str(out),
        "{secret}": str(course / "secret.txt"),
        "{roster}": str(base / "roster.csv"),
        "{classmate}": str(papers / "a classmate.ipynb"),
        "{token}": "TEACHER_TOKEN",
    }
    for place in ("secret", "roster"):
        Path(places[f"{{{place}}}"]).write_text(PLANTED[place], encoding="utf-8")
    for one in CASES:
        path = papers / one.name
        if "path" in one.make.__code__.co_varnames:
            one.make(maker, path)
            continue
        data = one.make(maker)
        for word, value in places.items():
            data = data.replace(word.encode(), value.encode())
        path.write_bytes(data)
    watched = (course, papers, Path(__file__).parents[2] / "assignments")
    before = fingerprint(watched)
    command = [
        sys.executable,
        "-m",
        "book_grading",
        "mark",
        course / "code.ipynb",
        papers,
        "--out",
        out.parent,
    ]
    environment = {**os.environ, "TEACHER_TOKEN": PLANTED["token"]}
    process = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, env=environment
    )
    assert process.returncode == 0, process.stderr[-2000:]
    rows = {}
    for row in read_csv(out / "marks.csv"):
        rows.setdefault(row["文件"].removeprefix("'"), {})[row["题号"]] = row
    totals = {row["文件"].removeprefix("'"): row for row in read_csv(out / "totals.csv")}
    return Run(process, rows, totals, out, canary, before, watched)


@pytest.mark.parametrize("one", CASES, ids=lambda one: ascii(one.name))
def test_each_submission_gets_the_mark_it_deserves(run, one):
    rows, total = run.rows[shown(one.name)], run.totals[shown(one.name)]
    if not one.mark:
        assert list(rows) == [""], "a file that is no submission must get no mark, not zero"
        assert total["总分"] == total["自动评分"] == ""
        assert one.said in rows[""]["反馈"]
        return
    for item, most in ITEMS.items():
        wanted = one.lost.get(item, most)
        allowed = wanted if isinstance(wanted, tuple) else (wanted,)
        row = rows[item]
        assert row["得分"] in {str(points) for points in allowed}, f"{item}: {row['反馈']}"
    told = " ".join(rows[item]["反馈"] for item in one.lost)
    texts = one.said if isinstance(one.said, tuple) else (one.said,)
    assert any(text in told for text in texts), told
    assert one.note in total["备注"], total["备注"]


def test_the_terminal_says_what_happened_to_each(run):
    said = run.process.stdout
    for one in CASES:
        assert f"{shown(one.name)}: " in said, f"nothing is said about {one.name!r}"
    assert "\x1b" not in said, "a file name reached the terminal with its control characters"


def test_no_file_of_the_host_changes(run):
    assert not run.canary.exists(), "student code wrote to the host"
    assert fingerprint(run.watched) == run.before, "a submission, a set or a file of the book changed"


def test_no_process_is_left(run):
    import psutil

    left = [
        p for p in psutil.process_iter(["cmdline"]) if "/opt/marker/runner.py" in (p.info["cmdline"] or [])
    ]
    ours = [
        p
        for p in left
        if p.uids().real >= 61184 and str(LIMITS["disk_mib"] << 20) in " ".join(p.info["cmdline"])
    ]
    _, left = psutil.wait_procs(ours, timeout=30)  # killed, but not gone yet on a busy machine
    assert not left, f"student processes outlive the run: {left}"


def test_feedback_pages_run_no_script_and_show_no_hidden_test(run, sets):
    pages = sorted((run.out / "feedback").iterdir())
    assert len(pages) == len(CASES), "every paper has a page of its own"
    cells = sets["code"].cells
    hidden = [line.strip() for cell in cells if cell.role == "test" for line in cell.source.split("\n")]
    telling = [line for line in hidden if "rng" in line or "powers" in line or "right" in line]
    assert telling, "the check below would be empty"
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text.lower(), f"{page.name} holds a script"
        assert not [line for line in telling if line in html.unescape(text)], (
            f"{page.name} shows a hidden test"
        )


def test_nothing_of_the_teachers_comes_back(run):
    """No token, file or other paper, and no hidden input, in any text that the run wrote.

    The hidden inputs are softmax's first and count_parameters' V.
    """
    hidden = repr(float(np.random.default_rng(1).normal() * 2))[:9]
    texts = {
        path: path.read_text("utf-8", "replace")
        for path in run.out.rglob("*")
        if path.suffix != ".zip" and path.is_file()
    }
    texts |= {"stdout": run.process.stdout, "stderr": run.process.stderr}
    for place, text in texts.items():
        for what, planted in PLANTED.items():
            assert planted not in text, f"{place} holds what was planted in the {what}"
        assert hidden not in text, f"{place} holds a hidden input of softmax"
        assert not re.search(r"V997|\b997\b[^.]", text), f"{place} holds a hidden input of count_parameters"


def test_no_control_character_reaches_a_table_or_a_page(run):
    for path in [*run.out.glob("*.csv"), *run.out.rglob("*.html")]:
        text = path.read_text(encoding="utf-8-sig")
        odd = {char for char in text if unicodedata.category(char) in ("Cc", "Cf") and char not in "\n\r\t"}
        assert not odd, f"{path.name} holds {odd}"


def test_reports_stay_in_their_folder(run):
    names = {path.name for path in run.out.iterdir()}
    pages = {"summary.html", "similar.html", "feedback", "feedback.zip"}
    uploads = {f"upload-{platform}.csv" for platform in ("moodle", "canvas", "xuexitong")}
    assert names == {"marks", "marks.csv", "totals.csv", "hand-marks.csv"} | pages | uploads
    assert all(path.suffix == ".html" for path in (run.out / "feedback").iterdir())


def test_tables_open_in_excel_as_text(run):
    data = (run.out / "marks.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf"), "Excel reads a CSV without a mark as the system's old encoding"
    cells = [value for row in read_csv(run.out / "marks.csv") for value in row.values()]
    assert not [value for value in cells if value.startswith(("=", "+", "-", "@"))], (
        "a cell would run as a formula"
    )
