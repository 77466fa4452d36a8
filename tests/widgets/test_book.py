"""The explorers on the book's own pages, as readers get them."""

import itertools

import numpy as np
import pytest

from transformer_book.widgets import AttentionExplorer, bundle

WHERE = {
    "02_self_attention": {"attention", "vectors"},
    "03_matrix_form": {"attention"},
    "04_scaling": {"attention", "scaling"},
    "05_positions": {"position", "rotary"},
    "06_multi_head": {"attention", "heads", "training", "circuit"},
    "08_masks": {"attention", "generation", "translation"},
    "09_beyond_text": {"digits"},
    "10_limits": {"heads", "weights"},
}
SET_AND_READ = """(e, change) => {
  e.state = change;
  return [e.values.heads.map((h) => h.weights), e.values.output];
}"""
KNOWN = "e.values.maps !== null"  # heads wait for data


@pytest.fixture(scope="module")
def section(request, site, serve, readers):
    """A section's name, and its page from a server or a file, opened once for both tests."""
    name, how = request.param
    base = serve(site) if how == "http" else site.as_uri()
    with readers() as read:
        yield name, read().open(f"{base}/{name}.html")


def of_sections(names):
    """Parametrize a test by sections and by how they are opened."""
    pairs = list(itertools.product(names, ("http", "file")))
    return pytest.mark.parametrize("section", pairs, ids="-".join, indirect=True)


@of_sections(WHERE)
def test_sections_hold_their_explorers(section, wait_until):
    name, page = section
    for kind in WHERE[name]:
        element = page.locator(f"{kind}-explorer").first
        element.scroll_into_view_if_needed()  # its data come then
        wait_until(element, KNOWN)
        if kind == "attention":
            assert_toggles_equal_the_library(element)


def assert_toggles_equal_the_library(element):
    """Every combination of toggles of the explorer in the state that its section gave it."""
    names = AttentionExplorer.state_names
    state = element.evaluate(
        "(e, names) => Object.fromEntries(names.map((n) => [n, e.state[n]]))", list(names)
    )
    heads = range(state["heads"] + 1 if state["heads"] > 1 else 1)
    for scaled, mask, head in itertools.product(
        (False, True), ("none", "causal", "padding", "window"), heads
    ):
        change = {"scaled": scaled, "mask": mask, "head": head}
        weights, output = element.evaluate(SET_AND_READ, change)
        twin = AttentionExplorer(**{**state, **change})
        expected = [step.weights for step in twin.steps]
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12, err_msg=str(change))
        np.testing.assert_allclose(output, twin.output, rtol=0, atol=1e-12, err_msg=str(change))


RUN_MODELS = [name for name, kinds in WHERE.items() if kinds & set(bundle.RUN_MODELS)]


@of_sections([*RUN_MODELS, "en/09_beyond_text"])  # whose scripts and models lie in the first edition's folder
def test_the_models_of_a_section_run_in_its_page(section, opened):
    name, page = section
    for kind in sorted(WHERE[name.removeprefix("en/")] & set(bundle.RUN_MODELS)):
        opened(page, kind).load_model()
