"""The built site in the browsers of readers that have no Chromium."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # drivers.py is no package's

from drivers import Driver, Firefox, WebKit

SCREENS = {"firefox": Firefox, "webkit": WebKit}


@pytest.fixture(scope="session", params=SCREENS)
def screen(request) -> Iterator[Driver]:
    """A browser, started once for all tests."""
    kind = SCREENS[request.param]
    if not os.environ.get("BROWSERS"):
        pytest.skip("other browsers are not asked for: make test-browsers")
    if kind.program is None:
        pytest.skip(f"{request.param} is not here: apt install firefox-esr webkit2gtk-driver xvfb")
    driver = kind()
    yield driver
    driver.quit()


@pytest.fixture(params=["http", "file"])
def base(request, site, serve) -> str:
    """Where the site is, on a server and as files."""
    return serve(site) if request.param == "http" else site.as_uri()
