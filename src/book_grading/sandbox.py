"""One bounded process for a student's code: what it sees, how much it may use, and a watch from outside.

bubblewrap takes away the network, the files and every privilege; ``runner`` sets hard limits on itself
before it runs student code; the marker watches CPU time and memory of the whole process tree and ends it
from outside. CPU time is what counts; the wall-clock limit is generous and ends only what sleeps.
"""

import json
import os
import platform
import re
import select
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from book_grading import channel, seccomp

HERE = Path(__file__).parent
OWN_PACKAGES = ("transformer_book", "book_tools", "book_grading")  # they hold the answers
MEBIBYTE = 1 << 20
# The first of the user IDs that systemd keeps for short-lived services: nothing on a disk belongs to them.
FIRST_USER = 61184
OLDEST_BUBBLEWRAP = (0, 8)
# Each second of CPU time that code got adds this many seconds to its wall-clock limit: even with a
# twentieth of a core, code reaches its CPU limit first, and only what sleeps meets the clock.
BUSY_MACHINE = 20
LOOK_EVERY = 0.1  # seconds
# Files in the sized folders, empty ones too: the kernel keeps about 1 KiB for each, outside the size limit.
MOST_FILES = 20_000
# Since Linux 5.14 each user namespace counts its own processes; before it, a limit counts all of the user's.
NAMESPACED_PROCESS_COUNT = (5, 14)
HOW_TO_GET = (
    "bubblewrap ≥ 0.8 is needed to mark safely: `apt install bubblewrap` or `dnf install bubblewrap` "
    "on Linux; on Windows and macOS use the container file (src/book_grading/Containerfile). "
    "`--no-sandbox` runs students' code with your own rights: your choice, at your risk."
)


class NoSandbox(Exception):
    """The sandbox is missing or does not start on this machine."""


class Stopped(BaseException):
    """The marker was asked to stop; no test cell may catch it."""


class OutOfTime(Exception):
    """The code used more CPU time than it may."""


class OutOfMemory(Exception):
    """The code used more memory than it may, or more files, which are memory too."""


class Silent(Exception):
    """The code neither answered nor used its CPU time before the wall-clock limit."""


class Died(Exception):
    """The student's process ended before it answered."""


class Garbled(Exception):
    """What came back is not an answer: the student's process wrote to the channel itself."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use; CPU and wall time are in seconds for one request, sizes in MiB."""

    cpu_s: float = 10.0
    wall_s: float = 60.0
    memory_mib: int = 2048
    processes: int = 48
    disk_mib: int = 64
    reply_mib: int = 16


