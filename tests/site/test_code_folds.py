"""Code is folded behind a line that says what it does; code to be read stays open; long lines go on below."""

import pytest
from bs4 import BeautifulSoup

from book_tools.site.code_folds import FITS, fold_code, wrap_long_lines
from book_tools.site.pages import Page

STREAM = '<div class="output stream"><pre>{}</pre></div>'
PLAIN = '<div class="output text_html">{}</div>'


def cell(code, output="", tags="cell"):
    outputs = f'<div class="cell_output">{output}</div>' if output else ""
    return f'<div class="{tags}"><div class="cell_input"><pre>{code}\n</pre></div>{outputs}</div>'


def article(*parts):
    return BeautifulSoup(f"<article>{''.join(parts)}</article>", "html.parser")


@pytest.mark.parametrize(
    ("code", "output", "line"),
    [
        ("import numpy as np", "", "导入 numpy"),
        ("import a\nfrom b.c import d\nimport e", "", "导入 a 等 3 个模块"),
        ("x = 1\ny, z = 2, 3", "", "计算 x 等 3 个量"),
        ("def f():\n    return 1", "", "定义 f"),
        ('show("a.b", 1)', STREAM.format("a.b = 1\n"), "打印 a.b"),
        ("show_all()", STREAM.format("a = 1\nb =\n  1  2\nc = 3\n"), "打印 a 等 3 个值"),
        ("def f(): ...\nclass G: ...\nf()", STREAM.format("a = 1\nb = 2\n"), "定义 f、G，打印 a、b"),
        ("draw()", '<img src="a.png"/>', "画图"),
        ("Explorer()", PLAIN.format("<x-explorer data-state=''></x-explorer>"), "打开探索器"),
        ("Table()", PLAIN.format("<table></table>"), "列表"),
    ],
)
def test_a_handle_says_what_the_code_does(code, output, line):
    soup = article(cell(code, output))
    fold_code(Page("page", soup, None))
    assert soup.summary.get_text() == f"代码：{line}"
    assert soup.details.get("open") is None
    assert soup.select_one("details pre").get_text() == f"{code}\n"
    assert not soup.select("details .cell_output"), "the output is in sight"


def test_code_to_be_read_stays_open():
    soup = article(cell("x = 1", tags="cell tag_lesson"), cell("y = 2"))
    fold_code(Page("page", soup, None))
    assert [bool(pre.find_parent("details")) for pre in soup.select("pre")] == [False, True]


def test_long_lines_know_their_depth_and_the_code_is_the_same():
    long = "x" * FITS
    code = f"if a:\n    b = '{long}'\n{long}\n{long}y\n'''\n<b>{long}\n{long}</b>'''"
    body = str(article(cell(code.replace("<b>", "<span>").replace("</b>", "</span>"))))
    soup = BeautifulSoup(wrap_long_lines(body), "html.parser")
    assert soup.pre.get_text() == BeautifulSoup(body, "html.parser").pre.get_text()
    wrapped = [(line["class"][0], line.get_text().strip()) for line in soup.select("[class^=in]")]
    assert wrapped == [("in1", f"b = '{long}'"), ("in0", f"{long}y")], "a string of two lines stays whole"


def test_a_fold_opens_from_the_keyboard_and_a_lesson_needs_no_key(small_site, read):
    page = read(width=390).open(f"{small_site.as_uri()}/02_second.html")
    lesson, folded = page.locator("article .cell_input").nth(0), page.locator("article .cell_input").nth(1)
    assert lesson.locator("pre").is_visible()
    assert not folded.locator("pre").is_visible()
    folded.locator("summary").focus()
    page.keyboard.press("Enter")
    folded.locator("pre").wait_for(state="visible")
