"""Measures of the built site: what a page loads, how fast it stands, whether it moves, what axe finds.

`results.csv` holds the last table: `python -m benchmarks.site --csv benchmarks/site/results.csv`. Bytes are
those of a first visit without an explorer's data. On a quiet machine add `--lighthouse 5`.
"""
