"""`python -m benchmarks.explorers [case …]`: what one change costs the page's main thread, in a browser.

Milliseconds of processor time, so that other programs do not count: script, style, layout, and all tasks of
the main thread (painting and the browser's own work as well), medians over the changes, and the 95th
percentile of all tasks. The first line changes nothing: what the measurement itself costs. The aim is 16 ms,
one frame. Writing the page's address is left out: it waits for a pause, and the next change here comes before
it. What models compute in their worker is measured by `python -m benchmarks.engine`.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from book_tools.browser import launch
from book_tools.site.explorers import name_model_files, page_assets, place_scripts, write_models, write_text
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


def attention(N: int, heads: int = 1) -> AttentionExplorer:
    """An explorer with N tokens of 4 entries."""
    random = np.random.default_rng(N)
    maps = {name: random.integers(-2, 3, size=(4, 4)) for name in ("Omega_q", "Omega_k", "Omega_v")}
    return AttentionExplorer(
        tokens=[f"t{n}" for n in range(N)],
        X=random.integers(-2, 3, size=(4, N)),
        query=1,
        heads=heads,
        head=heads - 1,
        **maps,
    )


ATTENTION = {
    "scaling": ({"scaled": True}, {"scaled": False}),
    "mask": ({"mask": "causal"}, {"mask": "none"}),
    "query": ({"query": 2}, {"query": 3}),
    "pointing": ("view.point(0, 1)", "view.point(2, 2)"),
    "entry": ("view.editEntry('X', 1, 1, '-1.5')", "view.editEntry('X', 1, 1, '2')"),
    "token moves": ("view.moveToken(0, 2)", "view.moveToken(2, 0)"),
    "token goes and comes": ("view.removeToken(1)", "view.addToken()"),
}
NEXT_LAYER = "host.set({ layer: (explorer.state.layer + 1) % 6 })"
READ = "view.read('word '.repeat(44) + (globalThis.count = (globalThis.count ?? 0) + 1))"
NEXT_QUERY = "view.point((view.pointed + 7) % 48)"
# Names of explorer and change: the explorer, and two changes that are made in turn, states or calls. Of three
# the first is made once before.
CASES = {
    "nothing": {"": (VectorExplorer, {}, {})},
    **{
        f"attention N = {N}": {k: (lambda N=N: attention(N), *v) for k, v in ATTENTION.items()}
        for N in (3, 12, 64)
    },
    "attention N = 12, 2 heads": {"head": (lambda: attention(12, 2), {"head": 0}, {"head": 1})},
    "attention, 12 and 13 tokens": {
        "token comes and goes": (lambda: attention(12), "view.addToken()", "view.removeToken(12)")
    },
    "scaling": {
        "dimension": (ScalingExplorer, {"dimension": 256}, {"dimension": 64}),
        "one draw, 20 draws": (ScalingExplorer, "host.set({ draws: 21 })", "host.set({ draws: 41 })"),
        "200 draws": (ScalingExplorer, {"draws": 200}, {"draws": 180}),
    },
    "position": {
        "p": (PositionExplorer, {"position": 40}, {"position": 3}),
        "D": (PositionExplorer, {"size": 16}, {"size": 4}),
    },
    "rotary": {
        "n, m": (RotaryExplorer, {"n": 40}, {"m": 30, "n": 3}),
        "entry": (RotaryExplorer, "view.edit(1, 0, '0.5')", "view.edit(1, 0, '-1')"),
    },
    "heads": {
        "layer": (HeadExplorer, {"layer": 13}, {"layer": 2}),
        "query": (HeadExplorer, {"query": 3}, {"query": 9}),
        "pointing": (HeadExplorer, "view.point(3)", "view.point(7)"),
        "sentence": (HeadExplorer, "view.setSentence(1)", "view.setSentence(0)"),
        "model": (HeadExplorer, "view.setModel('minilm')", "view.setModel('smollm2')"),
    },
    "heads, own sentence of 48": {
        "another sentence": (lambda: HeadExplorer(model="minilm"), READ, READ),
        "layer": (lambda: HeadExplorer(model="minilm"), READ, NEXT_LAYER, NEXT_LAYER),
        "pointing": (lambda: HeadExplorer(model="minilm"), READ, NEXT_QUERY, NEXT_QUERY),
    },
    "circuit": {
        "head": (CircuitExplorer, "view.toggle('L16H0')", "view.toggle('L16H0')"),
        "ablation": (CircuitExplorer, {"ablation": "zero"}, {"ablation": "mean"}),
        "model": (CircuitExplorer, {"model": "copying", "deleted": []}, {"model": "smollm2", "deleted": []}),
        "head, live": (
            lambda: CircuitExplorer(model="copying", deleted=[]),
            "view.toggle('L1H0')",
            "view.toggle('L0H1')",
        ),
    },
    "training": {
        "five updates": (TrainingExplorer, "look()", "look()"),
        "switch": (TrainingExplorer, {"mask": False}, {"mask": True}),
    },
    "generation": {
        "temperature": (GenerationExplorer, {"temperature": 1.2}, {"temperature": 0.8}),
        "top-k": (GenerationExplorer, {"top_k": 5}, {"top_k": 0}),
        "top-p": (GenerationExplorer, {"top_p": 0.5}, {"top_p": 1}),
        "character, back": (GenerationExplorer, "view.append(explorer.values.order[0])", "view.cut(0)"),
        "poem": (
            GenerationExplorer,
            "host.set({ text: '明月几时有，把酒问青天。不知天上', beside: '明月' })",
            "host.set({ text: '', beside: '' })",
        ),
        "head": (GenerationExplorer, {"head": 1}, {"head": 0}),
    },
    "translation": {
        "number": (TranslationExplorer, {"text": "30205"}, {"text": "123456789"}),
        "head": (TranslationExplorer, {"head": 0}, {"head": 1}),
        "layer": (TranslationExplorer, {"layer": 0}, {"layer": 1}),
    },
    "digits": {
        "pixel": (DigitsExplorer, "view.paint(9)", "view.clear.click()"),
        "shift": (
            DigitsExplorer,
            "view.showSample(1)",
            "host.root.querySelector('[aria-label=左移一格]').click()",
        ),
        "order": (DigitsExplorer, {"shuffled": True}, {"shuffled": False}),
        "query": (DigitsExplorer, {"query": 3}, {"query": 0}),
        "head": (DigitsExplorer, {"head": 1}, {"head": -1}),
        "sample": (DigitsExplorer, "view.showSample(3)", "view.showSample(4)"),
    },
    "weights": {
        "slider": (
            WeightsExplorer,
            {"weights": [0.5] + [0.5 / 11] * 11},
            {"weights": [0.3] + [0.7 / 11] * 11},
        ),
        "farthest": (WeightsExplorer, "view.buttons[0].click()", "view.buttons[3].click()"),
        "sentence": (
            WeightsExplorer,
            "view.read('房间很干净，下次还会来。')",
            "view.read('服务太差了，'.repeat(6))",
        ),
    },
    "vectors": {
        "arrow": (VectorExplorer, "view.move(0, [1, 2])", "view.move(0, [2, 1])"),
        "key": (VectorExplorer, {"key": 1}, {"key": 2}),
        "keys": (VectorExplorer, "view.resize(1)", "view.resize(-1)"),
    },
}  # fmt: skip

LOAD = "(explorer) => explorer.host.data.engine?.load()"
# Until the change is drawn, and what a model in a worker says to it as well.
CHANGE = """
async (explorer, change) => {
  const { host, host: { view } } = explorer;
  // Without asking for a frame: there is one where there is something to draw.
  const pause = () => new Promise((done) => setTimeout(done, 50));
  const { maps, known, step } = explorer.values;
  let looking = false;
  const look = () => { // five updates of a training
    looking = explorer.values.step < 290;
    if (!looking) return host.set({ seed: (explorer.state.seed + 1) % 100 });
    return view.press();
  };
  const act = typeof change === "string" ? new Function("explorer", "host", "view", "look", change) : null;
  // What a timer runs is counted, what we evaluate is not.
  setTimeout(() => { act ? act(explorer, host, view, look) : (explorer.state = change); });
  const asks = host.data.engine && host.data.engine.status === "ready";
  const waits = () => explorer.values.maps === null || (asks && explorer.values.known === false)
    || view.wanted || (looking && explorer.values.step === step);
  do await pause(); while (waits());
  if (looking) {
    view.press();
    while (host.data.course.busy) await pause();
  }
  await new Promise(requestAnimationFrame);
  await pause();
}
"""
PARTS = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")


def work(session) -> list[float]:
    """Milliseconds of the main thread's processor time so far: script, style, layout, all tasks."""
    found = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
    return [1000 * found[name] for name in PARTS]


