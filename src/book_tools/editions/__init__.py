"""The editions of the book: the same pages in other languages, each a folder of real notebooks.

`book/` is the first edition and owns code, outputs and tags; `book/en/` has the same cells by id, with
text, alternative texts and captions of its own. `places` says where an edition lies, `counterparts` gives a
page of another edition the code and outputs of its counterpart, `check` compares the two; `sets` does
both for the assignments.
"""
