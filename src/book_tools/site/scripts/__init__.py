"""Scripts that speak: each is written to the site with its words, in the site's language, before it."""

import hashlib
import json
from pathlib import Path

from sphinx.application import Sphinx


def write_script(app: Sphinx, name: str, constant: str, words: dict) -> str:
    """Write a script of this folder to the site, its words as a constant before it; return its version."""
    source = Path(__file__).with_name(name).read_text(encoding="utf-8")
    text = f'"use strict";\nconst {constant} = {json.dumps(words, ensure_ascii=False)};\n{source}'
    target = Path(app.outdir) / "_static" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:8]
