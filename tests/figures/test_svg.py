"""A figure's SVG: text as text, no trace of a machine, few colours, and nothing in it that nothing uses."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from transformer_book.figures import (
    code_similarity_figure,
    cost_figure,
    layer_figure,
    masks_figure,
    patch_figure,
    picture,
    token_weights_figure,
)
from transformer_book.figures.svg import SVG, XLINK


def cost():
    return cost_figure([128, 512], [3, 12], [1, 16])


def masks():
    return masks_figure({"a": np.ones((2, 3), bool), "$b$": np.tri(3, dtype=bool)})


def similarity():
    return code_similarity_figure(np.arange(25.0).reshape(5, 5), longest=3)


def weights():
    return token_weights_figure(["a", "b"], {"h": np.array([[0.25, 1], [0.75, 0]])})


FIGURES = [cost, masks, similarity, weights, layer_figure]


def elements(drawing, name):
    return list(ElementTree.fromstring(drawing.svg).iter(f"{SVG}{name}"))


@pytest.mark.parametrize("figure", FIGURES)
def test_the_colours_are_those_that_the_site_has_a_counterpart_for(figure):
    known = {"#000000", "#ffffff", *(hue.lower() for hue in (picture.BLUE, picture.ORANGE, picture.GREY))}
    assert set(re.findall(r"(?:fill|stroke):(#\w+)", figure().svg)) <= known


@pytest.mark.parametrize("figure", FIGURES)
def test_every_id_is_used_and_every_reference_leads_somewhere(figure):
    drawing = figure().svg
    ids = re.findall(r' id="(\w+)"', drawing)
    assert len(ids) == len(set(ids))
    assert set(ids) - {"ground"} == set(re.findall(r"(?:href=\"|url\()#(\w+)", drawing))
    assert "metadata" not in drawing


def test_the_ground_is_white_and_covers_the_drawing():
    (ground,) = (part for part in elements(cost(), "g") if part.get("id") == "ground")
    assert ground[0].get("style") == "fill:#ffffff", "JupyterLab shows the file on its own, dark, ground"


def test_text_is_text_and_an_axis_tells_its_name():
    labels = {part.get("id"): "".join(part.itertext()).strip() for part in elements(cost(), "g")}
    assert labels["axis-length"] == "N"
    assert "128" in [text.text for text in elements(cost(), "text")]


def test_a_glyph_of_a_font_that_readers_lack_is_an_outline():
    drawing = similarity()
    assert "font-family" not in drawing.svg
    assert "∑" not in drawing.svg, "the large sum is of a font that matplotlib brings"
    tall = max(elements(drawing, "path"), key=lambda path: len(path.get("d")))
    assert "Q" in tall.get("d") or "C" in tall.get("d")


def test_an_operator_is_an_outline():
    """In a font for Chinese it is as wide as an ideograph, and covers its neighbours."""
    drawing = layer_figure()
    assert "×" not in drawing.svg
    assert {"D", "N"} <= {text.text for text in elements(drawing, "tspan")}


def test_a_matrix_is_a_picture_of_one_pixel_a_cell():
    (image,) = elements(weights(), "image")
    assert (image.get("width"), image.get("height")) == ("2", "2")
    assert image.get(f"{XLINK}href").startswith("data:image/png;base64,")


def test_a_photograph_stays_a_png():
    photograph = patch_figure(np.zeros((4, 4, 3)), np.zeros((4, 12)), 2)
    assert photograph._repr_svg_() is None
    assert photograph._repr_png_() == photograph.png


def test_a_plot_shows_itself_once():
    drawing = cost()
    assert drawing._repr_svg_() == drawing.svg
    assert drawing._repr_png_() is None, "a notebook would store it twice"


def test_it_is_saved_as_its_name_says(tmp_path):
    drawing = cost()
    drawing.save(tmp_path / "cost.svg")
    assert (tmp_path / "cost.svg").read_text(encoding="utf-8") == drawing.svg
