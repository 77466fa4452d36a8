"""Text, ids, columns: how a sentence becomes the matrix X (section 1)."""

from transformer_book.figures.picture import Picture

from .sketch import LINE, PALE, arrow, box, label, matrix, matrix_of, sheet

_PITCH = 0.82  # inches from one token to the next
_MOST = 5
_SPACE = "␣"  # an open box for a space, as the tokens show where words begin


def columns_figure(tokens, ids, X) -> Picture:
    """Draw tokens, their ids, and the columns of X that the ids pick out.

    tokens: N texts, at most five; ids: N numbers; X: (D, N), one token a column.
    Raises ValueError when these are not of one N.
    """
    tokens, ids = list(tokens), list(ids)
    if not 0 < len(tokens) <= _MOST or len(ids) != len(tokens):
        raise ValueError(
            f"tokens must be 1 to {_MOST}, each with an id; got {len(tokens)} tokens and {len(ids)} ids."
        )
    X = matrix_of("X", X, (None, len(tokens)))
    rows = 0.28 * len(X)
    height = rows + 2.0
    with sheet(4.8, height) as (figure, axes):
        middles = [0.45 + _PITCH * n for n in range(len(tokens))]
        for n, (token, number, x) in enumerate(zip(tokens, ids, middles, strict=True), start=1):
            shown = token.replace(" ", _SPACE).replace("$", r"\$")
            box(axes, x - 0.38, height - 0.4, 0.76, 0.32, shown)
            arrow(axes, (x, height - 0.42), (x, height - 0.68))
            label(axes, x, height - 0.82, str(number))
            arrow(axes, (x, height - 0.96), (x, height - 1.22))
            label(axes, x, height - rows - 1.47, rf"$\mathbf{{x}}_{n}$")
        matrix(axes, 0.14, height - 1.25, X, cell=(0.62, 0.28), digits=1, edge=LINE, gaps=_PITCH - 0.62)
        right = middles[-1] + 0.36
        label(axes, right + 0.06, height - 0.82, r"$t_n$", ha="left")
        label(axes, right + 0.06, height - 1.25 - rows / 2, "$D$", ha="left")
        shape = rf"$\mathbf{{X}}:\ D \times N = {len(X)} \times {len(ids)}$"
        box(axes, 0.08, 0.08, max(right, 2.2) - 0.08, 0.3, shape, colour=PALE)
        return Picture(figure)
