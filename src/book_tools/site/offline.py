"""Nothing on the site comes from another host: MathJax is served from it, and unused scripts are left out."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from book_tools.site.pages import Page, on_page

# tex-chtml is the whole of MathJax that the book uses; the fonts and rarer TeX extensions load on demand.
MATHJAX_PARTS = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts/woff-v2")


def mathjax_folder() -> Path:
    """Return where pip put MathJax; the package's name is no identifier, so it cannot be imported."""
    spec = find_spec("sphinx-mathjax-offline")
    if spec is None:
        raise ExtensionError("MathJax is missing: pip install -r requirements.txt")
    return Path(spec.submodule_search_locations[0]) / "static" / "mathjax"


def copy_mathjax(app: Sphinx, error: Exception | None) -> None:
    """Copy the parts of MathJax that pages load, once; later builds find them there."""
    if error or app.builder.format != "html":
        return
    for part in MATHJAX_PARTS:
        source, target = mathjax_folder() / part, Path(app.outdir) / "_static" / "mathjax" / part
        if target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)


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
    """Point Sphinx at the local MathJax and clean what the theme adds."""
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it for an extension that we do not load
    app.connect("config-inited", lambda app, config: setattr(config, "mathjax_path", "mathjax/tex-chtml.js"))
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", drop_icon_file)
    on_page(app, drop_icon_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
