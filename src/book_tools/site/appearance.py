"""The site's own style sheet and script, and room for images before they have come."""

import struct
from pathlib import Path, PurePosixPath

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page

STATIC = Path(__file__).parent / "static"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def reserve_room(page: Page) -> None:
    """Write the size of every PNG into the page, so that what stands below stays in place while it loads."""
    files = {name: Path(page.app.srcdir, source) for source, name in page.app.builder.images.items()}
    for image in page.soup.select("img[src*='_images/']:not([width]):not([height])"):
        path = files.get(PurePosixPath(image["src"]).name)
        if path and (size := png_size(path)):
            image["width"], image["height"] = map(str, size)


def png_size(path: Path) -> tuple[int, int] | None:
    """Width and height of a PNG in pixels; None for any other file."""
    with path.open("rb") as file:
        header = file.read(24)
    return struct.unpack(">II", header[16:]) if header.startswith(_SIGNATURE) else None


def setup(app: Sphinx) -> dict[str, object]:
    """Serve ``static/``, load its two files on every page, and size the images."""
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(STATIC)))
    app.add_css_file("book.css", priority=900)
    app.add_js_file("book.js", loading_method="defer")
    on_page(app, reserve_room)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
