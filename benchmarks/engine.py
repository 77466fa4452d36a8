"""`python -m benchmarks.engine`: milliseconds of the page's engine for a token and for a digit, in a browser.

A token: the quatrain GPT reads one more character, everything before it in its cache. A digit: the Vision
Transformer classifies one image of 8 x 8. Medians, 95th percentiles and maxima; what a worker's messages cost
comes on top.
"""

import argparse
import base64
import statistics

from playwright.sync_api import sync_playwright

from book_tools.browser import launch
from transformer_book.widgets.bundle import engine_source
from transformer_book.widgets.model_files import checkpoint_file

TIME = """
async ([file, task, rounds]) => {
  const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
  const opening = performance.now();
  const model = openModel(bytes.buffer);
  const opened = performance.now() - opening;
  const times = [];
  const time = (work) => {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  };
  for (let round = 0; round < rounds; round += 1) {
    if (task === "digit") {
      const pixels = Array.from({ length: 64 }, (_, i) => ((i * 7 + round) % 17) / 16);
      time(() => visionTransformer(model, pixels));
    } else {
      const cache = [];
      for (let n = 0; n < 33; n += 1) time(() => decoder(model, [(n * 71 + round) % 2000 + 4], { cache }));
    }
  }
  return [opened, times];
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="poems, and images by tens (20)")
    rounds = parser.parse_args().rounds
    with sync_playwright() as playwright:
        browser = launch(playwright)
        print(f"Chromium {browser.version}; milliseconds: to open the file, median, 95 %, largest")
        for task, name, count in (("token", "quatrain_gpt", rounds), ("digit", "digits_vit", 10 * rounds)):
            page = browser.new_page()
            page.add_script_tag(content=engine_source())
            file = base64.b64encode(checkpoint_file(name)).decode("ascii")
            opened, times = page.evaluate(TIME, [file, task, count])
            late = statistics.quantiles(times, n=20)[-1]
            print(f"{task:6} {opened:7.1f} {statistics.median(times):7.2f} {late:7.2f} {max(times):7.2f}")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
