"""Lighthouse's scores of a page, the medians of several runs."""

import json
import shutil
import statistics
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).parent / "node_modules" / ".bin" / "lighthouse"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
CHROME = "--chrome-flags=--headless=new --no-sandbox"


class NoLighthouseError(RuntimeError):
    """Lighthouse is not installed."""


def scores(url: str, runs: int) -> dict[str, float]:
    """Return the scores of a page from 0 to 100, with LCP in milliseconds and CLS; medians of ``runs``."""
    if not PROGRAM.exists():
        raise NoLighthouseError(f"Lighthouse must be installed first: npm ci --prefix {PROGRAM.parents[2]}")
    reports = [_report(url) for _ in range(runs)]
    return {name: statistics.median(report[name] for report in reports) for name in reports[0]}


def _report(url: str) -> dict[str, float]:
    categories = f"--only-categories={','.join(CATEGORIES)}"
    command = [
        shutil.which("node"),
        str(PROGRAM.resolve()),
        url,
        "--output=json",
        "--quiet",
        categories,
        CHROME,
    ]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    report = json.loads(result.stdout)
    found = {name: 100 * report["categories"][name]["score"] for name in CATEGORIES}
    found["lcp"] = report["audits"]["largest-contentful-paint"]["numericValue"]
    found["cls"] = report["audits"]["cumulative-layout-shift"]["numericValue"]
    return found
