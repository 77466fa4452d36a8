"""Nothing on the site comes from another host, and scripts that no page needs are left out."""

from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page


def drop_icon_script(page: Page) -> None:
    """Remove the theme's 1.4 MB icon script: its style sheet and font draw the same icons."""
    for script in page.soup.find_all("script", src=lambda src: src and "fontawesome" in src):
        script.decompose()


def drop_icon_file(app: Sphinx, error: Exception | None) -> None:
    """Do not publish the script that no page loads."""
    if not error and app.builder.format == "html":
        for leftover in (Path(app.outdir) / "_static" / "scripts").glob("fontawesome.js*"):
            leftover.unlink()


def setup(app: Sphinx) -> dict[str, object]:
    """Clean what the theme adds."""
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it for an extension that we do not load
    app.connect("build-finished", drop_icon_file)
    on_page(app, drop_icon_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
