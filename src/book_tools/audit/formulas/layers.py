"""Formulas of section 7: powers of the width."""

from book_tools.audit.formulas import formula


@formula(r"D^2")
def parameters_of_one_map(exponent):
    """A map from D to D features holds D² weights."""
    from torch import nn

    return nn.Linear(7, 7, bias=False).weight.numel() == 7**exponent
