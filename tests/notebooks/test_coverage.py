"""Numbers of the built pages, found in the pages' own text: those that no mutant reaches are told."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book_tools.mutation.coverage import REASONS, coverage
from book_tools.mutation.digits import changeable_pages
from book_tools.notebooks.files import to_bytes

MARKDOWN = """共 <data value="x">1,024</data> 层，GPT-2 有<data value="y">十六</data>个头，
大约三十个键，一个也不少。见{ref}`sec`。

| 维数 |
|---|
| $D_q^2 = 64$ |
"""
PAGE = """<article><p>共 <a class="bound-value"><data>1,024</data></a> 层，GPT-2
有<data>十六</data>个头，大约三十个键，一个也不少。见<a href="#sec">第 7 节</a>。</p>
<table><tr><th>维数</th></tr><tr><td>
<math><msubsup><mi>D</mi><mi>q</mi><mn>2</mn></msubsup><mo>=</mo><mn>64</mn></math></td></tr></table>
<div class="cell" id="cell-1"><div class="cell_input"><pre>show("x", 3)</pre></div>
<div class="cell_output"><pre>x = 3 and 5</pre><details class="raw"><pre>x = 3 and 5</pre></details>
<img alt="三行 8 列，十六格"></div></div></article>"""


def test_each_number_of_a_page_is_seen_and_told_by_kind(tmp_path):
    output = new_output("stream", name="stdout", text="x = 3\n")
    code = new_code_cell('show("x", 3)', execution_count=1, outputs=[output])
    code.metadata["mystnb"] = {"image": {"alt": "三行 8 列，格子"}}
    path = tmp_path / "page.ipynb"
    path.write_bytes(to_bytes(new_notebook(cells=[new_markdown_cell(MARKDOWN), code])))
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    seen = {(number.kind, number.text): number.reached for number in coverage(path, tmp_path)}
    assert seen == {
        ("prose", "1"): True,
        ("prose", "024"): True,
        ("name", "2"): True,
        ("number word", "十六"): True,
        ("number word", "三十"): True,
        ("reference", "7"): False,
        ("formula", "2"): True,
        ("formula", "64"): True,
        ("code of a cell", "3"): False,
        ("output", "3"): True,
        ("output", "5"): False,
        ("alt text", "8"): True,
        ("alt text", "十六"): False,
        ("number word below five", "三"): False,
    }


def test_a_mutant_reaches_each_number_of_the_book_but_for_a_stated_reason(site):
    seen = [number for path in changeable_pages() for number in coverage(path, site)]
    missed = [number for number in seen if not number.reached and number.kind not in REASONS]
    assert missed == []
    kinds = {number.kind for number in seen if not number.reached}
    assert set(REASONS) <= kinds, "a reason that nothing needs any more"
