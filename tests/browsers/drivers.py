"""Firefox and WebKitGTK by the commands of WebDriver, which each takes over its own wire.

Debian has no geckodriver, so Firefox is spoken to as geckodriver would: https://firefox-source-docs.mozilla.org/
testing/marionette/Protocol.html. WebKit's driver speaks HTTP: https://www.w3.org/TR/webdriver2/.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how the standard marks an element among values
PATIENCE = 120  # seconds


class BrowserError(RuntimeError):
    """A browser refused a command."""


class Driver:
    """What both have: a page, scripts in it, and a reader's clicks and keys."""

    def command(self, name: str, method: str, path: str, **parameters: object) -> object:
        """Give one command of WebDriver: its name at Firefox's, its method and path at WebKit's."""
        raise NotImplementedError

    def open(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        self.command("Navigate", "POST", "url", url=url)

    def size(self, width: int, height: int) -> None:
        """Make the window as large as this; a browser may have a least width."""
        self.command("SetWindowRect", "POST", "window/rect", width=width, height=height)

    def run(self, script: str, *arguments: object) -> object:
        """Return what a function's body returns in the page; an element comes as a mark of it."""
        return self.command("ExecuteScript", "POST", "execute/sync", script=script, args=list(arguments))

    def wait(self, condition: str) -> None:
        """Wait until an expression is true in the page."""
        look = f"const look = () => (({condition}) ? arguments[0](true) : setTimeout(look, 20)); look();"
        self.command("ExecuteAsyncScript", "POST", "execute/async", script=look, args=[])

    def click(self, element: dict) -> None:
        """Click on an element as a reader does."""
        self.command("ElementClick", "POST", f"element/{element[ELEMENT]}/click", id=element[ELEMENT])

    def type(self, element: dict, text: str) -> None:
        """Put the text into a field instead of what stands there, and press Enter."""
        self.command("ElementClear", "POST", f"element/{element[ELEMENT]}/clear", id=element[ELEMENT])
        path = f"element/{element[ELEMENT]}/value"
        self.command("ElementSendKeys", "POST", path, id=element[ELEMENT], text=f"{text}\ue007")


class Firefox(Driver):
    """Firefox ESR, without a window."""

    program = shutil.which("firefox-esr") or shutil.which("firefox")

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        Path(self.profile.name, "user.js").write_text('user_pref("marionette.port", 0);\n', encoding="utf-8")
        self.process = subprocess.Popen(
            [self.program, "--marionette", "--headless", "--no-remote", "--profile", self.profile.name],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port = int(_written(Path(self.profile.name, "MarionetteActivePort"), self.process))
        self.wire, self.count = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE), 0
        self._receive()  # its greeting
        self.command("NewSession", "", "")
        self.command("SetTimeouts", "", "", script=1000 * PATIENCE)

    def command(self, name: str, method: str, path: str, **parameters: object) -> object:
        """Send one message and read the answer: [1, number, error, result]."""
        if "script" in parameters and "args" in parameters:
            parameters["sandbox"] = None  # the page's own objects, not Firefox's guarded view of them
        self.count += 1
        message = json.dumps([0, self.count, f"WebDriver:{name}", parameters]).encode()
        self.wire.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._receive()
        if error:
            raise BrowserError(f"{name}: {error['message']}")
        return result.get("value") if isinstance(result, dict) else result

    def _receive(self) -> list:
        length = b""
        while not length.endswith(b":"):
            length += self._bytes(1)
        return json.loads(self._bytes(int(length[:-1])))

    def _bytes(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            part = self.wire.recv(count - len(found))
            if not part:
                raise BrowserError("Firefox has closed the connection")
            found += part
        return found

    def quit(self) -> None:
        """End the browser."""
        self.wire.close()
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


class WebKit(Driver):
    """WebKitGTK's small browser, on a screen of its own that nobody sees."""

    program = shutil.which("WebKitWebDriver") if shutil.which("Xvfb") else None

    def __init__(self):
        reading, writing = os.pipe()
        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"],
            pass_fds=(writing,),
            stderr=subprocess.DEVNULL,
        )
        os.close(writing)
        with os.fdopen(reading) as lines:
            display = f":{lines.readline().strip()}"
        port = _free_port()
        self.process = subprocess.Popen(
            [self.program, f"--port={port}", "--host=127.0.0.1"],
            env=os.environ | {"DISPLAY": display, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.base = f"http://127.0.0.1:{port}/session"
        _listening(port, self.process)
        self.base += f"/{self.command('', 'POST', '', capabilities={})['sessionId']}"
        self.command("", "POST", "timeouts", script=1000 * PATIENCE)

    def command(self, name: str, method: str, path: str, **parameters: object) -> object:
        """Make one request and read the answer's value."""
        address = f"{self.base}/{path}" if path else self.base
        body = json.dumps(parameters).encode() if method == "POST" else None
        request = Request(address, body, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except OSError as error:
            told = error.read().decode() if hasattr(error, "read") else str(error)
            raise BrowserError(f"{method} {path}: {told}") from error

    def quit(self) -> None:
        """End the browser, its driver and its screen."""
        self.command("", "DELETE", "")
        for process in (self.process, self.screen):
            process.terminate()
            process.wait()


def _written(path: Path, process: subprocess.Popen) -> str:
    """Return what a starting process writes into a file."""
    for _ in _moments(process):
        if path.is_file() and (text := path.read_text(encoding="utf-8")):
            return text
    raise AssertionError


def _listening(port: int, process: subprocess.Popen) -> None:
    """Return when a starting process listens."""
    for _ in _moments(process):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return


def _moments(process: subprocess.Popen):
    """Yield again and again while a process starts; BrowserError when it ends or takes too long."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        yield
        time.sleep(0.05)
    raise BrowserError(f"{process.args[0]} did not start")


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
