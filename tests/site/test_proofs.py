"""Propositions and proofs as Chinese books set them."""

from bs4 import BeautifulSoup


def test_propositions_and_proofs_are_set_in_chinese(small_site):
    page = BeautifulSoup((small_site / "02_second.html").read_text(encoding="utf-8"), "html.parser")
    title = page.select_one(".proof.definition > .admonition-title")
    word = page.select_one(".proof:not(.definition) > p > strong:first-child")
    assert title.get_text() == "定义（置换等变）", "the theme's half-width brackets are left"
    assert word is not None, "nothing sets the proof's first word off from its text"
    assert word.get_text() == "证明"
