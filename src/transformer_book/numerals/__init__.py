"""Numbers in words: one module per language, each with `read`, `write`, `bounds` and `find`."""
