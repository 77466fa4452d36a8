"""Serves the explorers' JavaScript, data and models from the site itself, to pages that hold an explorer."""

import functools
import html
import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx

from transformer_book.storage.files import write_atomically
from transformer_book.widgets.bundle import KINDS, later_scripts, page_scripts
from transformer_book.widgets.model_files import (
    checkpoint_file,
    is_installed,
    model_script,
    versioned_name,
)
from transformer_book.widgets.page_data import data_script

_TAG = re.compile(rf"<({'|'.join(KINDS)})-explorer\s([^>]*)>")
_SOURCE = re.compile(r'data-source="([^"]*)"')
_MODELS = re.compile(r'data-models="([^"]*)"')


@dataclass(frozen=True)
class Assets:
    """What the explorers of one page need: scripts by name for its head, packs of data to load later.

    on_demand: scripts that no page names and an explorer loads when a reader asks its model.
    """

    scripts: dict[str, str]
    packs: dict[str, str]
    on_demand: dict[str, str]


def page_assets(body: str) -> Assets:
    """Scripts and packs for the explorers in a page's HTML; none if it holds no explorer."""
    found = [(match[1], match[2]) for match in _TAG.finditer(body)]
    kinds = {kind for kind, _ in found}
    packs = sorted({name for _, attributes in found for name in names_in(_SOURCE, attributes)})
    return Assets(
        page_scripts(kinds, shorten) if found else {},
        {f"explorers-{name}.js": data_script(name) for name in packs},
        later_scripts(kinds, shorten),
    )


@functools.cache
def shorten(script: str) -> str:
    """A script without blanks and long names; as it is without the minifier of requirements-test.txt."""
    if importlib.util.find_spec("minify") is None:
        return script
    import minify

    return minify.string("application/javascript", script)


def name_model_files(body: str) -> tuple[str, set[str]]:
    """Tell each explorer in a page's HTML its models' files and sizes; return also the models' names.

    A model whose weights are not installed here is left out, and the explorer does not offer it.
    """
    models: set[str] = set()

    def add(match: re.Match) -> str:
        names = [name for name in match[1].split() if is_installed(name)]
        models.update(names)
        files = {
            name: {"file": versioned_name(name, checkpoint_file(name)), "bytes": len(checkpoint_file(name))}
            for name in names
        }
        return f'{match[0]} data-files="{html.escape(json.dumps(files))}"'

    return _MODELS.sub(add, body), models


def write_models(static: Path, names) -> None:
    """Write models beside the site's static files: for a server, and as scripts for `file://`."""
    for name in names:
        content = checkpoint_file(name)
        file = static / "models" / versioned_name(name, content)
        script = file.with_suffix(".js")
        if script.is_file():  # written last, by another page or an earlier build
            continue
        write_atomically(file.with_suffix(".safetensors"), content)
        write_atomically(script, model_script(file.name, content).encode("utf-8"))


def load_assets(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Load the scripts in the page's head, so that an explorer takes its place before the first paint.

    They are classic scripts, neither modules nor deferred: modules do not load from `file://`, and a deferred
    one would let the fallback table flash up and move the page. Data come later, and models when a reader
    asks: their place is reserved.
    """
    if app.builder.format != "html" or "-explorer" not in context.get("body", ""):
        return
    static = Path(app.outdir) / "_static"
    assets = page_assets(context["body"])
    load = functools.partial(app.add_js_file, priority=700)
    for name, text in assets.scripts.items():
        write_text(static / name, text)
        load(name)
    for name, text in assets.packs.items():
        write_text(static / name, text)
        load(name, loading_method="defer")
    for name, text in assets.on_demand.items():
        write_text(static / name, text)
    context["body"], models = name_model_files(context["body"])
    write_models(static, models)


def names_in(attribute: re.Pattern, attributes: str) -> list[str]:
    """Names that one attribute of an explorer's element lists."""
    found = attribute.search(attributes)
    return found[1].split() if found else []


def write_text(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Have the assets loaded whenever a page is put together."""
    app.connect("html-page-context", load_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
