"""The explorers' JavaScript, put together from its files: one source for a notebook and for the static site.

Each file is a plain script without imports. Joined in order they are a module for Jupyter, to which only an
`export` is appended, or one classic script, which loads from `file://` as well (an ES module does not).
"""

import functools
import json
from pathlib import Path

_ROOM = Path(__file__).parent

_CORE = (
    "numbers",
    "linear_algebra",
    "dom",
    "symbols",
    "colours",
    "page",
    "fields",
    "store",
    "url_state",
    "controls",
    "scroll_frame",
    "matrix",
    "labels",
    "data",
    "host",
)

KINDS = {
    "attention": ("arithmetic", "token_strip", "trace", "explorer"),
    "scaling": ("random", "arithmetic", "charts", "explorer"),
    "position": ("arithmetic", "dials", "explorer"),
    "heads": ("weights", "overview", "links", "explorer"),
    "generation": ("stored_logits", "sampling", "explorer"),
}


def jupyter_module(kind: str) -> str:
    """Source of the ES module that anywidget loads for one kind of explorer (`attention`, `scaling`, …)."""
    parts = [*_core_parts(), source("js/core/jupyter.js"), *_kind_parts(kind)]
    parts.append(f"export default {{ render: (context) => renderInJupyter({kind}Kind, context) }};\n")
    return "\n".join(parts)


def page_script() -> str:
    """Source of the classic script that defines the custom element of every kind of explorer."""
    parts = [*_core_parts(), source("js/core/static_page.js")]
    for kind in KINDS:
        parts += _kind_parts(kind)
    parts += [f"definePageExplorer({kind}Kind);" for kind in KINDS]
    return "(() => {\n" + "\n".join(parts) + "\n})();\n"


def _core_parts() -> list[str]:
    return [_styles(), *(source(f"js/core/{name}.js") for name in _CORE)]


def _kind_parts(kind: str) -> list[str]:
    return [source(f"js/{kind}/{name}.js") for name in KINDS[kind]]


@functools.cache
def _styles() -> str:
    css = "\n".join(source(f"css/{name}.css") for name in ("core", *KINDS))
    return f"const EXPLORER_STYLES = {json.dumps(css, ensure_ascii=False)};"


@functools.cache
def source(path: str) -> str:
    """Text of one file of the front end, such as `js/core/numbers.js`."""
    return (_ROOM / path).read_text(encoding="utf-8")
