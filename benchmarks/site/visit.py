"""A first visit to a page: bytes by type, requests, how far it moves while one scrolls, what axe finds."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from benchmarks.site.server import body

TYPES = ("document", "stylesheet", "script", "font", "image", "other")
LATE = "explorers-"  # an explorer's data, which load as a reader comes near
# Source: Cumulative Layout Shift, https://web.dev/articles/cls; here the sum of all shifts, an upper bound.
OBSERVE = """window.moved = 0; new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput) window.moved += entry.value;
})).observe({type: "layout-shift", buffered: true})"""
WIDTHS = (390, 1280)
STEP = 600  # pixels of one turn of the wheel
PATIENCE = 120_000  # milliseconds


@dataclass
class Visit:
    """What one page costs: bytes by type, requests, layout shift, and axe's violations in both themes."""

    bytes: Counter
    requests: int
    shift: float
    violations: list[str]


def visit(browser: Browser, site: Path, address: str, name: str) -> Visit:
    """Visit a page of a site that is served at ``address``."""
    loaded, count, shift = load_and_scroll(browser, site, f"{address}/{name}.html")
    return Visit(loaded, count, shift, violations(browser, f"{address}/{name}.html"))


def load_and_scroll(browser: Browser, site: Path, url: str) -> tuple[Counter, int, float]:
    """Load a page on a phone, scroll to its end; return bytes by type, requests, the sum of its shifts."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page, found = context.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.add_init_script(OBSERVE)
    page.on("response", lambda response: found.append((response.url, response.request.resource_type)))
    page.goto(url, wait_until="load")
    first = list(found)
    height = page.evaluate("document.documentElement.scrollHeight")
    for _ in range(0, height, STEP):
        page.mouse.wheel(0, STEP)
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shift = page.evaluate("window.moved")
    context.close()
    loaded = Counter()
    for address, kind in first:
        parts = urlsplit(address)
        file = site / unquote(parts.path).lstrip("/")
        if parts.scheme.startswith("http") and LATE not in file.name:
            loaded[kind if kind in TYPES else "other"] += len(body(file))
    return loaded, sum(1 for address, _ in first if address.startswith("http")), shift


def violations(browser: Browser, url: str) -> list[str]:
    """Return what axe finds on a page in both themes and at two widths, each fault once."""
    names = set()
    for theme in ("light", "dark"):
        for width in WIDTHS:
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(url, wait_until="load")
            names.update(one["id"] for one in Axe().run(page).response["violations"])
            context.close()
    return sorted(names)
