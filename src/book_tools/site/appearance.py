"""The site's own style sheet, script and icon, and room for images before they have come."""

from pathlib import Path, PurePosixPath
from urllib.parse import quote

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.images import get_image_size

from book_tools.site.pages import Page, on_page

STATIC = Path(__file__).parent / "static"
# The book's mark: one position looks at two earlier ones. It is the icon too: browsers ask for one that
# a page does not bring.
MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" class="mark" aria-hidden="true">'
    '<rect width="16" height="16" rx="3" fill="#0b57c0"/>'
    '<path d="M12.5 11A4.6 6.5 0 0 0 3.5 11M12.5 11A2.3 3.4 0 0 0 8 11" fill="none" stroke="#fff"/>'
    '<g fill="#fff"><circle cx="3.5" cy="11.5" r="1.4"/><circle cx="8" cy="11.5" r="1.4"/>'
    '<circle cx="12.5" cy="11.5" r="1.4"/></g></svg>'
)

# The theme's own script leaves "auto" until all scripts have come, and the page stays light until then.
EARLY_THEME = """(function (root) {
  var mode = "auto";
  try { mode = localStorage.getItem("mode") || mode; } catch (refused) {}
  var dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.mode = mode;
  root.dataset.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
})(document.documentElement);"""


def decide_theme_early(page: Page) -> None:
    """Decide between light and dark in the page's first script, before anything is drawn."""
    for script in page.select("head > script:not([src])"):
        if "dataset.mode" in script.text:
            script.string = EARLY_THEME


def link_icon(page: Page) -> None:
    """Give the page its icon, within the page itself."""
    page.soup.head.append(page.soup.new_tag("link", rel="icon", href=f"data:image/svg+xml,{quote(MARK)}"))


def show_mark(page: Page) -> None:
    """Put the mark before the book's name in the contents."""
    for name in page.select(".navbar-brand .logo__title"):
        name.insert(0, BeautifulSoup(MARK, "html.parser"))


def reserve_room(page: Page) -> None:
    """Write the size of every image into the page, so that what stands below it stays in place."""
    files = {name: Path(page.app.srcdir, source) for source, name in page.app.builder.images.items()}
    for image in page.select("img[src*='_images/']:not([width]):not([height])"):
        path = files.get(PurePosixPath(image["src"]).name)
        if path and (size := get_image_size(path)):
            image["width"], image["height"] = map(str, size)


def setup(app: Sphinx) -> dict[str, object]:
    """Serve ``static/``, load its two files on every page, link the icon and size the images."""
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(STATIC)))
    app.add_css_file("book.css", priority=900)
    app.add_js_file("book.js", loading_method="defer")
    on_page(app, decide_theme_early)
    on_page(app, link_icon)
    on_page(app, show_mark)
    on_page(app, reserve_room)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
