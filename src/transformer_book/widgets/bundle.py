"""The explorers' JavaScript, put together from its files: one source for a notebook and for the static site.

Each file is a plain script without imports. Joined in order they are a module for Jupyter, to which only an
`export` is appended. The site serves classic scripts, which load from `file://` as well (ES modules do not):
one with what all explorers share, one with what those that run a model share, and one for each kind; the
source of the worker that computes follows when a reader first asks a model. A script hands on what its files
define through `globalThis.explorerParts`.
"""

import functools
import hashlib
import json
import re
from pathlib import Path

_ROOM = Path(__file__).parent

_CORE = (
    "numbers",
    "linear_algebra",
    "random",
    "dom",
    "symbols",
    "colours",
    "page",
    "fields",
    "store",
    "url_state",
    "controls",
    "scroll_frame",
    "colour_map",
    "matrix",
    "labels",
    "data",
    "host",
)
_STATIC_PAGE = "js/core/static_page.js"
_ENGINE = ("tensors", "safetensors", "layers", "positions", "attention", "transformer", "models")
_WORKER = (*_ENGINE, "wordpiece", "tasks", "circuit", "worker")
_TRAINING = ("core/linear_algebra", "core/random", "model/gradients", "model/training", "model/copying")
_MODEL = ("files", "engine", "signs", "labels", "loader")

KINDS = {
    "attention": ("arithmetic", "token_strip", "trace", "steps", "labels", "explorer"),
    "scaling": ("arithmetic", "charts", "labels", "explorer"),
    "position": ("frequencies", "arithmetic", "dials", "player", "labels", "explorer"),
    "rotary": (
        "position/frequencies",
        "arithmetic",
        "position/dials",
        "position/player",
        "labels",
        "explorer",
    ),
    "heads": ("weights", "overview", "links", "labels", "explorer"),
    "generation": ("random", "form", "sampling", "poem", "odds", "labels", "explorer"),
    "translation": ("numerals", "labels", "explorer"),
    "digits": ("arithmetic", "board", "labels", "explorer"),
    "weights": ("arithmetic", "labels", "explorer"),
    "vectors": ("arithmetic", "picture", "labels", "explorer"),
    "training": ("chart", "patterns", "labels", "explorer"),
    "circuit": ("results", "grid", "labels", "explorer"),
}
# Rules that several kinds have, and no others.
SHEETS = {"dials": ("position", "rotary")}
# The engine's worker loads these kinds' models when a reader asks.
RUN_MODELS = ("generation", "translation", "digits", "weights", "heads", "circuit")
TRAIN_MODELS = ("training",)  # in the engine's worker, from the start


def jupyter_module(kind: str) -> str:
    """Source of the ES module that anywidget loads for one kind of explorer (`attention`, `scaling`, …)."""
    model = [_worker(str), *_model_parts("")] if kind in RUN_MODELS + TRAIN_MODELS else []
    parts = [*_core_parts(), source("js/core/jupyter.js"), *model, *_kind_parts(kind)]
    parts.append(f"export default {{ render: (context) => renderInJupyter({kind}Kind, context) }};\n")
    return "\n".join(parts)


def scripts_for(kind: str) -> list[str]:
    """Names of the scripts that an explorer of this kind needs before it, in loading order."""
    runs_model = kind in RUN_MODELS + TRAIN_MODELS
    return ["explorers.js", *(["explorer-model.js"] if runs_model else []), f"explorer-{kind}.js"]


def page_scripts(kinds, shorten=str) -> dict[str, str]:
    """Names and sources of the classic scripts of a page with explorers of these kinds, in loading order.

    shorten: makes a source shorter on its way to the site, and leaves what it does.
    """
    core = [*_core_parts(), source(_STATIC_PAGE)]
    parts = {"explorers.js": core}
    if worker := next(iter(later_scripts(kinds, shorten)), None):
        parts["explorer-model.js"] = _model_parts(worker)
    scripts = {name: _script(own, [core] if own is not core else []) for name, own in parts.items()}
    for kind in sorted(kinds):
        own = [*_kind_parts(kind, shorten), f"definePageExplorer({kind}Kind);"]
        *before, name = scripts_for(kind)
        scripts[name] = _script(own, [parts[shared] for shared in before], hand_on=False)
    return {name: shorten(text) for name, text in scripts.items()}


