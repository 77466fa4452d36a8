"""Heads deleted in a page: SmolLM2's recorded numbers, and the two-layer model beside the library."""

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from transformer_book.experiments.head_scores import attention_weights, previous_token_scores
from transformer_book.widgets import CircuitExplorer
from transformer_book.widgets.circuit_data import _trained, catalogue

NEAR = {"rtol": 0, "atol": 1e-5}  # the page computes in float64, the library in float32
EXACT = {"rtol": 0, "atol": 1e-12}


def assert_shows(explorer, tolerance, **state):
    explorer.set(**state)
    explorer.answered()
    twin = CircuitExplorer(**state).copying
    for key in ("loss", "score"):
        np.testing.assert_allclose(explorer.array("whole", key), twin[key], **tolerance)
        np.testing.assert_allclose(explorer.array("changed", key), twin[f"deleted.{key}"], **tolerance)


def head(explorer, name):
    return explorer.element.locator(f'button[data-place="{name}"]')


RECORDED = ([], ["L29H8"], ["L0H1", "L18H6"], ["L17H3", "L17H4"], ["L16H0", "L1H4"])


@pytest.mark.parametrize("ablation", ["zero", "mean"])
def test_the_recorded_numbers_are_shown(explore, ablation):
    explorer = explore("circuit")
    for deleted in RECORDED:
        assert_shows(explorer, EXACT, ablation=ablation, deleted=deleted)


def test_every_head_alone_stands_in_the_grid(explore_once):
    explorer = explore_once("circuit")
    explorer.answered()
    rises = explorer.array("rises")
    for place in ((0, 7), (16, 0), (29, 8)):
        twin = CircuitExplorer(deleted=[f"L{place[0]}H{place[1]}"]).copying
        np.testing.assert_allclose(rises[place], (twin["deleted.loss"] - twin["loss"]).mean(), **EXACT)
    assert head(explorer, "L16H0").get_attribute("aria-label") == "L16H0, 4.38"


def test_heads_are_deleted_and_put_back_by_the_same_button(explore_once):
    explorer = explore_once("circuit")
    explorer.answered()
    head(explorer, "L18H6").click()
    assert explorer.state("deleted") == ["L16H0", "L18H6"]
    expect(head(explorer, "L18H6")).to_have_attribute("aria-pressed", "true")
    expect(explorer.element.locator(".names")).to_have_text("删去了 L16H0、L18H6。")
    head(explorer, "L3H2").click()
    assert explorer.state("deleted") == ["L3H2"]
    assert "没有记录，现在只删 L3H2" in explorer.complaint
    head(explorer, "L3H2").click()
    assert explorer.state("deleted") == []
    expect(explorer.element.locator("dd").first).to_have_text("4.41 → 4.41")


def test_arrow_keys_move_between_heads_and_a_key_deletes(explore_once):
    explorer = explore_once("circuit")
    explorer.answered()
    head(explorer, "L16H0").focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        explorer.page.keyboard.press(key)
    expect(head(explorer, "L16H2")).to_be_focused()
    assert explorer.element.locator('.grid button[tabindex="0"]').count() == 1
    explorer.page.keyboard.press("Space")
    assert explorer.state("deleted") == ["L16H2"]


LIVE = ([], ["L0H0"], ["L0H1", "L1H0"])


@pytest.mark.parametrize("ablation", ["zero", "mean"])
def test_the_two_layer_model_computes_what_the_library_computes(explore, ablation):
    explorer = explore("circuit")
    explorer.load_model()
    for deleted in LIVE:
        assert_shows(explorer, NEAR, model="copying", ablation=ablation, deleted=deleted)
    (layer, number) = 1, 0
    alone = CircuitExplorer(model="copying", ablation=ablation, deleted=["L1H0"]).copying
    rise = (alone["deleted.loss"] - alone["loss"]).mean()
    np.testing.assert_allclose(explorer.array("rises")[layer, number], rise, **NEAR)


def test_each_head_s_scores_stand_below_its_map(explore_once):
    explorer = explore_once("circuit")
    explorer.load_model()
    explorer.set(model="copying", deleted=[])
    explorer.answered()
    entry = catalogue()["copying"]
    read = [previous_token_scores(attention_weights(_trained(), ids)) for ids in entry["texts"]]
    np.testing.assert_allclose(explorer.array("previous"), torch.stack(read).mean(dim=0), **NEAR)
    below = explorer.element.locator(".maps small")
    for place, copies, before in zip(
        range(4), explorer.array("scores").ravel(), explorer.array("previous").ravel(), strict=True
    ):
        expect(below.nth(place)).to_have_text(f"归纳 {copies:.2f} 前一个 {before:.2f}")
    expect(explorer.element.get_by_text("归纳得分是 L1H0、L1H1 的平均。")).to_be_visible()


def test_the_numbers_stay_in_view_on_a_phone(read, explorer_site, opened):
    page = read(width=390, height=844).open(f"{explorer_site.as_uri()}/circuit.html")
    explorer = opened(page, "circuit")
    explorer.answered()
    head(explorer, "L0H0").click()
    expect(explorer.element.locator(".now")).to_be_in_viewport(ratio=1)
