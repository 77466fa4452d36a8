"""Typed numbers and links: counted anew, and each must say what it leads to."""

import re
import shutil

import pytest

from book_tools import references
from book_tools.audit.labels import Labels, book_labels
from book_tools.audit.page import audit_file
from book_tools.audit.prose import pieces
from book_tools.language import ENGLISH
from book_tools.notebooks.files import BOOK as BOOK_FOLDER
from book_tools.notebooks.files import pages

EQUATION = '先看式子：<a id="eq-12-{n}"></a>\n\n$$\nx\n\\tag{{12.{n}}}\n$$'
EXERCISE = (
    '<a id="ex-12-{n}"></a>\n\n### 练习 12.{n} ★ 题\n\n'
    "<details>\n<summary>练习 12.{n} 的解答</summary>\n\n答。\n\n</details>"
)
BOOK = {
    "01_a.ipynb": ["# 1. 甲", EQUATION.format(n=1), '<a id="fig-12-1"></a>**图 12.1**　看。'],
    "02_b.ipynb": ["# 2. 乙", EQUATION.format(n=2), '<a id="tab-12-1"></a>**表 12.1**　看。'],
    "13_exercises.ipynb": ["# 练习", EXERCISE.format(n=1), EXERCISE.format(n=2)],
    "references.md": ["# 参考文献\n\n见[容器](teachers.md#teachers-box)。"],
    "teachers.md": ['# 教师指南：评分\n\n<a id="teachers-box"></a>\n\n## 容器\n\n文'],
}


@pytest.fixture(scope="module")
def faults():
    labels = Labels(BOOK, sections=["01_a.ipynb", "02_b.ipynb"], works=["first", "second"])

    def list_faults(markdown, page="02_b.ipynb"):
        return [(text, fault) for _, text, fault in labels.faults(pieces(markdown), page)]

    return list_faults


@pytest.mark.parametrize(("page", "text"), [(page, text) for page in BOOK for text in BOOK[page]])
def test_a_sound_text_has_no_fault(faults, page, text):
    assert faults(text, page) == []


def test_each_typed_number_is_checked(faults):
    """Whatever its last digit becomes; the equation here is 12.2, so that 12.1 exists, on another page."""
    for page, texts in BOOK.items():
        for text in texts:
            for piece in (piece for piece in pieces(text) if piece.kind == "numbered"):
                for digit in "013456789":
                    wrong = piece.text[:-1] + digit
                    if wrong != piece.text:
                        changed = text[: piece.start] + wrong + text[piece.start + len(piece.text) :]
                        assert faults(changed, page)[0][0] == wrong, f"{piece} may become {wrong}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("$$\nx\n\\tag{12.2}\n$$", 'put <a id="eq-12-2"></a> before it'),
        ('<a id="fig-12-2"></a>\n\n$$\nx\n\\tag{12.2}\n$$', 'put <a id="eq-12-2"></a> before it'),
        ('<a id="eq-12-1"></a>\n\n$$\nx\n\\tag{12.1}\n$$', "counted through the book, it is None"),
        ('<a id="eq-12-2"></a>没有式子', "nothing with a number follows this anchor"),
        (
            '<a id="eq-12-2"></a><a id="tab-12-1"></a>**表 12.1**　看',
            "nothing with a number follows this anchor",
        ),
        ("见 {eq}`eq-2`", "only Sphinx reads this; write plain Markdown"),
        (
            '<data value="q_1">$q_1$</data>',
            "write <!-- --> before a formula in <data>: VS Code draws it then",
        ),
        ('<a id="two-words"></a>\n\n## 两个词', "no link of the book leads to this anchor"),
    ],
)
def test_what_names_a_thing_needs_its_anchor(faults, text, says):
    assert says in [fault for _, fault in faults(text)]


def test_an_anchor_bears_the_number_below_it():
    text = EQUATION.format(n=1).replace("eq-12-1", "eq-12-7")
    labels = Labels({"01_a.ipynb": [text]}, sections=["01_a.ipynb"])
    found = [(number, fault) for _, number, fault in labels.faults(pieces(text), "01_a.ipynb")]
    assert found == [("12.1", "its anchor is eq-12-1")]


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("[上图](01_a.ipynb#figure-hands)", []),
        ("[下图](01_a.ipynb#figure-hands)", []),
        ("[图](01_a.ipynb#figure-hands)", ["a link there says 上图 or 下图"]),
        (
            "[上图](01_a.ipynb#figure-plain)",
            ["01_a.ipynb has no anchor 'figure-plain' of a thing with a name"],
        ),
    ],
)
def test_a_figure_without_a_number_is_named_by_its_place(link, found):
    text = '<a id="figure-hands"></a>**图**　四根针。\n\n<a id="figure-plain"></a>四根针。'
    labels = Labels({"01_a.ipynb": [text]}, sections=["01_a.ipynb"])
    assert [fault for _, _, fault in labels.faults(pieces(link), "01_a.ipynb")] == found


