"""Notebooks to take home: each page's alone, and all of them in one archive with the library they import."""

import zipfile
from pathlib import Path

from sphinx.application import Sphinx

from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page
from book_tools.site.whole_book import megabytes

ROOT = Path(__file__).resolve().parents[3]
ARCHIVE = "transformer-book.zip"
TAKEN = (
    "book/**/*",
    "src/transformer_book/**/*",
    "examples/*",
    "pictures/*",
    "pyproject.toml",
    "constraints.txt",
    "requirements.txt",
    "README.md",
    "README.zh.md",
    "LICENSE",
)
LEFT_OUT = {"__pycache__", "_build", ".ipynb_checkpoints"}
SAME_DATE = (2026, 1, 1, 0, 0, 0)  # the archive of an unchanged book is byte-identical


def files_of_archive(root: Path) -> list[Path]:
    """Return the files that a reader needs to run every notebook, sorted."""
    found = {path for pattern in TAKEN for path in root.glob(pattern) if path.is_file()}
    return sorted(path for path in found if not LEFT_OUT & set(path.relative_to(root).parts))


def write_archive(root: Path, target: Path) -> None:
    """Write the archive of the book at ``root``, whole or not at all."""
    partial = target.with_suffix(".part")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_of_archive(root):
            name = Path(ARCHIVE).stem + "/" + path.relative_to(root).as_posix()
            archive.writestr(zipfile.ZipInfo(name, SAME_DATE), path.read_bytes(), zipfile.ZIP_DEFLATED)
    partial.replace(target)


def publish(app: Sphinx) -> None:
    """Put the archive beside the pages, before the first of them says its size."""
    if app.builder.format == "html":
        Path(app.outdir).mkdir(parents=True, exist_ok=True)
        write_archive(ROOT, Path(app.outdir) / ARCHIVE)


def offer_archive(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Add the archive to the page's download menu."""
    said, size = spoken_by(app).site, megabytes(Path(app.outdir) / ARCHIVE)
    for button in context.get("header_buttons", []):
        if button.get("label") == "download-buttons":
            button["buttons"].append(
                {
                    "type": "link",
                    "url": context["pathto"](ARCHIVE, resource=True),
                    "text": ".zip",
                    "tooltip": said.with_size.format(said.archive, size),
                    "icon": "fas fa-file-zipper",
                    "label": "download-archive-button",
                }
            )


def save_downloads(page: Page) -> None:
    """Have the browser save what the download menu offers: it would show a notebook as text."""
    for link in page.select(".dropdown-download-buttons a[href]"):
        link["download"] = ""
        del link["target"]


def setup(app: Sphinx) -> dict[str, object]:
    """Write the archive and offer it on every page."""
    app.connect("html-page-context", offer_archive, priority=600)  # after the theme has made its menu
    app.connect("builder-inited", publish)
    on_page(app, save_downloads)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