class Sandbox:
    """One running process that answers requests; use it as a context manager."""

    def __init__(self, limits=None, slot=0, protected=True, stop=None, hidden=()):
        """Start the process.

        ``slot`` numbers the marker's workers, so that two never share a user; ``protected=False`` leaves
        out bubblewrap; ``stop`` is a threading.Event that ends a wait; ``hidden`` are paths that must not
        be seen even where a bound folder contains them. Raises NoSandbox with the reason when the process
        does not start.
        """
        self.limits = limits or Limits()
        self.stop = stop
        self.cpu_used = 0.0
        self._looked = time.monotonic()
        self._number = 0
        self._folder = None
        self._inside = None  # a process that sees what the student's code sees
        command, filters = self._command(slot, protected, hidden)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=filters,
                cwd=self._folder or "/",
                env=OUTER_ENVIRONMENT if protected else bare_environment(self._folder),
                start_new_session=True,
            )
        finally:
            for descriptor in filters:
                os.close(descriptor)
        try:
            if self._receive() != {"ready": True}:
                raise NoSandbox("the process in the sandbox did not announce itself")
            self._inside = self._family()[-1].pid if protected else None
        except (Died, Silent, Garbled, OutOfTime, OutOfMemory) as error:
            self._end()
            told = self._process.stderr.read(4000).decode(errors="replace").strip()
            self.close()
            raise NoSandbox(f"the sandbox does not start: {told or error}") from error
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def request(self, op, **fields):
        """Send a request and return the answer: {"value": …} or {"error": …}, still encoded.

        Raises OutOfTime, OutOfMemory, Silent, Died or Garbled; the sandbox is closed then.
        """
        self._number += 1
        try:
            if self.stop is not None and self.stop.is_set():
                raise Stopped
            self._send(channel.pack({"id": self._number, "op": op, **fields}))
            answer = self._receive()
            if answer.get("id") != self._number or not {"value", "error"} & set(answer):
                raise Garbled("an answer to no question")
        except BaseException:
            self.close()
            raise
        return answer

    def close(self):
        """End the process and all that it started."""
        self._end()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self):
        """Kill the whole process tree (without a sandbox nothing else ends what the code started)."""
        for process in self._family():
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._process.kill()
        self._process.wait()

    # -- starting ---------------------------------------------------------------------------------------

    def _command(self, slot, protected, hidden):
        """Return the command line and the descriptors that it inherits."""
        if not protected:
            self._folder = tempfile.mkdtemp(prefix="marking-")
            command = [sys.executable, "-I", "-S", "-B", str(HERE / "runner.py"), self._bounds(False)]
            return [*command, sysconfig.get_path("purelib")], ()
        filters = filter_descriptors()
        trees = visible_trees()
        sources, stage = as_root(trees, FIRST_USER + slot) if os.geteuid() == 0 else (trees, [])
        command = [*stage, *bubblewrap_options(sources, masks(trees, hidden), self.limits)]
        command += ["--seccomp", str(filters[0])] if filters else []
        command += ["--", f"/opt/python/bin/{Path(os.path.realpath(sys.executable)).name}", "-I", "-S", "-B"]
        return [*command, "/opt/marker/runner.py", self._bounds(True), "/opt/packages"], filters

    def _bounds(self, protected):
        """Return the runner's limits as JSON."""
        return json.dumps(
            {
                "process_cpu_s": int(20 * self.limits.cpu_s) + 1,
                "memory_bytes": self.limits.memory_mib * MEBIBYTE,
                "disk_bytes": self.limits.disk_mib * MEBIBYTE,
                "processes": process_limit(self.limits.processes) if protected else None,
                "reply_bytes": self.limits.reply_mib * MEBIBYTE,
            }
        )

    # -- the channel ------------------------------------------------------------------------------------

    def _send(self, data):
        """Write a request, watching the process while it does not read."""
        descriptor = self._process.stdin.fileno()
        os.set_blocking(descriptor, False)
        started, baseline = time.monotonic(), None
        while data:
            ready = select.select([], [descriptor], [], LOOK_EVERY)[1]
            baseline = self._look(started, baseline)
            if ready:
                try:
                    data = data[os.write(descriptor, data[: 1 << 16]) :]
                except OSError as error:
                    raise Died("the process ended") from error

    def _receive(self):
        """Read one answer within the limits."""
        started, baseline = time.monotonic(), None
        descriptor = self._process.stdout.fileno()
        buffer, wanted = bytearray(), channel.HEADER.size  # bytes would be copied whole for each part
        while len(buffer) < wanted:
            ready = select.select([descriptor], [], [], LOOK_EVERY)[0]
            baseline = self._look(started, baseline)
            if not ready:
                continue
            part = os.read(descriptor, min(wanted - len(buffer), 1 << 20))
            if not part:
                raise Died("the process ended")
            buffer += part
            if wanted == channel.HEADER.size and len(buffer) == wanted:
                (length,) = channel.HEADER.unpack(buffer)
                if length > self.limits.reply_mib * MEBIBYTE:
                    raise Garbled(f"an answer of {length} bytes")
                wanted += length
        try:
            return channel.unpack(bytes(buffer[channel.HEADER.size :]))
        except channel.BadFrame as error:
            raise Garbled(str(error)) from error

    def _look(self, started, baseline):
        """Watch the process tree if the last look was a while ago, also while bytes keep coming."""
        if time.monotonic() - self._looked < LOOK_EVERY:
            return baseline
        baseline = self._watch(started, baseline)
        self._looked = time.monotonic()
        return baseline

    def _watch(self, started, baseline):
        """Look at the process tree once; raise when a limit is passed, else return the CPU baseline."""
        if self.stop is not None and self.stop.is_set():
            raise Stopped
        family = self._family()
        cpu, memory = usage(family)
        if baseline is None:
            baseline = cpu
        self.cpu_used = max(self.cpu_used, cpu)
        if memory > self.limits.memory_mib * MEBIBYTE:
            raise OutOfMemory(f"more than {self.limits.memory_mib} MiB of memory")
        if cpu - baseline > self.limits.cpu_s:
            raise OutOfTime(f"more than {self.limits.cpu_s:g} s of CPU time")
        if self._inside is not None and files_used(self._inside) > MOST_FILES:
            raise OutOfMemory(f"more than {MOST_FILES} files")
        if time.monotonic() - started > self.limits.wall_s + BUSY_MACHINE * (cpu - baseline):
            raise Silent(f"no answer in {self.limits.wall_s:g} s")
        return baseline

    def _family(self):
        """List the process and its descendants (the sandbox's first process adopts orphans)."""
        try:
            head = psutil.Process(self._process.pid)
            return [head, *head.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []


def usage(processes):
    """Sum CPU seconds (with those of children that ended) and resident bytes over processes."""
    cpu, memory = 0.0, 0
    for process in processes:
        try:
            cpu += sum(process.cpu_times()[:4])
            memory += process.memory_info().rss
        except psutil.Error:  # it ended, or is ending
            continue
    return cpu, memory


def files_used(inside):
    """Count the files in the sized folders that a process sees, deleted ones that are still open too."""
    try:
        counts = [os.statvfs(f"/proc/{inside}/root/{folder}") for folder in ("tmp", "dev/shm")]
    except OSError:  # it ended
        return 0
    return sum(count.f_files - count.f_ffree for count in counts)


def bare_environment(folder):
    """Return the few variables that a process without a sandbox gets; not the teacher's tokens."""
    return {**STUDENT_ENVIRONMENT, "HOME": folder, "TMPDIR": folder, "PATH": os.defpath}


# What bubblewrap itself and the stage before it get: /proc shows it.
OUTER_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
STUDENT_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


def visible_trees():
    """Return {path in the sandbox: path here} of what is bound read-only."""
    return {
        "/opt/python": sys.base_prefix,
        "/opt/packages": sysconfig.get_path("purelib"),
        **{f"/opt/marker/{name}": str(HERE / name) for name in ("runner.py", "channel.py", "compiler.py")},
    }


def bubblewrap_options(sources, covered, limits):
    """Return bubblewrap's command line up to the program: sources to bind, folders to cover."""
    size = str(limits.disk_mib * MEBIBYTE)
    options = [shutil.which("bwrap") or "bwrap", "--unshare-user", "--unshare-all", "--disable-userns"]
    options += ["--hostname", "student", "--die-with-parent", "--new-session", "--clearenv"]
    options += ["--as-pid-1"]  # no process of bubblewrap's own in sight, with its memory and command line
    environment = {**STUDENT_ENVIRONMENT, "HOME": "/tmp", "PATH": "/usr/bin"}
    environment["LD_LIBRARY_PATH"] = "/opt/python/lib"
    for name, value in environment.items():
        options += ["--setenv", name, value]
    options += ["--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for path in ("/lib", "/lib32", "/lib64", "/bin"):
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            options += ["--ro-bind", path, path]
    for target, source in sources.items():
        options += ["--ro-bind", source, target]
    for path, folder in covered:
        options += ["--tmpfs", path, "--remount-ro", path] if folder else ["--ro-bind", "/dev/null", path]
    options += ["--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]
    options += ["--remount-ro", "/dev", "--size", size, "--tmpfs", "/tmp", "--chdir", "/tmp"]
    return [*options, "--remount-ro", "/"]


def masks(trees, hidden):
    """List (path, whether a folder) of what to cover: the book's own code, hidden paths in bound trees."""
    packages = Path(trees["/opt/packages"])
    roots = {"/usr": "/usr", **{target: trees[target] for target in ("/opt/python", "/opt/packages")}}
    covered = []
    for path in map(os.path.realpath, [*hidden, *(packages / name for name in OWN_PACKAGES)]):
        for target, source in roots.items():
            source = os.path.realpath(source)
            if os.path.exists(path) and os.path.commonpath([path, source]) == source != path:
                covered.append((os.path.join(target, os.path.relpath(path, source)), os.path.isdir(path)))
    return covered


# In a mount namespace of its own, root binds what the unprivileged user may not reach (a home folder) below
# /mnt, becomes that user and only then starts bubblewrap.
STAGE = """
set -e
mount -t tmpfs -o size=1m,mode=755 tmpfs /mnt
user=$1; shift
count=$1; shift
i=0
while [ $i -lt $count ]; do
  if [ -d "$1" ]; then mkdir /mnt/$i; else : > /mnt/$i; fi
  mount --bind "$1" /mnt/$i
  shift; i=$((i + 1))
done
exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs "$@"
"""


def as_root(trees, user):
    """Return where the trees will stand, and the command that puts them there and drops all rights."""
    stage = ["unshare", "--mount", "--propagation", "private", "sh", "-c", STAGE, "sh"]
    stage += [str(user), str(len(trees))]
    return {target: f"/mnt/{i}" for i, target in enumerate(trees)}, [*stage, *trees.values()]


def filter_descriptors():
    """Return the descriptor of a file with the system-call filter, or none where there is no filter."""
    code = seccomp.program()
    if code is None:
        return ()
    with tempfile.TemporaryFile() as file:
        file.write(code)
        file.flush()
        descriptor = os.dup(file.fileno())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return (descriptor,)


def process_limit(allowed):
    """Return the limit that lets the sandbox have this many processes and threads."""
    release = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
    if os.geteuid() == 0 or release >= NAMESPACED_PROCESS_COUNT:
        return allowed
    return allowed + sum(
        process.num_threads() for process in psutil.process_iter() if process.uids().real == os.getuid()
    )


def check_machine(limits=None):
    """Raise NoSandbox, with what to do, unless a sandbox starts here and hides what it should."""
    if sys.platform != "linux":
        raise NoSandbox(f"the sandbox needs Linux, this is {sys.platform}. {HOW_TO_GET}")
    if shutil.which("bwrap") is None:
        raise NoSandbox(f"bwrap is not installed. {HOW_TO_GET}")
    said = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    if version < OLDEST_BUBBLEWRAP:
        raise NoSandbox(f"bwrap is too old ({said.strip()}). {HOW_TO_GET}")
    try:
        with Sandbox(limits) as box:
            answer = box.request("run", source=PROBE)
    except NoSandbox as error:
        raise NoSandbox(f"{error}. {HOW_TO_GET}") from error
    if "error" in answer:
        raise NoSandbox(f"the sandbox leaks: {answer['error']['text']}. {HOW_TO_GET}")


# Run in the sandbox before any student code: it must have no privilege, no way out and no home folder.
PROBE = f"""
import os, socket
if os.getuid() == 0:
    raise RuntimeError("it runs as root")
if set(os.listdir("/")) & {{"home", "root", "work", "mnt", "srv"}}:
    raise RuntimeError("it sees " + " ".join(os.listdir("/")))
if "PATH=" + os.environ["PATH"] + "\\0" not in open("/proc/1/environ").read() + "\\0":
    raise RuntimeError("its first process has another environment")
if os.path.exists({str(HERE / "cli.py")!r}):
    raise RuntimeError("it sees the marker")
try:
    socket.create_connection(("192.0.2.1", 9), timeout=1)
except OSError as error:
    if error.errno not in (1, 101):  # refused by the filter, or no network to reach
        raise RuntimeError("it reaches a network") from error
"""
