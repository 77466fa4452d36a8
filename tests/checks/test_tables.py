"""An author's tables, as spreadsheets write them."""

import pytest

from book_tools.audit.facts import COLUMNS, check_facts, load_facts
from book_tools.audit.tables import read_table
from book_tools.notebooks.files import NotebookError

TABLE = "key,value,unit,reference,where\r\nyear,2023,年,course,题名页\r\n"


def write(folder, content):
    (folder / "data").mkdir()
    (folder / "data" / "facts.csv").write_bytes(content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path, encoding):
    write(tmp_path, TABLE.encode(encoding))
    assert load_facts(tmp_path)["year"]["where"] == "题名页"
    assert list(check_facts(tmp_path)) == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (TABLE.encode("gbk"), r"facts\.csv: cannot be read \(not UTF-8 text\)"),
        (TABLE.replace(",", ";").encode(), r"facts\.csv: the first line must be key,value,.*; got key;value"),
        (b"", r"facts\.csv: the first line must be key,value"),
    ],
)
def test_another_table_is_refused_in_one_sentence(tmp_path, content, sentence):
    write(tmp_path, content)
    for read in (load_facts, lambda book: list(check_facts(book))):
        with pytest.raises(NotebookError, match=sentence):
            read(tmp_path)


def test_lines_are_counted_as_an_editor_counts_them(tmp_path):
    path = tmp_path / "facts.csv"
    path.write_text(TABLE + '"a\nb",1,,course,x\n', encoding="utf-8", newline="")
    assert [line for line, _ in read_table(path, COLUMNS)] == [2, 4]
