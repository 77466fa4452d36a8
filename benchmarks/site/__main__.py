"""`python -m benchmarks.site [page …] [--lighthouse 5]`: measure the built site, print a table."""

import argparse
import csv
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.site.lighthouse import NoLighthouseError, scores
from benchmarks.site.server import serve
from benchmarks.site.visit import TYPES, Visit, visit
from book_tools.browser import launch

ROOT = Path(__file__).resolve().parents[2]
NOT_MEASURED = {"404"}


def row(name: str, seen: Visit, lighthouse: dict[str, float]) -> dict[str, object]:
    """Return one line of the table; sizes in KiB as they are sent."""
    sizes = {f"{kind} KiB": round(seen.bytes[kind] / 1024) for kind in TYPES}
    return {
        "page": name,
        "all KiB": round(sum(seen.bytes.values()) / 1024),
        **sizes,
        "requests": seen.requests,
        "shift while scrolling": f"{seen.shift:.3f}",
        "axe": " ".join(seen.violations) or "none",
        **{name: f"{value:.3g}" if name == "cls" else round(value) for name, value in lighthouse.items()},
    }


def markdown(rows: list[dict[str, object]]) -> str:
    """Return rows as a Markdown table."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(map(str, one.values())) for one in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(path: Path, rows: list[dict[str, object]]) -> None:
    """Write rows as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site", description=__doc__)
    parser.add_argument("pages", nargs="*", metavar="page", help="names such as 01_tokens; all by default")
    parser.add_argument(
        "--site", type=Path, default=ROOT / "_build" / "html", help="folder of the built site"
    )
    parser.add_argument(
        "--lighthouse",
        type=int,
        default=0,
        metavar="RUNS",
        help="runs of Lighthouse a page, on a quiet machine",
    )
    parser.add_argument("--csv", type=Path, help="file to write the table to")
    options = parser.parse_args()
    pages = options.pages or sorted({page.stem for page in options.site.glob("*.html")} - NOT_MEASURED)
    if missing := [name for name in pages if not (options.site / f"{name}.html").is_file()]:
        parser.error(f"page must be a page of the built site; got {missing[0]!r}")
    rows = []
    with sync_playwright() as playwright, serve(options.site) as address:
        browser = launch(playwright)
        for name in pages:
            url = f"{address}/{name}.html"
            try:
                lighthouse = scores(url, options.lighthouse) if options.lighthouse else {}
            except NoLighthouseError as error:
                parser.error(str(error))
            rows.append(row(name, visit(browser, options.site, address, name), lighthouse))
            if options.csv:
                write(options.csv, rows)
            print(name, "done", file=sys.stderr)
        browser.close()
    print(markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
