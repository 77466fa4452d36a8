"""Figures with Chinese tokens: characters, not boxes."""

import warnings

import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties, get_font

from transformer_book.figures import fonts, token_weights_figure

TOKENS, WEIGHTS = ["猫", "坐"], {"h": np.eye(2)}


def test_a_chinese_token_is_drawn_with_its_character():
    families = fonts.families()
    if len(families) == 1:
        pytest.skip("this machine has no font for Chinese; Debian: apt install fonts-noto-cjk")
    picture = token_weights_figure(
        TOKENS, WEIGHTS
    )  # a character that no font has is a warning, an error here
    label = picture.figure.axes[0].get_xticklabels()[0]
    assert label.get_text() == "猫"
    assert label.get_fontproperties().get_family() == families
    path = font_manager.findfont(FontProperties(family=[families[1]]), fallback_to_default=False)
    assert get_font(path).get_char_index(ord("猫")) != 0, "glyph 0 is .notdef, the box"


def test_without_a_font_one_warning_names_the_characters(monkeypatch):
    monkeypatch.setattr(fonts, "CHINESE", ())
    with pytest.warns(UserWarning, match="No installed font has") as found:
        token_weights_figure(TOKENS, WEIGHTS)
    assert len(found) == 1, "one warning a figure, not one a character"
    assert "猫" in str(found[0].message)
    assert "坐" in str(found[0].message)
    assert "fonts-noto-cjk" in str(found[0].message)


def test_other_warnings_pass():
    with pytest.warns(RuntimeWarning, match="another"), fonts.one_warning():
        warnings.warn("another", RuntimeWarning, stacklevel=1)


def test_latin_tokens_keep_the_font_that_matplotlib_ships():
    label = token_weights_figure(["the", "cat"], WEIGHTS).figure.axes[0].get_xticklabels()[0]
    assert label.get_fontproperties().get_family()[0] == "DejaVu Sans"
