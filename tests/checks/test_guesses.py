"""What a guess asks for has one answer, which the cells below it print."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book_tools.audit.guesses import check_guesses, guesses
from book_tools.audit.page import audit_notebook
from book_tools.audit.printed import Values

NUMBER = '**先猜一猜**：几？<data class="guess" value="{a}"></data>'
CHOICE = """**先猜一猜**：变吗？

* <data class="option" value="{a} < 3">变小</data>
* <data class="option" value="{a} > 3">变大</data>"""


def notebook(text, printed="a = 5\n", earlier=""):
    def cell(source, output):
        return new_code_cell(source, outputs=[new_output("stream", name="stdout", text=output)])

    caption = new_markdown_cell("**图**　看颜色。")
    cells = [cell("show('b', 7)", earlier or "b = 7\n"), new_markdown_cell(text), cell("pass", ""), caption]
    return new_notebook(cells=[*cells, cell("show('a', 5)", printed), new_markdown_cell("答案。")])


def faults(text, *given):
    return [finding.expected for finding in check_guesses(notebook(text, *given), "99_page.ipynb")]


@pytest.mark.parametrize(("text", "answers"), [(NUMBER, [5.0]), (CHOICE, [[False, True]])])
def test_a_number_and_a_choice_have_their_answer(text, answers):
    page = notebook(text)
    assert not faults(text)
    assert [guess.answer(Values(page)) for guess in guesses(page)] == answers


def test_two_guesses_of_one_cell_keep_their_own_marks():
    page = notebook(f"{NUMBER}\n\n{CHOICE}")
    assert [[mark.kind for mark in guess.marks] for guess in guesses(page)] == [["guess"], ["option"] * 2]
    assert not faults(f"{NUMBER}\n\n{CHOICE}")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("**先猜一猜**：会怎样？", "must ask for one number or one choice of several; got neither"),
        (NUMBER + NUMBER.removeprefix("**先猜一猜**"), "must ask for one number or one choice"),
        (CHOICE[: CHOICE.rindex("*")], "must ask for one number or one choice"),
        (CHOICE.replace("> 3", "> 9"), "exactly one option must be true; got 0 of 2"),
        (CHOICE.replace("< 3", "< 9"), "exactly one option must be true; got 2 of 2"),
        (NUMBER.replace("{a}", "{c}"), "no code cell of this page prints a value 'c'"),
        (NUMBER.replace("{a}", "5"), "must name a printed value"),
        (NUMBER.replace("{a}", "{a} > 3"), "must be one number; got True"),
        (NUMBER.replace("{a}", "{b}"), "the cells right below must print one of b"),
        (CHOICE.replace("变大", "变成 4 倍"), "the number 4 must stand in its condition"),
        (CHOICE.replace("变大", "变成六倍"), "the number 6 must stand in its condition"),
        (CHOICE.replace("变大", "只剩一半"), "the number 0.5 must stand in its condition"),
        ('多少？<data class="guess" value="{a}"></data>', "stands behind no **先猜一猜**"),
    ],
)
def test_a_guess_without_one_answer_is_named(text, fault):
    found = faults(text)
    assert len(found) == 1, found
    assert fault in found[0]


@pytest.mark.parametrize(
    "option",
    [
        "变成 3 倍以上",
        "变成 5 倍",
        "变成三倍以上",
        "多出一个",
        "超过 $x_7$",
        "GPT-2 的",
        '<data value="b">7</data> 步',
    ],
)
def test_a_number_of_an_option_stands_in_its_condition(option):
    assert not faults(CHOICE.replace("变大", option))


def test_a_guess_before_a_vector_is_no_number():
    assert faults(NUMBER, "a = (1, 2)\n") == ["{a} must be one number; got [1. 2.]"]


def test_guesses_are_part_of_the_audit():
    page = notebook("**先猜一猜**：会怎样？")
    expected = {finding.expected for finding in audit_notebook(page, "99_page.ipynb", {})}
    assert any("must ask for one number" in text for text in expected)
