"""How alike two sinusoidal codes are, against their distance (section 5; not numbered)."""

from transformer_book.checks.numbers import check_whole

from .picture import BLUE, GREY, SEQUENTIAL, WIDTH, Picture, drawing, finite_numbers, name_axis


def code_similarity_figure(products, longest) -> Picture:
    """Draw a) the dot products of all pairs of codes, b) those of one position with the positions after it.

    products: (P, P), the dot products; longest: the largest distance k that b) shows, less than P.
    Raises ValueError for products that are not a square matrix, and for another distance.
    """
    products = finite_numbers("products", products)
    if products.ndim != 2 or products.shape[0] != products.shape[1]:
        raise ValueError(f"products must be a square matrix; got shape {products.shape}.")
    check_whole("longest", longest)
    if longest >= len(products):
        raise ValueError(f"longest must be 1 to {products.shape[-1] - 1}, the last position; got {longest}.")
    with drawing(WIDTH, 2.5) as figure:
        a, b = figure.subplots(1, 2, width_ratios=[1, 1.25])
        a.imshow(products[:longest, :longest], cmap=SEQUENTIAL)
        a.set(title=r"a)  $\mathrm{PE}_p^\top\mathrm{PE}_{p'}$")
        name_axis(a, "x", "$p'$", "position")
        name_axis(a, "y", "$p$", "position")
        a.set_xticks([0, longest // 2, longest - 1])
        a.set_yticks([0, longest // 2, longest - 1])
        b.plot(range(longest + 1), products[0, : longest + 1], color=BLUE)
        b.axhline(0, color=GREY, linewidth=0.8, linestyle="--")
        b.set(title=r"b)  $\sum_i \cos(k\,\omega_i)$")
        name_axis(b, "x", "$k$", "distance")
        return Picture(figure)
