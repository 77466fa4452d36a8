"""`python -m book_tools.site.portraits`: draw the pictures of the READMEs, of the built site."""

import argparse
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from book_tools.browser import launch
from transformer_book.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "pictures"
LARGEST = 150_000  # bytes of a picture
QUALITY = 82  # of WebP, out of 100


@dataclass(frozen=True)
class Portrait:
    """One picture: its file, the page it is of, and the part of it; without one, what a screen shows."""

    file: str
    page: str
    part: str = ""


PORTRAITS = (
    Portrait("page.webp", "06_multi_head.html#eq-12-8"),
    Portrait("explorer.webp", "02_self_attention.html", "attention-explorer"),
)


def draw(browser: Browser, site: Path, portrait: Portrait) -> bytes:
    """Return the picture as WebP, 1,280 pixels wide or as wide as its part, in light colours."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        device_scale_factor=2 if portrait.part else 1,
        color_scheme="light",
        reduced_motion="reduce",
        locale="zh-CN",
    )
    page = context.new_page()
    page.goto(f"{site.as_uri()}/{portrait.page}", wait_until="load")
    page.evaluate("document.fonts.ready.then(() => true)")
    seen = page.locator(portrait.part).first.screenshot() if portrait.part else page.screenshot()
    context.close()
    written = io.BytesIO()
    Image.open(io.BytesIO(seen)).convert("RGB").save(written, "WEBP", quality=QUALITY, method=6)
    return written.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m book_tools.site.portraits", description=__doc__)
    parser.add_argument(
        "--site", type=Path, default=ROOT / "_build" / "html", help="folder of the built site"
    )
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder to write the pictures into")
    options = parser.parse_args()
    if not (options.site / "index.html").is_file():
        parser.error(f"argument --site: there is no built site in {options.site}; make book builds it")
    options.output.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for portrait in PORTRAITS:
            content = draw(browser, options.site, portrait)
            write_atomically(options.output / portrait.file, content)
            print(f"{options.output / portrait.file}: {len(content):,} bytes")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
