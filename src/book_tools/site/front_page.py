"""The cover: the book's first sentence with a real head's attention, a start button, a card for each section.

In the source the cover is plain text: a quotation, a paragraph with a link and the comment `start`, a
table of sections and what one does in each. The site draws the quotation, and lays the table out as cards.
"""

import json
import math
from pathlib import Path

from bs4 import BeautifulSoup, Comment
from sphinx.application import Sphinx

from book_tools.language import Language, spoken_by
from book_tools.site.pages import Page, on_page
from book_tools.site.pictograms import pictogram
from transformer_book.widgets.head_weights import unpack_weights
from transformer_book.widgets.page_data import load_pack

COVER = "index"
HEAD = (13, 8)  # the head that section 6 finds: from a verb to its subject
FIRST = "fell"  # the word whose arcs stand there at first
LEAST = 0.02  # weights that are drawn
LINES = 20  # of code a minute, as `Site.rates` says


def sentence() -> tuple[list[str], list[list[float]]]:
    """Return the tokens of the first sentence and the head's weights, for each query over the keys."""
    pack = load_pack("heads-smollm2")
    first = pack["sentences"][0]
    tokens = first["tokens"]
    weights = unpack_weights(first["weights"], pack["layers"], pack["heads"], len(tokens), pack["causal"])
    return [token.strip() for token in tokens], weights[HEAD].T.tolist()


def arcs(tokens: list[str], weights: list[list[float]], *, wide: bool) -> str:
    """Draw the words in a row, or in a column for a phone, and for each the arcs to where it looks."""
    unit = 9.4 if wide else 30  # of a character's width, of a line's height
    places, at = [], 0.0
    for token in tokens:
        length = unit * len(token) + 14 if wide else unit
        places.append(at + length / 2)
        at += length
    words, anchor = [], "middle" if wide else "end"
    for query, row in enumerate(weights):
        looks = [(key, weight) for key, weight in enumerate(row) if weight >= LEAST]
        paths = "".join(path(places[query], places[key], weight, wide) for key, weight in looks)
        told = ", ".join(f"{tokens[key]} {weight:.2f}" for key, weight in sorted(looks, key=lambda x: -x[1]))
        x, y = (places[query], 150) if wide else (90, places[query])
        first = " first" if tokens[query] == FIRST else ""
        words.append(
            f'<g class="word{first}" tabindex="0" role="img" aria-label="{tokens[query]}: {told}">'
            f'<g class="of" fill="none" stroke="#0b57c0">{paths}</g>'
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{tokens[query]}</text></g>'
        )
    size = f"0 0 {at:.0f} 165" if wide else f"0 0 260 {at:.0f}"
    kind = "wide" if wide else "tall"
    return f'<svg class="arcs {kind}" lang="en" viewBox="{size}">{"".join(words)}</svg>'


def path(query: float, key: float, weight: float, wide: bool) -> str:
    """One arc, as thick as the weight: above a row of words, or to the right of a column."""
    reach = abs(query - key) / 2 or 7
    high = min(0.75 * reach, 125) if wide else min(0.75 * reach, 150)
    if query == key:  # a loop
        query, key, high = query - 7, key + 7, 14
    sweep = int(key > query)
    if wide:
        arc = f"M{query:.1f} 132A{reach:.1f} {high:.1f} 0 0 {sweep} {key:.1f} 132"
    else:
        arc = f"M98 {query - 5:.1f}A{high:.1f} {reach:.1f} 0 0 {sweep} 98 {key - 5:.1f}"
    return (
        f'<path d="{arc}" pathLength="1" '
        f'stroke-width="{1 + 8 * weight:.1f}" stroke-opacity="{0.3 + 0.7 * weight:.2f}"/>'
    )


def draw_sentence(page: Page) -> None:
    """Put the drawing in the place of the quotation that the cover begins with."""
    quote = page.soup.select_one("article blockquote")
    said = spoken_by(page.app).site
    drawing = "".join(arcs(*sentence(), wide=wide) for wide in (True, False))
    quote.replace_with(
        BeautifulSoup(
            f'<figure class="opening">{drawing}<figcaption>{said.cover}</figcaption></figure>',
            "html.parser",
        )
    )


def minutes(path: Path, language: Language) -> int:
    """Estimate how long a notebook takes to read, in steps of five minutes."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    reading = language.site.read_a_minute(text)
    exact = reading + code.count("\n") / LINES + text.count('class="guess"')
    return 5 * math.ceil(exact / 5)


def lay_out_cards(page: Page) -> None:
    """Turn the table of sections into cards: drawing, title, what one does there, how long it takes."""
    table, language = page.soup.select_one("article table"), spoken_by(page.app)
    cards = page.soup.new_tag("ul", attrs={"class": "cards"})
    for row in table.select("tbody tr"):
        link, text = row.select_one("a"), row.select("td")[1]
        text = text.p or text
        name = Path(link["href"]).stem
        time = language.site.minutes.format(minutes(Path(page.app.srcdir, f"{name}.ipynb"), language))
        cards.append(
            BeautifulSoup(
                f'<li>{pictogram(name)}<p class="card-name">{link}</p><p>{text.decode_contents()}</p>'
                f'<p class="card-time">{time}</p></li>',
                "html.parser",
            )
        )
    frame = table.find_parent(class_="pst-scrollable-table-container") or table
    frame.replace_with(cards)
    note = page.soup.new_tag("p", attrs={"class": "card-time"})
    note.string = language.site.rates
    cards.insert_after(note)


def mark_start(page: Page) -> None:
    """Make a button of the paragraph that a comment marks."""
    comments = page.soup.find_all(string=lambda text: isinstance(text, Comment))
    for comment in [comment for comment in comments if comment.strip() == "start"]:
        paragraph = comment.parent
        comment.extract()
        link = paragraph.a
        link.string = paragraph.get_text().strip()
        paragraph.clear()
        paragraph.append(link)
        paragraph["class"] = "start"
        paragraph["data-again"] = spoken_by(
            page.app
        ).site.again  # book.js puts the page a reader left behind it


def compose(page: Page) -> None:
    """Compose the cover; other pages stay as they are."""
    if page.name != COVER or page.soup.select_one("article blockquote") is None:
        return
    for change in (draw_sentence, lay_out_cards, mark_start):
        change(page)
    style = page.soup.new_tag("link", rel="stylesheet", href="_static/front.css")
    page.soup.head.append(style)


def setup(app: Sphinx) -> dict[str, object]:
    """Compose the cover."""
    on_page(app, compose)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
