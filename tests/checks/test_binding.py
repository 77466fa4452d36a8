"""Prose against printed values: each kind of number, right and with a digit changed."""

import pytest

PRINTED = (
    "a_1 = (0.090, 0.245, 0.665)\nS =\n  1  0  1\n  2  2  4\n  3  2  5\nparams.total = 124,439,808\n"
    "params.formula = 3D² + 3D\nwide.formula = 1,536N + 3\n"
    'size = 12.5 MB\ntokens = ("E7", "8C")\nwords = ("The", " cat")\n'
    "uniform = 1/16\nhead = L0H2\n"
)


@pytest.mark.parametrize(
    "markdown",
    [
        '<data value="a_1">(0.090, 0.245, 0.665)</data>',
        '<data value="a_1">(0.09, 0.24, 0.66)</data>',
        '<data value="a_1[3]">0.665</data>',
        '<data value="a_1[3]">66.5%</data>',
        '<data value="S[2,3]">4</data>',
        '<data value="S[:,1]">(1, 2, 3)</data>',
        '**<data value="params.total">1.24 亿</data>**',
        '<data value="params.formula">3D² + 3D</data>',
        '<data value="params.formula">3D(D + 1)</data>',
        '<data value="wide.formula">3(512N + 1)</data>',
        '<data value="params.formula"><!-- -->$3D^2 + 3D$</data>',
        '<data value="size">12.5 MB</data>',
        '<data value="tokens">`E7`、`8C`</data>',
        '<data value="words">`The`、` cat`</data>',
        '<data value="uniform">1/16</data>',
        '<data value="head">L0H2</data>',
        '<data value="fact:gpt2.year">2019</data>',
        '| 行 |\n|---|\n| <data value="a_1[1]">0.090</data> |',
        '$s_{23}$ 是 <data value="S[2,3]">4</data>',
        '<data value="S[2,3]"><!-- -->$s_{23}$</data>',
        '<data value="a_1[3]"><!-- -->$a_{31}$</data>',
        r'<data value="S[:,2]"><!-- -->$\mathbf{s}_2$</data>',
    ],
)
def test_bound(says, markdown):
    assert says(markdown, PRINTED) == []


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("共 12 层", "is not bound"),
        ('<data value="a_1">(0.090, 0.245, 0.666)</data>', "0.665"),
        ('<data value="a_1">(0.090, 0.245)</data>', "shows 2 numbers"),
        ('<data value="a_1[4]">0.665</data>', "has no element 4"),
        ('<data value="S[3,2]">5</data>', "expected 2"),
        ('<data value="S[:,4]">(1, 2, 3)</data>', "has no column 4"),
        ('<data value="params.total">1.25 亿</data>', "expected 124,000,000"),
        ('<data value="params.formula">4D² + 3D</data>', "prints 3D² + 3D"),
        ('<data value="params.formula">3D³ + 3D</data>', "prints 3D² + 3D"),
        ('<data value="wide.formula">3(511N + 1)</data>', "prints 1,536N + 3"),
        ('<data value="params.formula">3D² + 3N</data>', "prints 3D² + 3D"),
        ('<data value="size">12.5 GB</data>', "expected the unit MB"),
        ('<data value="tokens">`E8`、`8C`</data>', "prints"),
        ('<data value="words">`The`、` dog`</data>', "prints"),
        ('<data value="uniform">1/15</data>', "prints 1/16"),
        ('<data value="head">L0H4</data>', "prints L0H2"),
        ('<data value="S[3,1]"><!-- -->$s_{01}$</data>', "the name of S[3,1] must stand here; got s_01"),
        ('<data value="missing">3</data>', "no code cell of this page prints"),
        ('<data value="fact:gpt2.year">2018</data>', "2,019"),
        ('<data value="fact:nothing">1</data>', "no fact"),
        ('$s_{22}$ 是 <data value="S[2,3]">4</data>', "bind the name"),
        ('<data value="S[2,3]"><!-- -->$s_{22}$</data>', "S[2,3]"),
        ("在 $s_{23}$ 处", '<data value="S[2,3]"><!-- -->$s_{23}$</data>'),
        ("![三行 3 列](a.png)", "alt text"),
        ("1. 一\n3. 二", "the number of this list item is 2"),
        ("`x[7]`", "quoted code"),
        ("```\nx = 7\n```", "numbers in a block of code must come from a code cell"),
        ("BERT7 模型", "names.csv"),
    ],
)
def test_not_bound(says, markdown, told):
    found = says(markdown, PRINTED)
    assert len(found) == 1
    assert told in found[0]
    assert found[0].startswith("page.ipynb: cell 2, line ")


def test_a_finding_names_its_line(says):
    assert "cell 2, line 3:" in says("一\n\n共 12 层")[0]


def test_a_finding_suggests_the_key(says):
    assert "perhaps S[1,1]" not in says("共 124,439,808 个", PRINTED)[0]
    assert "perhaps params.total" in says("共 124,439,808 个", PRINTED)[0]


def test_quoted_code_stands_in_a_code_cell(says):
    assert says("`x[7]`", source="print(x[7])", printed="x = 1\n") == []


def test_a_key_printed_twice_with_two_values_is_refused(says):
    assert "prints another value" in says("", "x = 1\nx = 2\n")[0]


def test_an_alt_text_is_checked(page, findings):
    page.cells[5].metadata["mystnb"]["image"]["alt"] = "共 9 格"
    (found,) = findings(page)
    assert "cell 6" in found


def test_numbers_of_an_alt_text_are_bound_in_order(page, findings):
    page.cells[5].metadata["mystnb"]["image"]["alt"] = "左上 1，右下 5"
    page.cells[5].metadata["bind"] = {"alt": ["S[1,1]", "S[3,3]"]}
    assert findings(page) == []
    page.cells[5].metadata["mystnb"]["image"]["alt"] = "左上 1，右下 6"
    assert "expected 5" in findings(page)[0]
    page.cells[5].metadata["mystnb"]["image"]["alt"] = "左上 1"
    assert "holds 1 numbers, but 2 keys are listed" in findings(page)[0]
