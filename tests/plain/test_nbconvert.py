"""The notebooks as nbconvert draws them, with which GitHub shows notebooks too."""

import re
from urllib.parse import unquote

import pytest
from nbconvert import HTMLExporter

from book_tools.notebooks.files import BOOK, notebooks

# What a reader reads: no code, no output, no formula.
READ = """() => {
  const article = document.body.cloneNode(true);
  for (const node of article.querySelectorAll("pre, code, .jp-OutputArea, .anchor-link, script, style"))
    node.remove();
  return article.textContent.replace(/\\$\\$[^]*?\\$\\$|\\$[^$]*\\$/g, " ");
}"""
SPHINX = re.compile(r"\{[a-z][\w:+-]*\}|^\([\w-]+\)=|:{3}|`{3}|^:[\w-]+:", re.MULTILINE)
TEX = re.compile(r"\\[a-zA-Z]+|\\[(\[]|\$")


@pytest.fixture(scope="module")
def drawn(browser, patience):
    """The bodies of the notebooks' pages in one tab; nothing of them is loaded from elsewhere."""
    page = browser.new_page()
    page.set_default_timeout(patience)
    exporter = HTMLExporter(template_name="lab", embed_images=True)
    exporter.template_file = "base.html.j2"

    def draw(path):
        body, _ = exporter.from_filename(str(path))
        page.set_content(f"<!doctype html><html><body>{body}</body></html>")
        return page

    yield draw
    page.close()


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_plain_notebook_reads_well(drawn, path):
    page = drawn(path)
    text = page.evaluate(READ)
    assert len(text) > 300, "nothing was drawn"
    assert SPHINX.findall(text) == [], "markup that only Sphinx reads"
    assert TEX.findall(text) == [], "TeX outside of formulas"

    links = page.locator(".jp-MarkdownOutput a[href], .jp-RenderedMarkdown a[href]").evaluate_all(
        "links => links.filter(link => !link.matches('.anchor-link')).map(link => link.getAttribute('href'))"
    )
    within = [unquote(link).partition("#")[0] for link in links if not link.startswith("https://")]
    assert within, "no link was drawn"
    assert [link for link in within if not (BOOK / link).is_file()] == [], "links that lead nowhere"

    answers = page.locator("details")
    assert answers.evaluate_all("all => all.filter(one => one.open).length") == 0, "an answer stands open"
    shown = page.locator("details > :not(summary)").evaluate_all(
        "all => all.filter(one => one.checkVisibility()).length"
    )
    assert shown == 0, "an answer is seen before it is opened"
    assert answers.count() >= 3, "answers are not folded"


def test_captions_follow_their_pictures(drawn):
    page = drawn(BOOK / "02_self_attention.ipynb")
    caption = page.locator("p", has_text="图 12.1").filter(has=page.locator("strong")).first
    assert caption.locator("strong").inner_text() == "图 12.1"
    before = caption.evaluate(
        "p => p.closest('.jp-Cell').previousElementSibling.querySelectorAll('img').length"
    )
    assert before == 1, "no picture stands right above its caption"