def later_scripts(kinds, shorten=str) -> dict[str, str]:
    """Name and source of the script that these explorers load when a reader asks a model.

    The name changes with the content: no browser's cache joins an old worker to a new page.
    """
    if not set(kinds) & set(RUN_MODELS + TRAIN_MODELS):
        return {}
    text = _worker(shorten)
    return {f"explorer-worker-{hashlib.sha256(text.encode()).hexdigest()[:10]}.js": text}


def engine_source() -> str:
    """Source of the engine alone, which tests and benchmarks run on a blank page."""
    return "\n".join(source(f"js/model/{name}.js") for name in _ENGINE)


def training_source() -> str:
    """Source of what a worker that trains has beside the engine."""
    return "\n".join(source(f"js/{name}.js") for name in _TRAINING)


def _script(parts: list[str], known: list[list[str]], *, hand_on: bool = True) -> str:
    """A classic script of these files; names that the scripts before it define are taken from them."""
    text = "\n".join(parts)
    own = set(_defined(parts))
    there = [name for group in known for name in _defined(group) if name not in own]
    used = [name for name in there if re.search(rf"\b{name}\b", text)]
    head = f"const {{ {', '.join(used)} }} = globalThis.explorerParts;\n" if used else ""
    names = ", ".join(_defined(parts))
    tail = f"\nglobalThis.explorerParts = {{ ...globalThis.explorerParts, {names} }};" if hand_on else ""
    return f"(() => {{\n{head}{text}{tail}\n}})();\n"


def _defined(parts: list[str]) -> list[str]:
    """Names that these files define at their outermost level."""
    pattern = re.compile(r"^(?:const|class|(?:async )?function) (\w+)", re.MULTILINE)
    return [name for part in parts for name in pattern.findall(part)]


def _core_parts() -> list[str]:
    return [_styles("CORE_STYLES", "core"), *(source(f"js/core/{name}.js") for name in _CORE)]


def _model_parts(worker_file: str) -> list[str]:
    return [_text("WORKER_FILE", worker_file), *(source(f"js/model/{name}.js") for name in _MODEL)]


def _worker(shorten) -> str:
    worker = "\n".join(source(f"js/model/{name}.js") for name in _WORKER)
    return f"globalThis.explorerWorker = {json.dumps(shorten(worker), ensure_ascii=False)};\n"


def _kind_parts(kind: str, shorten=str) -> list[str]:
    shared = [sheet for sheet, kinds in SHEETS.items() if kind in kinds]
    own = [_styles(f"{sheet}Styles", sheet) for sheet in (*shared, kind)]
    if kind in TRAIN_MODELS:
        own.append(_text("TRAINING_SOURCE", shorten(training_source())))
    files = [name if "/" in name else f"{kind}/{name}" for name in KINDS[kind]]
    return [*own, *(source(f"js/{name}.js") for name in files)]


def _styles(name: str, sheet: str) -> str:
    """A sheet as a constant, without comments and without blanks that mean nothing."""
    rules = re.sub(r"/\*.*?\*/", "", source(f"css/{sheet}.css"), flags=re.DOTALL)
    return _text(name, re.sub(r"\s*([{};,])\s*|(?<=:) +", r"\1", rules).strip())


def _text(name: str, text: str) -> str:
    return f"const {name} = {json.dumps(text, ensure_ascii=False)};"


@functools.cache
def source(path: str) -> str:
    """Text of one file of the front end, such as `js/core/numbers.js`, without its `//` comments."""
    text = (_ROOM / path).read_text(encoding="utf-8")
    return re.sub(r"^\s*//.*\n|(?<=[;,{}()\]]) // .*$", "", text, flags=re.MULTILINE)
