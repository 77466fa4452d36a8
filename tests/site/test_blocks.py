"""Blocks that the pages mark in plain text, as the site sets them."""

import pytest
from bs4 import BeautifulSoup

from book_tools.site.blocks import code_of_answers
from book_tools.site.pages import Page


@pytest.fixture(scope="module")
def article(small_site):
    def read(name):
        return BeautifulSoup((small_site / f"{name}.html").read_text(encoding="utf-8"), "html.parser").article

    return read


def test_what_is_proved_has_a_title_and_the_proof_its_word(article):
    statement, proof = article("02_second").select("div.proof")
    assert statement.select_one(".admonition-title").text == "定义（置换等变）"
    assert proof.select_one("p > strong:first-child").text == "证明"


def test_a_quote_with_a_title_is_a_note_and_another_stays_a_quote(article):
    page = article("02_second")
    (note,) = page.select("div.admonition.tip")
    assert [part.text for part in note.find_all("p")] == ["动手改一改", "换一个数。"]
    assert [quote.text.strip() for quote in page.select("blockquote")] == ["引文只是引文。"]


def test_an_answer_is_folded_and_looks_like_one(article):
    (answer,) = article("02_second").select("details.dropdown")
    assert answer["class"] == ["admonition", "dropdown"]
    assert answer.get("open") is None
    assert answer.summary["class"] == ["admonition-title"]


def test_the_code_of_an_answer_is_folded_with_it(article):
    first, second = article("13_exercises").select("section.exercise")
    assert first.details.select_one(".cell_output").text.strip() == "0.532"
    assert not second.select(".cell, details")


def test_code_at_a_section_s_end_is_folded_with_the_last_answer_that_shows_its_values():
    cell = '<div class="cell"><div class="stream"><pre>twice = 4\n</pre></div></div>'
    answers = ["<data value='twice'>4</data>", "<data value='twice[1]'>4</data>", "没有数"]
    folds = "".join(f"<details>{answer}</details>" for answer in answers)
    page = f"<article><section>{folds}{cell}</section><section>{folds}{cell}<p>后文</p></section></article>"
    soup = BeautifulSoup(page, "html.parser")
    code_of_answers(Page("page", soup, None))
    first, second = soup.select("section")
    assert [len(fold.select(".cell")) for fold in first.select("details")] == [0, 1, 0]
    assert not first.find_all("div", class_="cell", recursive=False)
    assert not second.select("details .cell"), "text follows: the code is no part of an answer"


def test_each_picture_and_table_has_one_caption(article):
    for name, captions in {
        "01_first": ["图 12.1 三个词元的自注意力。#", "表 12.1 GPT-2 的四个模型#", "没有编号的图。"],
        "02_second": ["图 12.2 缩放。#"],
    }.items():
        page = article(name)
        assert [caption.text for caption in page.select("figcaption, caption")] == captions
        assert all(len(figure.select("img, figcaption")) == 2 for figure in page.select("figure"))
        assert not page.find_all("strong", string=lambda text: text and text.startswith(("图", "表")))


def test_a_citation_shows_the_work_it_cites(article):
    (link,) = article("index").select("a[href='references.html#vaswani2017']")
    assert link["title"].startswith("Ashish Vaswani"), link["title"]
    assert "Attention is all you need." in link["title"]
