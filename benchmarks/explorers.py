"""`python -m benchmarks.explorers`: milliseconds of script for one change of a setting, in a real browser.

Medians and maxima over the rounds, of the page's script alone; layout and painting come on top. What models
compute in their worker is measured by `python -m benchmarks.engine`.
"""

import argparse
import shutil
import statistics
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
    "generation, temperature": (GenerationExplorer, {"temperature": 1.2}, {"temperature": 0.8}),
    "translation, head": (TranslationExplorer, {"head": 0}, {"head": 1}),
    "digits, query": (DigitsExplorer, {"query": 3}, {"query": 0}),
    "weights, all on one": (WeightsExplorer, {"weights": [1] + [0] * 11}, {"weights": []}),
    "vectors, query": (VectorExplorer, {"q": [1, 2]}, {"q": [2, 1]}),
}

TIME_CHANGES = """
async ([tag, changes, rounds]) => {
  const explorer = document.querySelector(tag);
  await explorer.host.data.engine?.load();
  const waits = () => explorer.values.maps === null || explorer.values.known === false;
  while (waits()) await new Promise(requestAnimationFrame);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const change of changes) {
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      explorer.state = change;
      times.push(performance.now() - start);
    }
  }
  return times;
}
"""


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
            f"Chromium {browser.version}; milliseconds of script a change, median and largest of {2 * rounds}"
        )
        for name, (make, *changes) in CASES.items():
            explorer = make()
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(page_of(explorer, Path(folder)).as_uri())
            times = page.evaluate(TIME_CHANGES, [f"{explorer.kind}-explorer", changes, rounds])
            print(f"{name:36} {statistics.median(times):7.2f} {max(times):7.2f}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
