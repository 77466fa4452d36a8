"""A small book with every explorer on its pages, and what tests read from them."""

import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

from book_tools.site.explorers import name_model_files, page_assets, place_scripts
from transformer_book.storage.files import write_atomically
from transformer_book.widgets import (
    AttentionExplorer,
    CircuitExplorer,
    DigitsExplorer,
    GenerationExplorer,
    HeadExplorer,
    PositionExplorer,
    RotaryExplorer,
    ScalingExplorer,
    TrainingExplorer,
    TranslationExplorer,
    VectorExplorer,
    WeightsExplorer,
)

# Three heads of size 1 on two-entry tokens: D = 2, D_q = D_v = 3, N = 4, so that no two sizes agree.
THREE_HEADS = {
    "tokens": ["the", "cat", "sat", "down"],
    "X": [[1, 0.5, -1, 2], [0, 1, 1, -0.5]],
    "Omega_q": [[1, 0], [1, 2], [-1, 0.5]],
    "Omega_k": [[1, 1], [0, 1], [0.25, -1]],
    "Omega_v": [[1, 0], [0, 1], [2, -1]],
    "Omega_c": [[1, 0, 0.5], [0, 1, -1]],
    "heads": 3,
}
LOAD = re.compile("载入模型|Load the model")
PAGES = {
    "attention": lambda: [AttentionExplorer(), AttentionExplorer(**THREE_HEADS)],
    "scaling": lambda: [ScalingExplorer()],
    "position": lambda: [PositionExplorer()],
    "rotary": lambda: [RotaryExplorer()],
    "heads": lambda: [HeadExplorer(layer=13, head=8, query=10)],
    "generation": lambda: [GenerationExplorer()],
    "translation": lambda: [TranslationExplorer()],
    "digits": lambda: [DigitsExplorer()],
    "weights": lambda: [WeightsExplorer()],
    "vectors": lambda: [VectorExplorer()],
    "training": lambda: [TrainingExplorer()],
    "circuit": lambda: [CircuitExplorer()],
    "plain": lambda: [],
}


@pytest.fixture(scope="session")
def explorer_site(shared, build_once) -> Path:
    """The folder of the built pages, one for each kind of explorer, and one without any."""
    source = shared / "explorers"
    # Every process writes the same pages; the first one builds them.
    source.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        write_once(source / f"{name}.ipynb", notebook(name, make()))
    write_once(source / "index.md", "# 目录\n")
    write_once(source / "references.bib", "")
    chapters = "".join(f"  - file: {name}\n" for name in PAGES)
    write_once(source / "_toc.yml", f"format: jb-book\nroot: index\nchapters:\n{chapters}")
    build_once("explorers", "--source", source, "--toc", source / "_toc.yml", "--output", source)
    site = source / "_build" / "html"
    for name, make in PAGES.items():
        write_once(site / f"bare-{name}.html", bare_page(make()))
    return site


def bare_page(explorers: list, language: str = "zh-CN") -> str:
    """A page with nothing but the explorers and the site's own scripts for them: quick to open."""
    body = "\n".join(explorer.to_html() for explorer in explorers)
    body = place_scripts(body, page_assets(body))
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>-</title>'
        f'<link rel="icon" href="data:,"></head>'
        f"<body><main>{name_model_files(body)[0]}</main></body></html>"
    )


def notebook(title: str, explorers: list) -> str:
    """A notebook whose stored outputs are what Jupyter would store for these explorers."""
    cells = [nbformat.v4.new_markdown_cell(f"# {title}\n")]
    for number, explorer in enumerate(explorers, start=1):
        data = {"text/plain": repr(explorer), "text/html": explorer.to_html()}
        output = nbformat.v4.new_output("execute_result", data=data, execution_count=number)
        cells.append(nbformat.v4.new_code_cell("explorer", execution_count=number, outputs=[output]))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells, metadata=metadata))


def write_once(path: Path, text: str) -> None:
    """Write a page in one step: another process may be reading or writing the same one."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_atomically(path, text.encode("utf-8"))


def wait_until(element, condition: str, seconds: int = 120) -> None:
    """Wait until a condition on an explorer's element `e` holds; Playwright's polls break a page's policy."""
    element.evaluate(
        f"""async (e, end) => {{
          while (!({condition})) {{
            if (performance.now() > end) throw new Error("never true: " + {json.dumps(condition)});
            await new Promise((done) => setTimeout(done, 20));
          }}
        }}""",
        element.evaluate("() => performance.now()") + 1000 * seconds,
    )