def test_an_answer_attached_to_another_exercise_is_refused(faults):
    moved = EXERCISE.format(n=1).replace("12.1 的解答", "12.2 的解答")
    assert faults(moved, "13_exercises.ipynb") == [("12.2", "this answer stands with exercise 12.1")]


@pytest.mark.parametrize(
    "link",
    [
        "[第 1 节](01_a.ipynb)",
        "[上一节](01_a.ipynb)",
        "[甲](01_a.ipynb)",
        "[(12.1)](01_a.ipynb#eq-12-1)",
        "[图 12.1](01_a.ipynb#fig-12-1)",
        "[表 12.1](02_b.ipynb#tab-12-1)",
        "[练习 12.2](13_exercises.ipynb#ex-12-2)",
        "[[2]](references.md#second)",
        "[练习](13_exercises.ipynb)",
        "[容器](teachers.md#teachers-box)",
        "[教师指南](teachers.md)",
        "[别处的 7](https://example.org/)",
    ],
)
def test_a_link_that_says_what_it_leads_to_passes(faults, link):
    assert faults(link) == []


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("[第 2 节](01_a.ipynb)", "a link there says 第 1 节 or 甲 or 上一节"),
        ("[下一节](01_a.ipynb)", "a link there says 第 1 节 or 甲 or 上一节"),
        ("[那里](01_a.ipynb)", "a link there says 第 1 节 or 甲 or 上一节"),
        ("[(12.2)](01_a.ipynb#eq-12-1)", "a link there says (12.1)"),
        ("[图 12.1](01_a.ipynb#eq-12-1)", "a link there says (12.1)"),
        ("[这个式子](01_a.ipynb#eq-12-1)", "a link there says (12.1)"),
        ("[图 12.2](01_a.ipynb#fig-12-1)", "a link there says 图 12.1"),
        ("[练习 12.1](13_exercises.ipynb#ex-12-2)", "a link there says 练习 12.2"),
        (
            "[练习 12.3](13_exercises.ipynb#ex-12-3)",
            "13_exercises.ipynb has no anchor 'ex-12-3' of a thing with a name",
        ),
        ("[[1]](references.md#second)", "a link there says [2]"),
        ("[[3]](references.md#third)", "references.md has no anchor 'third' of a thing with a name"),
        ("[第 3 节](03_c.ipynb)", "no page of the book is called 03_c.ipynb"),
        ("[(12.2)](#eq-12-2)", "name the page too: 02_b.ipynb#eq-12-2"),
        ("[练习 3](13_exercises.ipynb)", "a link there says 练习"),
        ("[注释](13_exercises.ipynb)", "a link there says 练习"),
        ("[别处](teachers.md#teachers-box)", "a link there says 容器"),
        ("[评分](teachers.md)", "a link there says 教师指南：评分 or 教师指南"),
        ('<a href="01_a.ipynb">甲</a>', "write a link as [text](address), so that both can be compared"),
        ("[甲][x]\n\n[x]: 01_a.ipynb", "write a link as [text](address), so that both can be compared"),
    ],
)
def test_a_link_that_says_something_else_is_refused(faults, link, says):
    assert [fault for _, fault in faults(link)] == [says]


@pytest.mark.parametrize(("text", "right"), [("guide", True), ("Guide", True), ("GUIDE", False)])
def test_a_title_may_begin_with_a_small_letter_within_a_sentence(text, right):
    labels = Labels({"teachers.md": ["# Guide: marking"]}, language=ENGLISH)
    assert (labels.link_fault(text, "teachers.md", "01_a.ipynb") is None) == right


def test_the_book_numbers_what_the_article_numbers():
    labels = book_labels()
    assert labels.counts == {"eq": 9, "fig": 3, "tab": 1, "ex": 24}
    places = {
        anchor: name
        for name, page in labels.pages.items()
        for anchor, number in page.anchors.items()
        if number
    }
    article = {
        "eq-12-1": "02",
        "eq-12-5": "04",
        "eq-12-7": "05",
        "eq-12-9": "07",
        "fig-12-2": "04",
        "tab-12-1": "07",
    }
    assert {anchor: places[anchor][:2] for anchor in article} == article
    assert [page.section for page in labels.pages.values() if page.section] == list(range(1, 11))


def test_a_page_of_references_that_the_file_does_not_give_is_refused(tmp_path):
    for name in ("references.bib", references.PAGE):
        shutil.copy(BOOK_FOLDER / name, tmp_path)
    page = tmp_path / references.PAGE
    assert audit_file(page, {}) == []
    page.write_text(page.read_text(encoding="utf-8").replace("2017", "2018"), encoding="utf-8")
    (finding,) = audit_file(page, {})
    assert "python -m book_tools.references" in str(finding)


def test_works_stand_in_the_order_in_which_the_book_cites_them():
    texts = (path.read_text(encoding="utf-8") for path in pages())
    cited = [key for text in texts for key in re.findall(r"\(references\.md#(\w+)\)", text)]
    assert list(dict.fromkeys(cited)) == list(references.works())
