"""What `show` printed reads as tables and poems on the site, and the text itself is there."""

import contextlib
import io

import numpy as np
import pytest
from bs4 import BeautifulSoup

from book_tools.site.pages import Page
from book_tools.site.printed_tables import Grid, arrange, read, set_tables
from transformer_book.printing import show

POEM = "一夜江南暮，湘水未相逢。若君相见日，还向故乡人。"


def printed(*values):
    """What `show` prints of these values."""
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        for value in values:
            show(*value)
    return stream.getvalue()


def shown(text):
    """The page's part for an output."""
    output = f"<div class='cell_output'><div class='output stream'><pre>{text}</pre></div></div>"
    soup = BeautifulSoup(f"<article>{output}</article>", "html.parser")
    set_tables(Page("page", soup, None))
    return soup.select_one(".cell_output")


def rows(table):
    return [[entry.get_text() for entry in row.find_all(["th", "td"])] for row in table.select("tr")]


def test_a_value_stands_beside_its_key_and_the_printed_text_below():
    text = printed(("params.total", 124_439_808), ("a_1", [0.09, 0.245, 0.665], 3), ("same", True))
    output = shown(text)
    assert rows(output.table) == [
        ["params.total", "124,439,808"],
        ["a_1", "(0.090, 0.245, 0.665)"],
        ["same", "True"],
    ]
    assert output.select_one("details.raw pre").get_text() == text
    assert output.details.get("open") is None


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([("x", 4.38, 2), ("x.error", 0.47, 2)], "4.38 ± 0.47"),
        ([("x", 96.1, 1, "%"), ("x.se", 1.0, 1, "%")], "96.1 ± 1.0 %"),
    ],
)
def test_an_error_stands_beside_what_it_belongs_to(values, text):
    assert [(value.key, value.text) for value in read(printed(*values))] == [("x", text)]


@pytest.mark.parametrize("values", [[("x", 1), ("y.error", 2)], [("x", [1, 2]), ("x.error", [0, 1])]])
def test_an_error_of_something_else_and_errors_of_a_vector_keep_their_rows(values):
    assert len(read(printed(*values))) == 2


def test_a_matrix_has_its_rows_beside_its_key():
    (table,) = shown(printed(("S", np.array([[1, 0], [2, 40], [3, 2]])))).select("table.matrix")
    assert rows(table) == [["S", "1", "0"], ["2", "40"], ["3", "2"]]
    assert table.th["rowspan"] == "3"


def test_tokens_stand_in_boxes_with_their_spaces():
    output = shown(printed(("tokens", ["The", " cat", 'a "b", c'])))
    assert [token.get_text() for token in output.select("td code")] == ["The", " cat", 'a "b", c']


def test_a_poem_has_its_lines_and_one_word_is_none():
    output = shown(printed(("poem.first", [POEM]), ("word", ["春风"])))
    (poem,) = output.select(".poem")
    key, lines = poem.select("p")
    assert key.get_text() == "poem.first"
    assert list(lines.stripped_strings) == ["一夜江南暮，", "湘水未相逢。", "若君相见日，", "还向故乡人。"]
    assert rows(output.table) == [["word", "春风"]]


@pytest.mark.parametrize("keys", [["a.x", "a.y", "b.x", "b.y"], ["r.a.x", "r.a.y", "r.b.x", "r.b.y"]])
def test_values_under_the_same_names_are_rows_and_columns(keys):
    first, *rest = arrange(read(printed(*((key, number) for number, key in enumerate(keys)))))
    names = ["a", "b"] if keys[0] == "a.x" else ["r.a", "r.b"]
    assert (first, rest) == (Grid(names, ["x", "y"], [["0", "1"], ["2", "3"]]), [])


def test_names_at_the_end_count_too_and_the_longer_side_stands_upright():
    keys = [f"{measure}.{kind}" for kind in ("one", "two") for measure in ("p", "q", "r")]
    (grid,) = arrange(read(printed(*((key, number) for number, key in enumerate(keys)))))
    assert grid == Grid(["p", "q", "r"], ["one", "two"], [["0", "3"], ["1", "4"], ["2", "5"]])


@pytest.mark.parametrize("keys", [["a.x", "a.y", "b.x", "b.z"], ["a.x", "b.x"], ["a.x", "a.y"], ["x", "y"]])
def test_other_values_stay_a_list(keys):
    assert [value.key for value in arrange(read(printed(*((key, 1) for key in keys))))] == keys


def test_a_long_list_stands_in_tables_of_one_length():
    output = shown(printed(*((f"x_{number}", number) for number in range(21))))
    assert [len(table.select("tr")) for table in output.select("table")] == [7, 7, 7]


@pytest.mark.parametrize("text", ["0.532\n", "x = 1\nand more\n", "x = 1\n  2\n"])
def test_other_output_stays_as_it_was_printed(text):
    assert shown(text).select_one(".stream > pre").get_text() == text
    assert not shown(text).select(".values")
