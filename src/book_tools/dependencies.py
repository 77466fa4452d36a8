"""List every pin: its age, what is newer, what it brings: `python -m book_tools.dependencies`.

Asks the package index that pip uses for the names in our requirements files, and for no others. Without a
connection the dates are "unknown".
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib import metadata
from urllib.error import URLError
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from book_tools.notebooks.files import ROOT

UNKNOWN = "unknown"
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)(?:;.*)?$", re.MULTILINE)
_QUIET = 730  # days without a release after which a package counts as left alone
_JSON = "application/vnd.pypi.simple.v1+json"


@dataclasses.dataclass(frozen=True)
class Pin:
    """A line of a requirements file."""

    name: str
    version: str
    file: str


@dataclasses.dataclass(frozen=True)
class Releases:
    """What the index says: the date of each release (None: unknown) and the project's status."""

    dates: dict[str, date]
    status: str

    def newest(self) -> str | None:
        """Return the highest version that is not a pre-release."""
        stable = [v for v in self.dates if (version := _version(v)) and not version.is_prerelease]
        return max(stable, key=Version, default=None)


def pins(root=ROOT) -> list[Pin]:
    """Return the pins of all requirements files, file by file."""
    files = sorted(root.glob("requirements*.txt"))
    return [Pin(*pin, file.name) for file in files for pin in _PIN.findall(file.read_text(encoding="utf-8"))]


def releases(name: str, index: str) -> Releases | None:
    """Ask the index for a project's releases; None when it cannot be reached or does not tell."""
    request = Request(f"{index.rstrip('/')}/{canonicalize_name(name)}/", headers={"Accept": _JSON})
    try:
        with urlopen(request, timeout=20, context=_certificates()) as answer:
            content = json.load(answer)
    except (URLError, TimeoutError, json.JSONDecodeError):
        return None
    dates: dict[str, date] = {}
    for file in content.get("files", ()):
        version = _version_of(file["filename"], name)
        if version and "upload-time" in file and not file.get("yanked"):
            day = datetime.fromisoformat(file["upload-time"].replace("Z", "+00:00")).date()
            dates[version] = min(day, dates.get(version, day))
    return Releases(dates, content.get("project-status", {}).get("status", "active"))


def _version_of(filename: str, name: str) -> str | None:
    """The version in the name of a wheel or an sdist, such as gguf-0.19.0-py3-none-any.whl."""
    pattern = re.sub(r"[-_.]+", "[-_.]+", re.escape(name).replace(r"\-", "-"))
    found = re.match(rf"{pattern}-([^-]+?)(?:-.*\.whl|\.tar\.gz|\.zip)$", filename, re.IGNORECASE)
    return found[1] if found and _version(found[1]) else None


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)


def index_of_pip() -> str:
    """Return the address of the index that pip is set to."""
    if address := os.environ.get("PIP_INDEX_URL"):
        return address
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return found or "https://pypi.org/simple"


def brings(name: str) -> set[str]:
    """Return all packages that an installed one needs, directly and through others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        try:
            needed = metadata.requires(waiting.pop()) or []
        except metadata.PackageNotFoundError:
            continue
        for requirement in map(Requirement, needed):
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            other = canonicalize_name(requirement.name)
            if wanted and other not in found:
                found.add(other)
                waiting.append(other)
    return found - {canonicalize_name(name)}


def verdict(known: Releases | None, today: date) -> str:
    """Say whether a project is maintained: its status, and when it last released."""
    if known is None or not known.dates:
        return UNKNOWN
    if known.status != "active":
        return f"no: {known.status}"
    last = max(known.dates.values())
    return "yes" if (today - last).days <= _QUIET else f"no release since {last:%Y-%m}"


def table(wanted: Iterable[Pin], index: str, today: date) -> list[list[str]]:
    """Return a row for each pin: file, name, pin and its date, newest and its date, maintained, brings."""
    wanted = list(wanted)
    all_brought = {pin.name: brings(pin.name) for pin in wanted}
    rows = []
    for pin in wanted:
        known = releases(pin.name, index)
        newest = known.newest() if known else None
        others = set().union(*(more for name, more in all_brought.items() if name != pin.name))
        alone = sorted(all_brought[pin.name] - others - {canonicalize_name(p.name) for p in wanted})
        dated = [str(known.dates.get(v, UNKNOWN)) if known and v else UNKNOWN for v in (pin.version, newest)]
        brought = f"{len(all_brought[pin.name])}" + (f", alone: {' '.join(alone)}" if alone else "")
        rows.append(
            [
                pin.file,
                pin.name,
                pin.version,
                dated[0],
                newest or UNKNOWN,
                dated[1],
                verdict(known, today),
                brought,
            ]
        )
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Print the table, one pin a line, columns divided by tabs."""
    parser = argparse.ArgumentParser(prog="python -m book_tools.dependencies", description=__doc__)
    parser.add_argument("names", nargs="*", help="of the requirements files; default: all of them")
    options = parser.parse_args(arguments)
    known = {canonicalize_name(pin.name) for pin in pins()}
    for name in options.names:
        if canonicalize_name(name) not in known:
            parser.error(f"{name} must be a name in one of our requirements files")
    chosen = {canonicalize_name(name) for name in options.names} or known
    print("file", "name", "pin", "released", "newest", "released", "maintained", "brings", sep="\t")
    for row in table(
        (pin for pin in pins() if canonicalize_name(pin.name) in chosen),
        index_of_pip(),
        datetime.now(UTC).date(),
    ):
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
