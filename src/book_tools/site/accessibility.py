"""What the themes leave inaccessible, mended in the finished pages."""

from sphinx.application import Sphinx

from book_tools.language import spoken_by
from book_tools.site.pages import Page, on_page


def name_landmarks(page: Page) -> None:
    """Give every landmark a name of its own."""
    said = spoken_by(page.app).site
    for sidebar in page.select("#pst-primary-sidebar, #pst-secondary-sidebar"):
        sidebar["role"] = "complementary"  # the theme's script looks for a div
        sidebar["aria-label"] = (
            said.left_sidebar if sidebar["id"] == "pst-primary-sidebar" else said.right_sidebar
        )
    for footer in page.select("body > footer.bd-footer"):
        footer["role"] = "presentation"  # empty, but the theme's script measures it
    for summary in page.select("footer.prev-next-footer"):
        summary.name = "nav"
        summary["aria-label"] = said.neighbours


def label_buttons(page: Page) -> None:
    """Name the buttons that show only an icon."""
    for button in page.select("button[title]:not([aria-label]), a[title].btn:not([aria-label])"):
        if not button.get_text(strip=True):
            button["aria-label"] = button["title"]
    for icon in page.select("i[class*='fa-']"):
        icon["aria-hidden"] = "true"


def empty_corners(page: Page) -> None:
    """Make the heads of tables that say nothing, corners most of them, plain cells."""
    for head in page.select("th"):
        if not head.get_text(strip=True) and not head.find(["img", "math", "svg"]):
            head.name = "td"
            del head["scope"]


def one_viewport(page: Page) -> None:
    """Keep one of the viewport declarations that Sphinx and both themes add."""
    for extra in page.select("meta[name=viewport]")[1:]:
        extra.decompose()


def setup(app: Sphinx) -> dict[str, object]:
    """Mend every page."""
    for change in (name_landmarks, label_buttons, empty_corners, one_viewport):
        on_page(app, change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
