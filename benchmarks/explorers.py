"""`python -m benchmarks.explorers`: what one change of a setting costs the page's main thread, in a browser.

Milliseconds of processor time, so that other programs do not count: script, style, layout and their sum,
medians over the rounds, and the largest sum. The aim is 16 ms, one frame. What models compute in their worker
is measured by `python -m benchmarks.engine`.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from book_tools.site.explorers import name_model_files, page_assets, write_models
from transformer_book.widgets import (
    AttentionExplorer,
    DigitsExplorer,
    GenerationExplorer,
    HeadExplorer,
    PositionExplorer,
    ScalingExplorer,
    TranslationExplorer,
    VectorExplorer,
    WeightsExplorer,
)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def attention(N: int) -> AttentionExplorer:
    """An explorer with N tokens of 4 entries."""
    random = np.random.default_rng(N)
    maps = {name: random.integers(-2, 3, size=(4, 4)) for name in ("Omega_q", "Omega_k", "Omega_v")}
    return AttentionExplorer(
        tokens=[f"t{n}" for n in range(N)], X=random.integers(-2, 3, size=(4, N)), query=1, **maps
    )


# Name, the explorer, and two settings that are put on in turn.
CASES = {
    "attention N = 3, scaling": (lambda: attention(3), {"scaled": True}, {"scaled": False}),
    "attention N = 16, scaling": (lambda: attention(16), {"scaled": True}, {"scaled": False}),
    "attention N = 16, mask": (lambda: attention(16), {"mask": "causal"}, {"mask": "none"}),
    "attention N = 64, scaling": (lambda: attention(64), {"scaled": True}, {"scaled": False}),
    "attention N = 64, mask": (lambda: attention(64), {"mask": "causal"}, {"mask": "none"}),
    "scaling, D_q 64 and 256, 20 draws": (ScalingExplorer, {"dimension": 256}, {"dimension": 64}),
    "position, p": (PositionExplorer, {"position": 40}, {"position": 3}),
    "heads, layer": (HeadExplorer, {"layer": 13}, {"layer": 2}),
    "heads, any sentence of 48 tokens": (
        lambda: HeadExplorer(model="minilm"),
        {"own": "word " * 46, "layer": 2},
        {"own": "word " * 46, "layer": 4},
    ),
    "generation, temperature": (GenerationExplorer, {"temperature": 1.2}, {"temperature": 0.8}),
    "translation, head": (TranslationExplorer, {"head": 0}, {"head": 1}),
    "digits, query": (DigitsExplorer, {"query": 3}, {"query": 0}),
    "weights, all on one": (WeightsExplorer, {"weights": [1] + [0] * 11}, {"weights": []}),
    "vectors, query": (VectorExplorer, {"q": [1, 2]}, {"q": [2, 1]}),
}

LOAD = "(explorer) => explorer.host.data.engine?.load()"
# Until the change is drawn, and what a model in a worker says to it as well.
CHANGE = """
async (explorer, change) => {
  setTimeout(() => { explorer.state = change; }); // what a timer runs is counted, what we evaluate is not
  const frame = () => new Promise(requestAnimationFrame);
  const waits = () => explorer.values.maps === null || explorer.values.known === false;
  await frame();
  do await frame(); while (waits());
  await frame();
}
"""
PARTS = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")


def work(session) -> list[float]:
    """Milliseconds of the main thread's processor time so far: script, style, layout."""
    found = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
    return [1000 * found[name] for name in PARTS]


def times(page, tag: str, changes, rounds: int) -> np.ndarray:
    """Milliseconds of each change (2 · rounds, 4): script, style, layout, and their sum."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    explorer = page.locator(tag)
    explorer.evaluate(LOAD)
    rows = []
    for change in [*changes] * (rounds + 1):
        before = work(session)
        explorer.evaluate(CHANGE, change)
        parts = np.subtract(work(session), before)
        rows.append([*parts, parts.sum()])
    return np.array(rows[len(changes) :])  # the first round warms up


def page_of(explorer, folder: Path) -> Path:
    """Write a page with one explorer."""
    body = explorer.to_html()
    assets = page_assets(body)
    for name, text in {**assets.scripts, **assets.packs}.items():
        (folder / name).write_text(text, encoding="utf-8")
    body, models = name_model_files(body)
    write_models(folder, models)
    scripts = "".join(f'<script src="{name}"></script>' for name in assets.scripts)
    scripts += "".join(f'<script defer src="{name}"></script>' for name in assets.packs)
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="zh-CN"><meta charset="utf-8">{scripts}<main>{body}</main>',
        encoding="utf-8",
    )
    return page


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25, help="rounds of each case (25)")
    rounds = parser.parse_args().rounds
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(**({"executable_path": found} if found else {}))
        print(
            f"Chromium {browser.version}; milliseconds of processor time a change, {2 * rounds} changes\n"
            f"{'':36}  script   style  layout     sum  largest"
        )
        for name, (make, *changes) in CASES.items():
            explorer = make()
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(page_of(explorer, Path(folder)).as_uri())
            found = times(page, f"{explorer.kind}-explorer", changes, rounds)
            columns = [*np.median(found, axis=0), found[:, -1].max()]
            print(f"{name:36}" + "".join(f" {x:7.2f}" for x in columns))
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
