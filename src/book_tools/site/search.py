"""Full-text search that finds Chinese: any single character and any two adjacent ones.

Sphinx's own Chinese search cuts the text into words at build time and leaves the reader's query whole, so most queries
find nothing. Here both sides are cut the same way: each Chinese character and each pair of neighbours is a term; a
run of Latin letters or digits is one word, in lower case.
"""

import re

from sphinx.application import Sphinx
from sphinx.search import SearchLanguage

RUNS = re.compile(r"([\u3400-\u4dbf\u4e00-\u9fff]+)|([^\W\u3400-\u4dbf\u4e00-\u9fff]+)")

# The same rule for the query, in the browser. A longer run becomes its pairs: a page has to hold all of them.
SPLITTER = r"""
function splitQuery(query) {
  const runs = query.match(/[\u3400-\u4dbf\u4e00-\u9fff]+|[\p{L}\p{N}_]+/gu) || [];
  return runs.flatMap((run) =>
    /^[\u3400-\u4dbf\u4e00-\u9fff]{2,}$/.test(run)
      ? Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
      : [run]);
}
"""

# Sphinx drops a query of digits alone, and the book is full of numbers worth finding; a word of digits is no
# exception once its "stem" is asked for, so nothing is changed here but the case.
STEMMER = """
var Stemmer = function () {
  this.stemWord = (word) => word.toLowerCase();
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
            found.extend(a + b for a, b in zip(chinese, chinese[1:], strict=False))
    return found


class ChineseSearch(SearchLanguage):
    """The index of a Chinese book, see :func:`terms`."""

    lang = "zh"
    language_name = "Chinese"
    stopwords = frozenset()
    js_stemmer_code = STEMMER
    js_splitter_code = SPLITTER

    def split(self, text: str) -> list[str]:
        return terms(text)

    def word_filter(self, word: str) -> bool:
        return bool(word)


def setup(app: Sphinx) -> dict[str, object]:
    """Take the place of Sphinx's Chinese search."""
    app.add_search_language(ChineseSearch)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
