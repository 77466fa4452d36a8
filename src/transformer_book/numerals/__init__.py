"""Numbers in words: one module per language, each with `read(text)` and `write(number)`."""
