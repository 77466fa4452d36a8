"""The experiments of sections 4 to 10, a file each: settings, data, model, training and measure.

`python -m book_tools.record NAME` runs one and writes down what came out; `transformer_book.recorded` reads
it.
"""
