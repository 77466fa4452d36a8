"""Where the book and its repository live: with an address pages link to it, without one no button is dead.

Both stand in `_config.yml`: `repository_url` and `baseurl`.
"""

from sphinx.application import Sphinx
from sphinx.config import Config

BUTTONS = ("use_repository_button", "use_source_button", "use_edit_page_button", "use_issues_button")
LAUNCHERS = {
    "notebook_interface": "jupyterlab",
    "colab_url": "https://colab.research.google.com",
    "binderhub_url": "https://mybinder.org",
}


def offer_repository(app: Sphinx, config: Config) -> None:
    """Switch on the theme's buttons for source, edit, issue, Colab and Binder where a repository is named."""
    options = config.html_theme_options
    named = bool(options.get("repository_url"))
    options.update(dict.fromkeys(BUTTONS, named))
    options["launch_buttons"] = dict(LAUNCHERS) if named else {}


def setup(app: Sphinx) -> dict[str, object]:
    """Decide before the theme reads its options."""
    app.connect("config-inited", offer_repository, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
