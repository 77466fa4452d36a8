"""Full-text search that finds Chinese: any single character and any two adjacent ones.

Sphinx's own Chinese search cuts the text into words at build time and leaves the reader's query whole, so
most queries find nothing. Here both sides are cut the same way: each Chinese character and each pair of
neighbours is a term; a run of Latin letters or digits is one word, in lower case.
"""

import json
import re
from itertools import pairwise
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.search import SearchLanguage

RUNS = re.compile(r"([\u3400-\u4dbf\u4e00-\u9fff]+)|([^\W\u3400-\u4dbf\u4e00-\u9fff]+)")

# The same rule for the query, in the browser. A longer run becomes its pairs: a page has to hold all of them.
# Sphinx throws away a query of digits; full-width ones pass, and the stemmer makes them plain again.
SPLITTER = r"""
function splitQuery(query) {
  const chineseOrWord = /[\u3400-\u4dbf\u4e00-\u9fff]+|(?:(?![\u3400-\u4dbf\u4e00-\u9fff])[\p{L}\p{N}_])+/gu;
  return (query.match(chineseOrWord) || []).flatMap((run) => {
    if (/^[\u3400-\u4dbf\u4e00-\u9fff]{2,}$/.test(run))
      return Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2));
    if (/^\d+$/.test(run)) return [run.replace(/\d/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0))];
    return [run];
  });
}
"""

STEMMER = """
var Stemmer = function () {
  this.stemWord = (word) => word.normalize("NFKC").toLowerCase();
};
"""


def terms(text: str) -> list[str]:
    """Return the terms of a text: words in lower case, single Chinese characters and pairs of neighbours."""
    found = []
    for match in RUNS.finditer(text):
        chinese, word = match.groups()
        if word:
            found.append(word.lower())
        else:
            found.extend(chinese)
            found.extend(a + b for a, b in pairwise(chinese))
    return found


class ChineseSearch(SearchLanguage):
    """The index of a Chinese book, see :func:`terms`."""

    lang = "zh"
    language_name = "Chinese"
    stopwords = frozenset()
    js_stemmer_code = STEMMER
    js_splitter_code = SPLITTER
    before = ""  # the last character of the text node before

    def split(self, text: str) -> list[str]:
        """Cut a text node. A pair may begin in plain text and end in a link or in italics."""
        joined = self.before + text
        if text:
            self.before = text[-1] if RUNS.fullmatch(text[-1]) and not text[-1].isascii() else ""
        return terms(joined)

    def word_filter(self, word: str) -> bool:
        return bool(word)


def text_of(page: Path) -> str:
    """Return what a reader reads in a finished page, in one line."""
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find("article")
    for link in article.select(".headerlink, noscript, guess-form :is(legend, button, .guess-label)"):
        link.decompose()
    return " ".join(article.get_text().split())


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the text of every page as a script for the search page: from a file it may not fetch."""
    if error or app.builder.format != "html":
        return
    texts = {page: text_of(Path(app.builder.get_outfilename(page))) for page in sorted(app.env.found_docs)}
    script = f"const bookTexts = {json.dumps(texts, ensure_ascii=False)};\n"
    (Path(app.outdir) / "_static" / "search-text.js").write_text(script, encoding="utf-8")


def load_texts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load the texts, and the script that shows hits in them, on the search page alone."""
    if page == "search":
        app.add_js_file("search-text.js", priority=800)
        app.add_js_file("search-context.js", priority=801)


def setup(app: Sphinx) -> dict[str, object]:
    """Take the place of Sphinx's Chinese search, and of its summaries, which it fetches page by page."""
    app.add_search_language(ChineseSearch)
    app.connect("config-inited", lambda app, config: setattr(config, "html_show_search_summary", False))
    app.connect("html-page-context", load_texts)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
