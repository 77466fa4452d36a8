"""What two editions' sites hold byte for byte lies in the folder of the first alone.

The pages of the other, which lie in a folder below, name such a file there. What the explorers' scripts load
from beside themselves goes where the scripts are. Fonts stay beside the pages: from `file://` Firefox lets a
page load only those beside and below it.
"""

import filecmp
import posixpath
import re
import shutil
from pathlib import Path

NAMED = re.compile(r'(\s(?:href|src)=")([^"#?:]+)')
LOADED_BY_SCRIPTS = ("_static/models/*", "_static/explorer-worker-*.js")  # from beside the scripts
OF_ONE_EDITION = {".html", ".woff2"}


def publish(edition: Path, site: Path, code: str, *, share: bool) -> None:
    """Put an edition's finished pages into the folder ``code`` of ``site``.

    share: take from the site what it holds already; it has to be built from the same state of the book.
    """
    shared, target = files_in_both(edition, site) if share else set(), site / code

    def left_out(folder: str, names: list[str]) -> list[str]:
        inner = Path(folder).relative_to(edition)
        return [name for name in names if (inner / name).as_posix() in shared]

    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(edition, target, ignore=left_out)
    for page in target.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(name_there(text, shared, code), encoding="utf-8")


def files_in_both(edition: Path, site: Path) -> set[str]:
    """Return what a page of the edition or a shared script loads and the site holds too, byte for byte."""
    named = {
        posixpath.normpath(match[2])
        for page in edition.glob("*.html")
        for match in NAMED.finditer(page.read_text(encoding="utf-8"))
    }
    beside = [path for pattern in LOADED_BY_SCRIPTS for path in edition.glob(pattern)]
    named.update(path.relative_to(edition).as_posix() for path in beside)
    return {
        name
        for name in named
        if Path(name).suffix not in OF_ONE_EDITION
        and (edition / name).is_file()
        and (site / name).is_file()
        and filecmp.cmp(edition / name, site / name, shallow=False)
    }


def name_there(page: str, shared: set[str], code: str) -> str:
    """Return a page of the folder ``code`` that names the shared files in the folder above.

    The page for missing ones names files from the server's root: a server shows it at any address.
    """

    def moved(match: re.Match) -> str:
        before, address = match.groups()
        root, _, name = address.rpartition(f"/{code}/") if address.startswith("/") else ("..", "", address)
        name = posixpath.normpath(name)
        return f"{before}{root}/{name}" if name in shared else match[0]

    return NAMED.sub(moved, page)
