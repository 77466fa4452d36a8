"""The whole book as one PDF and one EPUB, made from the pages of the built site.

`chapters` reads the pages in the order of the table of contents, `plain` makes text of what only a screen can
do, `answers` moves what is folded to the end, `pdf` and `epub` write the files.
"""
