"""The book's notebooks: find, read, run, compare and store them (`make refresh`)."""
