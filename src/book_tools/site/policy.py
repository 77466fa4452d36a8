"""Each page tells the browser to run only its own scripts and to ask no other host for anything.

Source: Content Security Policy Level 3, https://www.w3.org/TR/CSP3/. It stands in the page, so that it holds
on any host and on `file://`; there workers come from blobs.
"""

import base64
import hashlib
import re

from sphinx.application import Sphinx

from book_tools.site.pages import Page, on_page
from book_tools.site.scripts import change_script

SOURCES = {
    "default-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",  # widths and colours that scripts set
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
# The theme's handlers in attributes, which the policy forbids; book.js answers to the names.
ACTIONS = {"window.print()": "print", "toggleFullScreen()": "full-screen"}

PLURAL = re.compile(r'new Function\(\s*"n",\s*`return \(\$\{catalog\.plural_expr\}\)`,?\s*\)')


def digest(script: str) -> str:
    """Return the source expression that allows this inline script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def state_policy(page: Page) -> None:
    """Write the policy into the page's head, before anything is loaded; handlers become named actions."""
    for tag in page.soup.find_all(onclick=True):
        tag["data-action"] = ACTIONS[tag["onclick"]]
        del tag["onclick"]
    inline = [script.string for script in page.select("script:not([src])") if script.string]
    scripts = " ".join(["'self'", *sorted({digest(text) for text in inline})])
    sources = SOURCES | {"script-src": f"{scripts} blob:"}
    content = "; ".join(f"{name} {value}" for name, value in sources.items())
    policy = page.soup.new_tag("meta", content=content)
    policy["http-equiv"] = "Content-Security-Policy"
    page.soup.head.find("meta", charset=True).insert_after(policy)


def drop_evaluation(app: Sphinx, error: Exception | None) -> None:
    """Have Sphinx's script take each language's one plural form: it would evaluate a string to choose."""
    if error or app.builder.format != "html":
        return
    change_script(app, "doctools.js", PLURAL, "() => 0")


def setup(app: Sphinx) -> dict[str, object]:
    """State the policy last, when all scripts are known."""
    on_page(app, state_policy)
    app.connect("build-finished", drop_evaluation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
