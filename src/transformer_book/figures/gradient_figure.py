"""The gradient's norm in every layer of a stack, pre- and post-norm (section 7; not numbered)."""

from .picture import BLUE, ORANGE, WIDTH, Picture, check_panels, drawing, name_axis


def gradient_figure(pre, post, logarithmic=False) -> Picture:
    """Draw the norms against the layer, a panel for each depth; pre-norm is round and blue, post-norm square.

    pre, post: depth to the norms of its layers, from the first on, with the same depths. logarithmic: the
    axis of the norms, which must then be above 0. Raises ValueError otherwise.
    """
    check_panels("pre", pre, 4)
    if list(pre) != list(post):
        raise ValueError(f"pre and post must be of the same depths; got {list(pre)} and {list(post)}.")
    for name, group in (("pre", pre), ("post", post)):
        for depth, norms in group.items():
            if len(norms) != depth:
                raise ValueError(f"{name}[{depth}] must be {depth} norms; got {len(norms)}.")
    norms = [norm for group in (pre, post) for norms in group.values() for norm in norms]
    if logarithmic and not min(norms) > 0:
        raise ValueError(f"norms must be above 0 on a logarithmic axis; got {min(norms)}.")
    scale = {"yscale": "log"} if logarithmic else {"ylim": (0, 1.1 * max(norms))}
    with drawing(WIDTH, 2.5) as figure:
        for axes, depth in zip(figure.subplots(1, len(pre), sharey=True, squeeze=False)[0], pre, strict=True):
            layers = range(1, depth + 1)
            axes.plot(layers, post[depth], "s-", color=ORANGE, markersize=3, linewidth=1, label="post")
            axes.plot(layers, pre[depth], "o-", color=BLUE, markersize=3, linewidth=1, label="pre")
            axes.set(
                title=f"$L = {depth}$",
                xticks=[1, depth // 2, depth],
                **scale,
            )
            name_axis(axes, "x", "$\\ell$", "layer")
        axes.legend(frameon=False)
        return Picture(figure)
