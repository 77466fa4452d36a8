"""Markdown cut into pieces: what is a printed number and what is structure."""

import pytest

from book_tools.audit.prose import Lines, bare_numbers, pieces


def bare(markdown):
    return [n for piece in pieces(markdown) if piece.kind == "text" for n, _, _ in bare_numbers(piece.text)]


@pytest.mark.parametrize(
    "markdown",
    [
        "(sec-2)=",
        "% comment 3",
        "<!-- 4 -->",
        "见 {eq}`eq-2` 与 {ref}`sec-3`",
        "[下载](files/12.zip)",
        "<https://example.org/5>",
        "[^6]",
        "```{figure} fig7.png\n:name: fig-7\n:width: 70%\n```",
        "1. 一\n2. 二\n   1. 甲\n3. 三",
        '<div style="width: 40px">字</div>',
        "GPT-2 与 UTF-8",
        "&#8212;",
    ],
)
def test_structure_is_no_number(markdown):
    assert bare(markdown) == []


@pytest.mark.parametrize(
    ("markdown", "number"),
    [
        ("共 12 层", "12"),
        ("| 层 | 7,087,872 |", "7,087,872"),
        ("## 第 3 节", "3"),
        ("{ref}`第 4 节 <sec-4>`", "4"),
        ("[第 5 节](#sec-5)", "5"),
        ("```{note} 标题 6\n内容\n```", "6"),
        ("```{figure} fig.png\n:name: f\n\n图注 7\n```", "7"),
        (":::{admonition} 题\n正文 8\n:::", "8"),
        ("约 1.5 亿", "1.5 亿"),
        ("增长四倍", "四倍"),
        ("占三分之二", "三分之二"),
        ("N²", "²"),
    ],
)
def test_every_number_that_readers_see_is_found(markdown, number):
    assert bare(markdown) == [number]


def test_alt_texts_are_pieces():
    found = [
        piece.text
        for piece in pieces('![图中 2 行](a.png) <img alt="3 列" src="b.png">')
        if piece.kind == "alt"
    ]
    assert found == ["图中 2 行", "3 列"]


def test_alt_option_of_a_figure_is_a_piece():
    found = [piece for piece in pieces("```{figure} a.png\n:alt: 图中 2 行\n```") if piece.kind == "alt"]
    assert [piece.text.strip() for piece in found] == ["图中 2 行"]


def test_display_inline_and_directive_mathematics():
    kinds = [piece.kind for piece in pieces("$a$\n\n$$\nb\n$$ (eq-b)\n\n```{math}\n:label: eq-c\nc\n```")]
    assert kinds == ["math", "display", "display"]


def test_misnumbered_list_is_a_piece_with_the_right_number():
    assert [(p.text, p.key) for p in pieces("1. 一\n3. 二") if p.kind == "list"] == [("3", "2")]


def test_lines_count_from_one():
    lines = Lines("a\nbb\nc")
    assert [lines.at(position) for position in (0, 1, 2, 5)] == [1, 1, 2, 3]
