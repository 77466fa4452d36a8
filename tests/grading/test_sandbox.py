"""The sandbox itself: what it covers, what it limits, and that nothing of it is left."""

import os
import sysconfig
from pathlib import Path

import pytest

from book_grading import channel, sandbox, seccomp
from book_grading.sandbox import Limits, OutOfMemory, OutOfTime, Sandbox, Silent

SOURCES = Path(sandbox.__file__).parents[1]
PACKAGES = sysconfig.get_path("purelib")


@pytest.fixture(scope="module")
def shared_box(sandboxed):
    """A box for tests that look around and leave nothing, started by a teacher who has a token."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEACHER_TOKEN", "secret")
        with Sandbox(Limits(cpu_s=60)) as box:
            yield box


def value(box, source):
    """Run a cell and fetch what it calls ``x``."""
    answer = box.request("run", source=source)
    assert "error" not in answer, answer
    return channel.decode(box.request("get", name="x")["value"])


def test_a_hidden_folder_in_a_bound_tree_is_covered(sandboxed):
    """A course kept below the Python installation must not be readable through it."""
    assert os.listdir(os.path.join(PACKAGES, "tqdm"))
    with Sandbox(hidden=[os.path.join(PACKAGES, "tqdm")]) as box:
        assert value(box, "import os; x = os.listdir('/opt/packages/tqdm')") == []
        assert value(box, "x = len(os.listdir('/opt/packages/numpy'))") > 0


def test_installed_copies_of_the_book_are_covered(tmp_path):
    """Installed without -e, the library lies among the packages."""
    (tmp_path / "book_tools").mkdir()
    trees = {"/opt/python": "/opt/elsewhere", "/opt/packages": str(tmp_path)}
    assert sandbox.masks(trees, ()) == [("/opt/packages/book_tools", True)]


def test_a_hidden_file_in_a_bound_tree_is_covered(sandboxed):
    """A roster or a secret may lie in a folder that has to be seen."""
    path = os.path.join(PACKAGES, "six.py")
    assert os.path.getsize(path) > 0
    with Sandbox(hidden=[path]) as box:
        source = "x = ''\ntry: x = open('/opt/packages/six.py').read()\nexcept OSError: pass"
        assert value(box, source) == ""


def test_a_sandbox_is_an_ordinary_user_without_a_network_or_a_home(shared_box):
    source = "import os\nnames = [line.split(':')[0] for line in open('/proc/net/dev') if ':' in line]\n"
    source += "x = [os.getuid(), os.listdir('/'), [name.strip() for name in names]]"
    user, folders, interfaces = value(shared_box, source)
    assert user != 0
    assert set(folders) <= {"bin", "dev", "etc", "lib", "lib32", "lib64", "opt", "proc", "tmp", "usr"}
    assert interfaces == ["lo"]


def test_nothing_can_be_written_but_the_sized_folders(shared_box):
    source = "import os\nx = []\nfor top, folders, files in os.walk('/'):\n"
    source += "    if top.startswith('/proc'): folders.clear(); continue\n"
    source += "    try: open(top + '/canary', 'w').close(); x.append(top)\n    except OSError: pass"
    assert sorted(value(shared_box, source)) == ["/dev/shm", "/tmp"]


def test_environment_variables_of_the_teacher_stay_outside(shared_box):
    assert value(shared_box, "import os; x = 'TEACHER_TOKEN' in os.environ") is False
    source = "import glob\nx = ''.join(open(path).read() for path in glob.glob('/proc/[0-9]*/environ'))"
    assert "TEACHER_TOKEN" not in value(shared_box, source), "a process of bubblewrap's own has it"


def test_no_process_in_sight_is_the_markers(shared_box):
    """Bubblewrap's own process would show the host's paths, and its memory to who opens it."""
    source = "import os; x = [p for p in os.listdir('/proc') if p.isdigit()]"
    assert value(shared_box, source) == ["1"]
    assert value(shared_box, "x = 'runner.py' in open('/proc/1/cmdline').read()") is True


def test_files_without_a_byte_are_counted(sandboxed):
    with Sandbox() as box, pytest.raises(OutOfMemory, match="files"):
        box.request("run", source="import os\nfor i in range(10**8): os.mknod(f'/tmp/{i}')")


def test_files_of_the_host_are_not_the_students(sandboxed, monkeypatch):
    """Before the sandbox has its own folders, a look into them is a look into the host's."""
    monkeypatch.setattr(sandbox, "MOST_FILES", 3)
    monkeypatch.setattr(sandbox, "LOOK_EVERY", 0)
    with Sandbox() as box:
        assert value(box, "x = 1") == 1


