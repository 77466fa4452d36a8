"""Markdown cut into pieces: what is a printed number and what is structure."""

import pytest

from book_tools.audit.prose import Lines, bare_numbers, pieces


def bare(markdown):
    return [n for piece in pieces(markdown) if piece.kind == "text" for n, _, _ in bare_numbers(piece.text)]


def found(markdown, kind):
    return [(piece.text, piece.key) for piece in pieces(markdown) if piece.kind == kind]


@pytest.mark.parametrize(
    "markdown",
    [
        "<!-- 4 -->",
        "见 [第 3 节](03_matrix_form.ipynb)",
        "[下载](files/12.zip)",
        "<https://example.org/5>",
        "见 https://example.org/6。",
        "1. 一\n2. 二\n   1. 甲\n3. 三",
        "> 1. 一\n> 2. 二",
        '<div style="width: 40px">字</div>',
        "GPT-2 与 UTF-8",
        "&#8212;",
        "# 3. 矩阵形式",
        '<a id="ex-12-4"></a>\n\n### 练习 12.4 ★★ 旋转',
        "**图 12.1**　看这里。",
        "<details>\n<summary>练习 12.4 的解答</summary>\n\n不变。\n\n</details>",
    ],
)
def test_structure_is_not_a_bare_number(markdown):
    assert bare(markdown) == []


@pytest.mark.parametrize(
    ("markdown", "number"),
    [
        ("共 12 层", "12"),
        ("| 层 | 数 |\n|---|---|\n| 一层 | 7,087,872 |", "7,087,872"),
        ("## 第 3 节", "3"),
        ("[见 5 页](https://example.org/)", "5"),
        ("> **标题 6**\n>\n> 内容", "6"),
        ("**图**　图注 7", "7"),
        ("> **题**\n>\n> * 正文 8", "8"),
        ("<details>\n<summary>提示 9</summary>\n</details>", "9"),
        ("约 1.5 亿", "1.5 亿"),
        ("增长四倍", "四倍"),
        ("占三分之二", "三分之二"),
        ("N²", "²"),
        ("见图 12.1", "12.1"),
        (r"\*共 11 层\*", "11"),
    ],
)
def test_every_number_that_readers_see_is_found(markdown, number):
    assert bare(markdown) == [number]


@pytest.mark.parametrize(
    ("markdown", "number"),
    [
        ("# 3. 矩阵形式", ("3", "section")),
        ("$$\na\n\\tag{12.1}\n$$", ("12.1", "eq")),
        ('<a id="fig-12-1"></a>**图 12.1**　看这里。', ("12.1", "fig")),
        ("**表 12.1**　看这里。", ("12.1", "tab")),
        ("### 练习 12.4 ★★ 旋转", ("12.4", "ex")),
        ("<details>\n<summary>练习 12.4 的解答</summary>\n\n不变。\n\n</details>", ("12.4", "answer")),
    ],
)
def test_every_typed_number_is_found_where_it_stands(markdown, number):
    assert found(markdown, "numbered") == [number]
    (piece,) = (piece for piece in pieces(markdown) if piece.kind == "numbered")
    assert markdown[piece.start :].startswith(number[0]), "a mutant would change another place"


def test_links_within_the_book_keep_their_text_and_address():
    markdown = "式 [(12.1)](02_self_attention.ipynb#eq-12-1) 与 [[2]](references.md#vaswani2017)，[别处](https://a.org)"
    assert found(markdown, "reference") == [
        ("(12.1)", "02_self_attention.ipynb#eq-12-1"),
        ("[2]", "references.md#vaswani2017"),
    ]


def test_a_bound_value_is_its_source_whatever_it_holds():
    markdown = '<data value="f"><!-- -->$3D^2$</data>，<data value="t">`E7`、`8C`</data>'
    assert found(markdown, "data") == [("$3D^2$", "f"), ("`E7`、`8C`", "t")]
    assert [piece.kind for piece in pieces(markdown)] == ["data", "text", "data"]


@pytest.mark.parametrize(
    "markdown",
    ["见 {eq}`eq-2`", "(sec-2)=\n# 标题", ":::{admonition} 题\n正文\n:::", "```{figure} fig7.png\n```"],
)
def test_markup_of_sphinx_is_foreign(markdown):
    assert found(markdown, "foreign"), "the audit would let it pass"


def test_code_is_not_foreign():
    assert found("`f(x)` 与集合 {`a`}，`{eq}`", "foreign") == []


def test_alt_texts_are_pieces():
    assert found('![图中 2 行](a.png) <img alt="3 列" src="b.png">', "alt") == [
        ("图中 2 行", ""),
        ("3 列", ""),
    ]


def test_display_and_inline_mathematics():
    assert [piece.kind for piece in pieces("$a$\n\n$$\nb\n$$\n\n* $$c$$")] == ["math", "display", "display"]


@pytest.mark.parametrize(
    "markdown", ["> 引 $a$\n> 和\n> $b$", "* 一\n  `c\n  d` 二 7", "| $x$ | `y` |\n|---|---|\n| 5 | $6$ |"]
)
def test_pieces_stand_where_they_say(markdown):
    for piece in pieces(markdown):
        assert markdown[piece.start :].startswith(piece.text), piece


def test_misnumbered_list_is_a_piece_with_the_right_number():
    assert found("1. 一\n3. 二", "list") == [("3", "2")]
    assert found("2. 一", "list") == [("2", "1")]


def test_lines_count_from_one():
    lines = Lines("a\nbb\nc")
    assert [lines.at(position) for position in (0, 1, 2, 5)] == [1, 1, 2, 3]
