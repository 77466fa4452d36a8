"""`python -m benchmarks.training`: how long the page trains until a head copies, on a slower processor.

Seconds from the press of the button to an induction score of 0.5 in each seed. A browser slows its main
thread alone, so worker and page share that thread here: a real page, with a worker of its own, is faster. The
aim is 60 seconds in four of five seeds at a quarter of the speed.
"""

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from book_tools.browser import launch
from transformer_book.widgets import TrainingExplorer

from .explorers import page_of

GOAL = 0.5
# A worker that runs on the page's own thread, a message a task.
WORKER_HERE = """
const blobs = new Map();
const makeAddress = URL.createObjectURL.bind(URL);
URL.createObjectURL = (blob) => {
  const address = makeAddress(blob);
  blobs.set(address, blob);
  return address;
};
globalThis.Worker = class {
  constructor(address) {
    const reply = (data) => setTimeout(() => this.onmessage({ data }));
    const made = (source) => new Function("postMessage",
      `let onmessage; ${source}\n; return (data) => onmessage({ data });`)(reply);
    this.ready = blobs.get(address).text().then(made);
  }
  postMessage(data) {
    this.ready.then((take) => setTimeout(() => take(data)));
  }
  terminate() {}
};
"""
TRAIN = """
async (explorer, goal) => {
  const { view, data: { course } } = explorer.host;
  const start = performance.now();
  const best = () => Math.max(...(explorer.values.induction ?? [[0]]).flat());
  view.press();
  do await new Promise((done) => setTimeout(done, 50)); while (course.running && best() < goal);
  const seconds = (performance.now() - start) / 1000;
  const found = [best() >= goal, seconds, explorer.values.step, best()];
  if (course.running) view.press();
  return found;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2, 3, 4], help="0 1 2 3 4")
    parser.add_argument("--slower", type=float, default=4, help="how many times slower the processor is (4)")
    options = parser.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright)
        print(f"Chromium {browser.version}, {options.slower:g} times slower\nseed seconds updates score")
        for seed in options.seeds:
            page = browser.new_page(viewport={"width": 390, "height": 844})
            page.set_default_timeout(0)
            page.add_init_script(WORKER_HERE)
            page.goto(page_of(TrainingExplorer(seed=seed), Path(folder)).as_uri())
            session = page.context.new_cdp_session(page)
            session.send("Emulation.setCPUThrottlingRate", {"rate": options.slower})
            explorer = page.locator("training-explorer")
            reached, seconds, step, score = explorer.evaluate(TRAIN, GOAL)
            note = "" if reached else " not reached"
            print(f"{seed:4} {seconds:7.1f} {step:7} {score:5.2f}{note}", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