def times(page, tag: str, changes, rounds: int) -> np.ndarray:
    """Milliseconds of each change (2 · rounds, 4): script, style, layout, all tasks."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    explorer = page.query_selector(tag)  # found once: a locator searches the whole page anew for each change
    explorer.evaluate(LOAD)
    rows = []
    *first, one, other = changes
    for change in first:
        explorer.evaluate(CHANGE, change)
    for change in [one, other] * (rounds + 1):
        before = work(session)
        explorer.evaluate(CHANGE, change)
        rows.append(np.subtract(work(session), before))
    return np.array(rows[2:])  # the first round warms up


def page_of(explorer, folder: Path) -> Path:
    """Write a page with one explorer."""
    body = explorer.to_html()
    assets = page_assets(body)
    static = folder / "_static"
    for name, text in {**assets.scripts, **assets.packs, **assets.on_demand}.items():
        write_text(static / name, text)
    body, models = name_model_files(place_scripts(body, assets))
    write_models(static, models)
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="zh-CN"><meta charset="utf-8"><main>{body}</main>',
        encoding="utf-8",
    )
    return page


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorers", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help="beginnings of names, such as heads; all")
    parser.add_argument("--rounds", type=int, default=25, help="rounds of each case (25)")
    options = parser.parse_args()
    wanted = tuple(options.cases)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        print(
            f"Chromium {browser.version}; milliseconds of processor time, {2 * options.rounds} changes\n"
            f"{'':48}  script   style  layout     all     95 %"
        )
        for name, changes in CASES.items():
            for what, (make, *turns) in changes.items():
                if wanted and not name.startswith(wanted):
                    continue
                explorer = make()
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.goto(page_of(explorer, Path(folder)).as_uri())
                found = times(page, f"{explorer.kind}-explorer", turns, options.rounds)
                columns = [*np.median(found, axis=0), np.quantile(found[:, -1], 0.95)]
                print(f"{f'{name}: {what}':48}" + "".join(f" {x:7.2f}" for x in columns), flush=True)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
