"""Compare a cell's stored outputs with fresh ones: nbval's comparison, and what it leaves out.

nbval disregards the order of outputs of different kinds, and pictures. Both are compared here, by the
same code for the tests (`nbval_plugin`) and for the mutation test (`mutate`). Off Linux other fonts and
another libm draw other pixels, so that text alone is compared there.
"""

import sys

from nbval.plugin import IPyNbCell, coalesce_streams, nocolors

from book_tools.notebooks.files import WIDGET_VIEW, clean_outputs
from book_tools.notebooks.pictures import PNG, SVG, data_difference

NBVAL_COMPARE = IPyNbCell.compare_outputs
NOT_COMPARED = ("metadata", "traceback", "prompt_number", "output_type", "name", "execution_count")
NOT_COMPARED += (WIDGET_VIEW, PNG, SVG, "image/jpeg")


class Cell:
    """The part of an nbval cell that its comparison needs, for outputs that another run has made."""

    colors = nocolors
    sanitize_patterns = {}  # noqa: RUF012 - the name and shape are nbval's
    config = None

    def __init__(self):
        self.parent = self
        self.ihook = self
        self.comparison_traceback = []

    def pytest_assertrepr_compare(self, **_):
        return []

    sanitize = IPyNbCell.sanitize
    format_output_compare = IPyNbCell.format_output_compare


def same_outputs(cell, fresh, stored, skip_compare=None):
    """Say whether fresh outputs are the stored ones; what differs is told in `cell.comparison_traceback`."""
    if not NBVAL_COMPARE(cell, fresh, stored, skip_compare or NOT_COMPARED):
        return False
    fresh, stored = clean_outputs(fresh), clean_outputs(stored)
    for fault in _faults(stored, fresh):
        cell.comparison_traceback.append(fault)
    return not cell.comparison_traceback


def differences(stored, fresh):
    """List what differs between stored and fresh outputs of a cell, by the comparison that the tests use."""
    cell = Cell()
    same = same_outputs(cell, coalesce_streams(clean_outputs(fresh)), coalesce_streams(clean_outputs(stored)))
    return [] if same else cell.comparison_traceback


def _faults(stored, fresh):
    old, new = list(map(_kind, stored)), list(map(_kind, fresh))
    if old != new:
        yield f"outputs are stored as {old}, but the code gives {new}"
    elif sys.platform == "linux":
        for one, other in zip(stored, fresh, strict=True):
            if fault := data_difference(one.get("data", {}), other.get("data", {})):
                yield fault


def _kind(output):
    if output.output_type == "stream":
        return output.name
    return "/".join([output.output_type, *sorted(output.get("data", {}))])
