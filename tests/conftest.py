"""What the rooms of tests share: random models, a book that is built, a browser whose network is cut."""

import contextlib
import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from filelock import FileLock
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from book_tools.browser import NoBrowserError, launch
from book_tools.notebooks.files import ROOT
from transformer_book.storage.packages import MissingPackageError

# The same examples in every run, and no clock: a busy machine is slow, and that is no fault of the code.
settings.register_profile(
    "book", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")

# Pages that tests work on are no notebooks of the book for nbval to run.
collect_ignore_glob = ["*/fixtures/*"]

PATIENCE = 120_000  # milliseconds: a busy machine is slow, and that is no fault of a page
expect.set_options(timeout=PATIENCE)
# The browser itself is cut off, so no request has to be held up: only this machine's address leads anywhere.
CUT_OFF = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


@pytest.fixture(scope="session")
def if_installed() -> Callable:
    """``if_installed(load, …)`` is ``load(…)``; the test is skipped where the package with it is missing."""

    def load(function: Callable, *arguments):
        try:
            return function(*arguments)
        except MissingPackageError as error:
            pytest.skip(f"an optional package is missing: {error}")

    return load


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The test's folder as the user's own, ``~``."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def shaken() -> Callable:
    """``shaken(model, by)``: the model with random numbers added, so that its biases and norms count."""
    import torch

    @torch.no_grad()
    def shake(model: torch.nn.Module, by: float) -> torch.nn.Module:
        for parameter in model.parameters():
            parameter.add_(by * torch.randn_like(parameter))
        return model

    return shake


def build(*options: str | Path) -> subprocess.CompletedProcess:
    """Run the build command; return it finished, its output as text."""
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "book_tools.site", *map(str, options)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id) -> Path:
    """A folder that the processes of one test run share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def build_once(shared, testrun_uid) -> Callable[..., None]:
    """``build_once(name, *options)`` builds once a test run, whichever process comes first."""

    def start(name: str, *options: str | Path) -> None:
        done = shared / f"{name}-{testrun_uid}.done"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                result = build(*options)
                assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-6000:]
                done.touch()

    return start


@pytest.fixture(scope="session")
def site(build_once) -> Path:
    """The book as readers get it."""
    build_once("book")
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def patience() -> int:
    """The milliseconds to wait for what has to come; under load Playwright's own thirty seconds are few."""
    return PATIENCE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright, args=[CUT_OFF], timeout=PATIENCE)
        except NoBrowserError as error:
            pytest.exit(str(error), returncode=1)
        yield browser
        browser.close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def serve() -> Iterator:
    """``serve(folder)`` returns the local address that serves it."""
    servers = {}

    def start(folder: Path) -> str:
        if folder not in servers:
            handler = functools.partial(QuietHandler, directory=str(folder))
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            servers[folder] = server
        return f"http://127.0.0.1:{servers[folder].server_port}"

    yield start
    for server in servers.values():
        server.shutdown()
        server.server_close()


@dataclass
class Reader:
    """A reader at a page: a browser context, and what went wrong in it, requests to other hosts included."""

    context: BrowserContext
    page: Page
    problems: list[str] = field(default_factory=list)

    def open(self, address: str) -> Page:
        """Open an address and wait until it is drawn in its own fonts."""
        self.page.goto(address)
        self.page.wait_for_load_state("load")
        self.page.evaluate("document.fonts.ready.then(() => true)")
        return self.page

    def settle(self) -> None:
        """Wait until the page is laid out, and end what is on its way from one colour to another."""
        settle(self.page)


def settle(page: Page) -> None:
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    # To wait for them will not do: in what is folded they stand still.
    page.evaluate(
        """() => document.getAnimations()
        .filter(animation => animation instanceof CSSTransition)
        .forEach(transition => transition.finish())"""
    )


def watch(reader: Reader, scripts: bool) -> None:
    """Note each request to another host and each error; preloaded scripts may fail where scripts are off."""

    def note(problem: str) -> None:
        reader.problems.append(problem)

    def on_request(request) -> None:
        if not request.url.startswith(("file:", "http://127.0.0.1:", "data:", "blob:")):
            note(f"a request leaves the site: {request.url}")

    def on_console(message) -> None:
        if message.type in ("error", "warning"):
            note(f"console {message.type}: {message.text}")

    def on_failure(request) -> None:
        if request.failure == "net::ERR_ABORTED":
            return  # the reader left before it had come; what is missing fails otherwise
        if scripts or request.resource_type != "script":
            note(f"failed: {request.url}")

    def on_response(response) -> None:
        if response.status >= 400:
            note(f"{response.status}: {response.url}")

    reader.context.on("request", on_request)
    reader.page.on("pageerror", lambda error: note(f"uncaught error: {error}"))
    reader.page.on("console", on_console)
    reader.page.on("requestfailed", on_failure)
    reader.page.on("response", on_response)


@contextlib.contextmanager
def readers_of(browser) -> Iterator[Callable[..., Reader]]:
    """``start(width=…, color_scheme=…)`` returns a Reader; any problem in any of them fails at the end."""
    readers = []

    def start(width: int = 1280, height: int = 900, **options) -> Reader:
        options = {"viewport": {"width": width, "height": height}, "locale": "zh-CN", **options}
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        reader = Reader(context, context.new_page())

        watch(reader, scripts=options.get("java_script_enabled", True))
        readers.append(reader)
        return reader

    yield start
    for reader in readers:
        reader.page.unroute_all(behavior="ignoreErrors")
        reader.context.close()
    problems = [problem for reader in readers for problem in reader.problems]
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def readers(browser) -> Callable:
    """``with readers() as read``: for fixtures of pages that several tests look at and none changes."""
    return functools.partial(readers_of, browser)


@pytest.fixture
def read(readers) -> Iterator[Callable[..., Reader]]:
    """``read(width=…, color_scheme=…)`` returns a Reader; any problem in any of them fails the test."""
    with readers() as start:
        yield start


@pytest.fixture(scope="session")
def in_scheme() -> Callable:
    """``in_scheme(page, "dark")``: the reader's system changes its theme, and the page follows."""

    def change(page: Page, scheme: str) -> None:
        page.emulate_media(color_scheme=scheme)
        settle(page)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme

    return change


@pytest.fixture(scope="session")
def barriers() -> Callable:
    """``barriers(page, selector, rules)``: what axe finds on a page or a part of it, a line a fault."""

    def find(page: Page, selector: str | None = None, rules: tuple[str, ...] = ()) -> list[str]:
        settle(page)
        context = {"include": [[selector]]} if selector else None
        options = {"resultTypes": ["violations"], "preload": False}  # from a file no sheet may be fetched
        if rules:
            options["runOnly"] = {"type": "rule", "values": list(rules)}
        found = Axe().run(page, context=context, options=options).response
        assert found["passes"], "axe looked at nothing"
        return [
            f"{violation['id']} ({violation['help']}): {node['html'][:150]} {node['failureSummary']}"
            for violation in found["violations"]
            for node in violation["nodes"]
        ]

    return find
