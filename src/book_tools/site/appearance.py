"""The site's own style sheet and script."""

from pathlib import Path

from sphinx.application import Sphinx

STATIC = Path(__file__).parent / "static"


def setup(app: Sphinx) -> dict[str, object]:
    """Serve ``static/`` and load its two files on every page."""
    app.connect("config-inited", lambda app, config: config.html_static_path.append(str(STATIC)))
    app.add_css_file("book.css", priority=900)
    app.add_js_file("book.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
