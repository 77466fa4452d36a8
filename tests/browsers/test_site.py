"""Explorers, formulas, search and folding in Firefox ESR and WebKitGTK, from a server and from files."""

import numpy as np
import pytest

from transformer_book.widgets import AttentionExplorer

EXPLORER = "document.querySelector('attention-explorer')"


def field(name: str) -> str:
    """A script that finds one of the explorer's fields by its label."""
    return f"return {EXPLORER}.shadowRoot.querySelector('input[aria-label=\"{name}\"]')"


@pytest.mark.parametrize("width", [1280, 500])
def test_an_explorer_takes_clicks_and_numbers(screen, base, width):
    screen.size(width, 900)
    screen.open(f"{base}/02_self_attention.html")
    screen.wait(f"{EXPLORER}?.host")
    screen.click(screen.run(f"return {EXPLORER}.shadowRoot.querySelector('[role=switch]')"))
    for entry in ("X 1, 3", "X 2, 3"):
        screen.type(screen.run(field(entry)), "0")
    state = screen.run(f"return {EXPLORER}.state")
    assert state["scaled"] is True
    assert state["X"] == [[1, 0, 0], [0, 1, 0]], "what was typed is lost"
    weights = screen.run(f"return {EXPLORER}.values.heads[0].weights")
    twin = AttentionExplorer(X=state["X"], scaled=True)
    np.testing.assert_allclose(weights, twin.weights, rtol=0, atol=1e-12)


def test_an_explorer_unfolds_its_steps(screen, base):
    screen.open(f"{base}/02_self_attention.html")
    screen.wait(f"{EXPLORER}?.host")
    height = f"return {EXPLORER}.shadowRoot.querySelector('.maps').getBoundingClientRect().height"
    assert screen.run(height) == 0
    screen.click(screen.run(f"return {EXPLORER}.shadowRoot.querySelector('summary')"))
    assert screen.run(height) > 100


def test_a_model_runs_in_the_page(screen, base):
    screen.open(f"{base}/09_beyond_text.html")
    digits = "document.querySelector('digits-explorer')"
    screen.wait(f"{digits}?.host")
    screen.run(f"{digits}.host.data.engine.load()")
    screen.wait(f"{digits}.values.known")
    chances = screen.run(f"return {digits}.values.probabilities.map(one => [...one])")
    np.testing.assert_allclose(np.sum(chances, axis=1), 1, atol=1e-6)


def test_formulas_are_drawn_in_their_font(screen, base):
    screen.open(f"{base}/03_matrix_form.html")
    screen.wait("document.fonts.status === 'loaded'")
    drawn = screen.run(
        """return [...document.querySelectorAll("article .math > math")].map(formula => {
          const box = formula.getBoundingClientRect();
          return [box.width, box.height];
        })"""
    )
    seen = [size for size in drawn if max(size) > 0]  # those within a folded answer have no size yet
    assert len(seen) > 30
    fonts = screen.run("return [...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)")
    assert any("Book Mathematics" in name for name in fonts), fonts
    fraction, line = screen.run(
        """const height = (node) => node.getBoundingClientRect().height;
        return ["mfrac", "mi"].map(name => height(document.querySelector(`article ${name}`)))"""
    )
    assert fraction > 1.5 * line, "a fraction lies on one line: MathML is not laid out"


def test_search_finds_as_one_types_and_by_number(screen, base):
    screen.open(f"{base}/search.html?q=12.5")
    hits = "document.querySelectorAll('#search-results ul.search > li > a')"
    screen.wait(f"{hits}.length > 0")
    assert "#eq-12-5" in screen.run(f"return {hits}[0].href")
    query = screen.run("return document.querySelector('.bd-search-container input[name=q]')")
    screen.type(query, "因果掩码")
    screen.wait(f"{hits}.length > 0 && decodeURIComponent({hits}[0].href).includes('因果掩码')")


def test_a_guess_and_an_answer_unfold(screen, base):
    screen.open(f"{base}/02_self_attention.html")
    hidden = "[...document.querySelectorAll('guess-answer')].filter(part => part.hidden).length"
    before = screen.run(f"return {hidden}")
    assert before > 0, "no answer is out of sight"
    screen.click(screen.run("return document.querySelector('guess-form .guess-skip')"))
    assert screen.run(f"return {hidden}") < before
    answer = "document.querySelector('article details:not([open])')"
    screen.click(screen.run(f"window.one = {answer}; return window.one.querySelector('summary')"))
    assert screen.run("return window.one.open")
