"""Where this machine keeps a browser of Chromium's family."""

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


class NoBrowserError(RuntimeError):
    """No browser of Chromium's family can be started."""


def launch(playwright: "Playwright", **settings: object) -> "Browser":
    """Start the system's Chromium, Chrome or Edge, else Playwright's own, with Playwright's settings.

    NoBrowserError says how to get one.
    """
    from playwright.sync_api import Error

    found = next(filter(None, map(shutil.which, NAMES)), None)
    attempts = [{"executable_path": found}] if found else []
    attempts += [{"channel": "chrome"}, {"channel": "msedge"}, {}]
    for options in attempts:
        try:
            return playwright.chromium.launch(**options, **settings)
        except Error as error:
            reason = error
    raise NoBrowserError(
        "A browser must be installed, Chromium or Chrome. On Debian or Ubuntu: apt install chromium. "
        f"Elsewhere: python -m playwright install chromium\n{reason}"
    )