@pytest.mark.parametrize("protected", [True, False])
def test_the_library_that_holds_the_answers_cannot_be_imported(sandboxed, protected):
    """Also without a sandbox, and where the answer finds the book's folder by itself."""
    source = f"import sys\nsys.path.append({str(SOURCES)!r})\nimport transformer_book"
    with Sandbox(protected=protected) as box:
        assert box.request("run", source=source)["error"]["type"] == "ModuleNotFoundError"


def test_randomness_without_a_seed_is_the_same_in_every_run(sandboxed):
    source = (
        "import random, secrets, numpy as np\nx = [float(np.random.default_rng().normal()), random.random(),"
    )
    source += " random.Random().random(), secrets.randbits(50), float(np.random.RandomState().normal())]"
    drawn = []
    for _ in range(2):
        with Sandbox() as box:
            drawn.append(value(box, source))
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == len(drawn[0]), "the generators all give the same number"


CALLS = [
    "l.memfd_create(b'x', 0)",
    "l.shmget(0, 4096, 0o1600)",
    "l.semget(0, 32000, 0o600)",
    "l.msgget(0, 0o1600)",
    "l.mq_open(b'/x', 0o102, 0o600, None)",
    "l.setxattr(b'/tmp', b'user.x', b'1', 1, 0)",
    "l.lsetxattr(b'/tmp', b'user.x', b'1', 1, 0)",
    "l.fsetxattr(0, b'user.x', b'1', 1, 0)",
    "l.socket(1, 1, 0)",
    "l.socketpair(1, 1, 0, ctypes.create_string_buffer(8))",
    "l.inotify_init1(0)",
    "l.ptrace(0, 0, 0, 0)",
]


@pytest.mark.skipif(seccomp.program() is None, reason="no system-call filter is written for this machine")
@pytest.mark.parametrize("call", CALLS)
def test_calls_past_the_other_limits_are_refused(shared_box, call):
    source = f"import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nx = [{call}, ctypes.get_errno()]"
    assert value(shared_box, source) == [-1, 1]


def test_code_that_works_is_told_from_code_that_sleeps(sandboxed):
    limits = Limits(cpu_s=0.5, wall_s=1)
    with Sandbox(limits) as box, pytest.raises(OutOfTime):
        box.request("run", source="while True: pass")
    with Sandbox(limits) as box, pytest.raises(Silent):
        box.request("run", source="import time; time.sleep(1000)")


def test_starving_code_is_not_taken_for_sleeping_code(sandboxed, monkeypatch):
    """On a machine that gives it a tenth of a core, code needs ten times its CPU limit by the clock."""
    with Sandbox(Limits(cpu_s=10, wall_s=1)) as box:
        cpu = iter([0.0, 1.0, 2.0, 3.0])
        monkeypatch.setattr(sandbox, "usage", lambda family: (next(cpu), 0))
        clock = iter([8.0, 16.0, 24.0, 99.0])
        monkeypatch.setattr(sandbox.time, "monotonic", lambda: next(clock))
        baseline = None
        with pytest.raises(Silent):  # 8 s without any CPU time: asleep
            box._watch(0.0, baseline)
        assert box._watch(0.0, 0.0) == 0.0
        assert box._watch(0.0, 0.0) == 0.0
        with pytest.raises(Silent):
            box._watch(0.0, 0.0)
