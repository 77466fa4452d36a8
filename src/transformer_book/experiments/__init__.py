"""The experiments of sections 5 to 10: data, model and measure of each, for cells and recorded runs.

The runs themselves, with seeds and steps, are `python -m book_tools.record NAME`; `transformer_book.recorded`
reads what they wrote.
"""
