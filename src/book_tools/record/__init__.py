"""Long runs under names: `python -m book_tools.record NAME` trains or measures, and writes what came out.

The experiments themselves are `transformer_book.experiments`. Each run is seeded and uses one thread of the
CPU. It writes book/data/results/NAME.json and, if it trains a model, book/data/checkpoints/NAME.safetensors
(float16); a grid of conditions and seeds writes a row as each finishes, and the weights of each condition.
What is reported is measured on the stored weights. A run that was stopped goes on from build/record.
"""
