"""nbgrader's settings in this folder: English stubs, all else as for the Chinese sets."""

from book_grading.english import CODE_STUB, TEXT_STUB

c = get_config()  # noqa: F821 (nbgrader gives it)
load_subconfig("../nbgrader_config.py")  # noqa: F821 (nbgrader gives it)
c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.ClearSolutions.text_stub = TEXT_STUB
