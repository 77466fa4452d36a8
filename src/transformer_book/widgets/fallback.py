"""Tables that stand in for an explorer where no script runs: print, GitHub, a reader without JavaScript."""

import html
import math

from ..printing import format_value


def matrix_table(symbol: str, values, *, rows=None, columns=None, digits: int = 3) -> str:
    """One matrix as an HTML table under its symbol; whole numbers stay whole.

    values: (rows, columns); rows, columns: texts of the heads, 1, 2, … by default.
    """
    values = [list(row) for row in values]
    rows = rows or [str(m + 1) for m in range(len(values))]
    columns = columns or [str(n + 1) for n in range(len(values[0]))]
    whole = all(float(x).is_integer() for row in values for x in row)
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in columns)
    body = "\n".join(
        f'<tr><th scope="row">{html.escape(name)}</th>'
        + "".join(f"<td>{_entry(x, whole, digits)}</td>" for x in row)
        + "</tr>"
        for name, row in zip(rows, values, strict=True)
    )
    return (
        f"<table>\n<caption>{symbol}</caption>\n<thead><tr><td></td>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def _entry(x: float, whole: bool, digits: int) -> str:
    if x == -math.inf:
        return "−∞"  # a masked score, as the explorers write it
    return str(int(x)) if whole else format_value(float(x), digits)
