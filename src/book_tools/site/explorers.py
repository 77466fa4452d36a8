"""Serves the explorers' JavaScript, data and models from the site itself, to pages that hold an explorer."""

import functools
import html
import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx

from book_tools.site.pages import short_digest
from transformer_book.storage.files import write_atomically
from transformer_book.widgets.bundle import KINDS, later_scripts, page_scripts, scripts_for
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
    """What the explorers of a page need: scripts by name, packs of data to load as a reader comes near.

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
        {pack_file(name): data_script(name) for name in packs},
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


def place_scripts(body: str, assets: Assets) -> str:
    """Load the scripts of each explorer in a page's HTML right before the first of its kind.

    They are classic scripts, neither modules nor deferred: modules do not load from `file://`, and a deferred
    one would let the fallback table flash up and move the page. What stands above is drawn without them.
    """
    placed: set[str] = set()

    def address(name: str, text: str) -> str:
        return f'src="_static/{name}?v={short_digest(text)}"'

    def add(match: re.Match) -> str:
        scripts = [name for name in scripts_for(match[1]) if name not in placed]
        packs = [name for name in names_in(_SOURCE, match[2]) if name not in placed]
        placed.update(scripts, packs)
        tags = [f"<script {address(name, assets.scripts[name])}></script>" for name in scripts]
        for name in packs:  # no browser runs this type: the explorer fetches the script in time
            source = address(pack_file(name), assets.packs[pack_file(name)])
            tags.append(f'<script type="text/plain" data-pack="{name}" {source}></script>')
        return "".join([*tags, match[0]])

    return _TAG.sub(add, body)


def pack_file(name: str) -> str:
    """Name of the script that holds a pack of data."""
    return f"explorers-{name}.js"


def load_assets(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Write what a page's explorers need to the site, and name it in the page.

    Models come when a reader asks: their place is reserved.
    """
    if app.builder.format != "html" or "-explorer" not in context.get("body", ""):
        return
    static = Path(app.outdir) / "_static"
    assets = page_assets(context["body"])
    for name, text in {**assets.scripts, **assets.packs, **assets.on_demand}.items():
        write_text(static / name, text)
    context["body"], models = name_model_files(place_scripts(context["body"], assets))
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
