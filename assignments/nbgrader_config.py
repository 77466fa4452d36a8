"""nbgrader's settings: Chinese stubs, the same as `python -m book_grading release` writes."""

from book_grading.chinese import CODE_STUB, TEXT_STUB

c = get_config()  # noqa: F821 (nbgrader gives it)
c.CourseDirectory.course_id = "transformer"
c.ClearSolutions.code_stub = {"python": CODE_STUB}
c.ClearSolutions.text_stub = TEXT_STUB
# Marks are given by the sources' own tests; a slow machine may train the project set's model for a while.
c.ExecutePreprocessor.timeout = 300
