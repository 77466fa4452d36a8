"""Read an author's table, a CSV file that a spreadsheet may have written."""

import csv
import io

from book_tools.notebooks.files import NotebookError, read_text


def read_table(path, columns):
    """Return the rows of a CSV file in UTF-8, with or without a byte order mark, as (line, row).

    Raises NotebookError, in one sentence, for another encoding such as GBK and for other columns.
    """
    reader = csv.DictReader(io.StringIO(read_text(path).removeprefix("\ufeff"), newline=""))
    if reader.fieldnames != columns:
        found = ",".join(reader.fieldnames or [])
        raise NotebookError(f"{path}: the first line must be {','.join(columns)}; got {found}.")
    return [(reader.line_num, row) for row in reader]
