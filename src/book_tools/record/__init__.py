"""Long runs under names: `python -m book_tools.record NAME` trains or measures, and writes what came out.

Each run is seeded and uses one thread of the CPU. It writes book/data/results/NAME.json and, if it trains a
model, book/data/checkpoints/NAME.safetensors (float16). What it reports is measured on the stored weights.
"""
