"""Which edition of the book this is: version and date, from CITATION.cff."""

import functools
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def edition() -> dict[str, str]:
    """Return version and date of this edition."""
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return {"version": str(stated["version"]), "date": str(stated["date-released"])}
