"""Numbers in words: one module a language, each with `read(text)` and `write(number)`."""
