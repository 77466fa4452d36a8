"""Attention weights between two texts as a table of HTML, so that tokens of any script print (section 8).

A picture would need a font for the tokens; in a table the reader's own browser has it.
"""

import html

import numpy as np

from transformer_book.printing import format_number

from .picture import finite_numbers

_BLUE = np.array([86, 180, 233])  # Okabe and Ito's sky blue: black text on it is readable


class WeightsTable:
    """Rows are keys, columns are queries; shows itself in Jupyter as a table, elsewhere as aligned text."""

    def __init__(self, weights, keys, queries, digits: int = 2):
        """weights: (M, N), each column sums to 1; keys, queries: M and N tokens; digits: decimals shown.

        Raises ValueError for weights of another shape or outside 0 to 1.
        """
        self.weights = finite_numbers("weights", weights, shares=True)
        self.keys, self.queries, self.digits = list(keys), list(queries), digits
        if self.weights.shape != (len(self.keys), len(self.queries)):
            raise ValueError(
                f"weights must be ({len(self.keys)}, {len(self.queries)}), keys by queries; "
                f"got {self.weights.shape}."
            )

    def __repr__(self) -> str:
        rows = ([key, *texts] for key, texts in zip(self.keys, self._texts(), strict=True))
        return "\n".join("\t".join(row) for row in [["", *self.queries], *rows])

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th scope="col" style="text-align:center">{html.escape(token)}</th>' for token in self.queries
        )
        body = "".join(
            f'<tr><th scope="row">{html.escape(key)}</th>{"".join(map(_cell, row, texts))}</tr>'
            for key, row, texts in zip(self.keys, self.weights, self._texts(), strict=True)
        )
        return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _texts(self):
        return [[format_number(float(weight), self.digits) for weight in row] for row in self.weights]


def _cell(weight, text):
    red, green, blue = (255 + (_BLUE - 255) * min(weight, 1.0)).round().astype(int)
    style = f"background:rgb({red},{green},{blue});color:black;padding:0.2em 0.6em;text-align:center"
    return f'<td style="{style}">{text}</td>'
