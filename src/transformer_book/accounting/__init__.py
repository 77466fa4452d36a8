"""What a Transformer costs: parameters and multiply-adds, by formula and counted on the real modules."""

from transformer_book.accounting.gradients import gradient_norms
from transformer_book.accounting.memory import peak_memory
from transformer_book.accounting.multiply_adds import MultiplyAdds, count_multiply_adds, multiply_adds
from transformer_book.accounting.parameters import count_parameters, counted_parameter_table, parameter_table
from transformer_book.accounting.polynomials import Polynomial, fit_polynomial
from transformer_book.accounting.published import PUBLISHED, PublishedCount

__all__ = [
    "PUBLISHED",
    "MultiplyAdds",
    "Polynomial",
    "PublishedCount",
    "count_multiply_adds",
    "count_parameters",
    "counted_parameter_table",
    "fit_polynomial",
    "gradient_norms",
    "multiply_adds",
    "parameter_table",
    "peak_memory",
]
