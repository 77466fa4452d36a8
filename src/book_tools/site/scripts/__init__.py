"""Scripts that speak: each is written to the site with its words, in the site's language, before it."""

import json
import re
from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import short_digest


def write_script(app: Sphinx, name: str, constant: str, words: dict) -> str:
    """Write a script of this folder to the site, its words as a constant before it; return its version."""
    source = Path(__file__).with_name(name).read_text(encoding="utf-8")
    text = f'"use strict";\nconst {constant} = {json.dumps(words, ensure_ascii=False)};\n{source}'
    target = Path(app.outdir) / "_static" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return short_digest(text)


def change_script(app: Sphinx, name: str, old: re.Pattern, new: str) -> None:
    """Change a finished script of Sphinx or the theme; a copy that an earlier build has changed is left."""
    path = Path(app.outdir) / "_static" / name
    text = path.read_text(encoding="utf-8")
    if old.search(text):
        path.write_text(old.sub(new, text), encoding="utf-8")