@pytest.fixture(name="wait_until")
def _wait_until():
    return wait_until


class OpenExplorer:
    """One explorer on an open page."""

    def __init__(self, page, kind: str, place: int = 0):
        self.page = page
        self.element = page.locator(f"{kind}-explorer").nth(place)
        self.element.wait_for()

    def values(self, *path: str):
        """Values behind the display; path leads into them, `null` stands for -∞."""
        found = self.element.evaluate(
            "(e, path) => JSON.stringify(path.reduce((v, k) => v[k], e.values), "
            "(k, v) => ArrayBuffer.isView(v) ? [...v] : v)",
            list(path),
        )
        return json.loads(found)

    def array(self, *path: str) -> np.ndarray:
        return np.array(self.values(*path), dtype=float)

    def state(self, name: str):
        return self.element.evaluate("(e, name) => e.state[name]", name)

    def set(self, **change) -> None:
        """Change the state as the page's own code does."""
        self.element.evaluate("(e, change) => { e.state = change; }", change)

    def radio(self, name: str) -> None:
        self.element.get_by_role("radio", name=name, exact=True).check()

    def cells(self, name: str) -> list[list[str]]:
        """Texts of the matrix whose heading begins with `name`, unfolded, inputs by their values."""
        return self.element.evaluate(
            """(element, name) => {
              element.shadowRoot.querySelector("details.between:not([open]) > summary")?.click();
              const tables = [...element.shadowRoot.querySelectorAll("table.matrix")];
              const table = tables.find((t) => t.caption.textContent.startsWith(name));
              const text = (cell) => cell.querySelector("input")?.value ?? cell.textContent;
              return [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1).map(text));
            }""",
            name,
        )

    def unfold(self) -> None:
        """Show what is folded: the steps between the input and the output."""
        self.element.locator("summary").click()

    def load_model(self) -> None:
        """Ask for the explorer's models, as a reader does, and wait until they answer."""
        if not self.element.evaluate("e => Boolean(e.host.data.engine)"):
            pytest.skip("the site was built without this model's weights: make models")
        live = self.element.get_by_role("radio", name="两层模型（现场算）", exact=True)
        if live.count():  # beside a recorded one
            live.check()
        self.element.get_by_role("button", name=LOAD).click()
        self.wait("e.host.data.engine.status !== 'loading'")
        engine = self.element.evaluate("e => [e.host.data.engine.status, e.host.data.engine.reason]")
        assert engine == ["ready", ""]
        self.answered()

    def answered(self) -> None:
        """Wait until the models have answered for the present state."""
        self.wait("e.values.known || e.values.ended")

    def wait(self, condition: str) -> None:
        """Wait until a condition on the explorer's element `e` holds."""
        wait_until(self.element, condition)

    @property
    def complaint(self) -> str:
        return self.element.locator(".complaint").text_content()


@pytest.fixture(params=["http", "file"])
def address(request, explorer_site, serve):
    """`address(page)`: where a page is, on a server and as a file."""
    base = serve(explorer_site) if request.param == "http" else explorer_site.as_uri()
    return lambda name: f"{base}/{name}.html"


@pytest.fixture
def explore(read, address):
    """`explore(kind, place)`: the explorer on its page, at both addresses."""

    def start(kind: str, place: int = 0, query: str = "", **options) -> OpenExplorer:
        page = read(**options).open(address(kind) + query)
        return OpenExplorer(page, kind, place)

    return start


@pytest.fixture
def explore_once(read, explorer_site):
    """As `explore`, on a bare page from a file."""

    def start(kind: str, place: int = 0, query: str = "", **options) -> OpenExplorer:
        page = read(**options).open(f"{explorer_site.as_uri()}/bare-{kind}.html{query}")
        return OpenExplorer(page, kind, place)

    return start


@pytest.fixture
def opened():
    """`opened(page, kind, place)`: an explorer of a page that is open already."""
    return OpenExplorer
