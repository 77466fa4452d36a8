"""A figure without data, or with data that do not belong together, says so and draws nothing."""

import numpy as np
import pytest
import torch

from transformer_book.equations import Estimate
from transformer_book.figures import (
    WeightsTable,
    accuracy_figure,
    activation_figure,
    code_similarity_figure,
    cost_figure,
    gradient_figure,
    head_dots_figure,
    head_map_figure,
    layer_figure,
    loss_figure,
    patch_figure,
    position_code_figure,
    query_gradient_figure,
    scaling_figure,
    subject_head_figure,
    token_weights_figure,
)

ONE = [Estimate(0.5, 0.1)]
IMAGE, PATCHES = np.zeros((4, 4, 3)), np.zeros((4, 12))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: accuracy_figure([], {"a": []}), "sizes must be something"),
        (lambda: accuracy_figure([0, 5], {"a": [0.1, 0.2]}), "sizes must be numbers above 0"),
        (lambda: accuracy_figure([3, 5], {}), "curves must be 1 to 3 entries; got 0"),
        (lambda: accuracy_figure([3, 5], {key: [0.1, 0.2] for key in "abcd"}), "1 to 3 entries; got 4"),
        (
            lambda: accuracy_figure([3, 5], {"a": [0.1, 0.2, 0.3, 0.4]}),
            "a must be accuracies of 2 sizes",
        ),
        (lambda: accuracy_figure([3, 5], {"a": [50, 70]}), "a must be accuracies from 0 to 1"),
        (lambda: activation_figure([], []), "at least 2 numbers"),
        (lambda: activation_figure([0, np.nan], [0, 1]), "x must be finite numbers"),
        (lambda: activation_figure([0, 1], ["a", "b"]), "gelu must be finite numbers; got others, or NaN"),
        (lambda: code_similarity_figure([], 1), "products must be a square matrix"),
        (
            lambda: code_similarity_figure(np.eye(5), 2.5),
            "longest must be a whole number of at least 1; got 2.5",
        ),
        (lambda: cost_figure([], [], []), "lengths must be something"),
        (lambda: cost_figure([1, 2], [0, 1], [1, 1]), "projections must be numbers above 0; got 0"),
        (lambda: gradient_figure({}, {}), "pre must be 1 to 4 entries; got 0"),
        (
            lambda: gradient_figure({2: [1, 2]}, {2: [0, 1]}, logarithmic=True),
            "norms must be above 0 on a logarithmic axis; got 0",
        ),
        (lambda: gradient_figure({2: [1, 2]}, {2: [1]}), r"post\[2\] must be 2 norms; got 1"),
        (lambda: head_dots_figure({"a": np.zeros(3)}, (0, 0)), r"a must be a matrix \(layers, heads\)"),
        (lambda: head_dots_figure({"a": np.zeros((2, 3))}, (2, 0)), "marked must be a head of a"),
        (lambda: head_map_figure({}), "panels must be 1 to 3 entries"),
        (lambda: head_map_figure({"a": np.zeros((2, 0))}), "a must be a matrix"),
        (
            lambda: head_map_figure({"a": np.eye(3)}, [(3, 0)]),
            r"marked must be a head of a, \(3, 3\); got \(3, 0\)",
        ),
        (lambda: head_map_figure({"a": np.eye(3)}, [None, (0, 0)]), "for each of 1 panels; got 2"),
        (lambda: loss_figure([], {"a": []}, "$n$"), "x must be something"),
        (lambda: loss_figure([1, 2], {"a": [1]}, "$n$"), "a must be a loss for each of 2 x; got 1"),
        (
            lambda: loss_figure([1], {key: [1] for key in "abcde"}, "$n$"),
            "curves must be 1 to 4 entries; got 5",
        ),
        (lambda: loss_figure([1], [], "$n$", titles=()), "one dict for each of 0 titles"),
        (lambda: patch_figure(IMAGE, PATCHES, 0), "patch_size must be a whole number of at least 1; got 0"),
        (lambda: patch_figure(IMAGE[..., 0], PATCHES, 2), r"image must be \(height, width, 3\)"),
        (lambda: patch_figure(IMAGE[:0], PATCHES[:0], 2), r"image must be \(height, width, 3\)"),
        (lambda: position_code_figure(np.zeros((2, 3)), np.zeros((0, 3))), "hands must be a matrix"),
        (lambda: position_code_figure(np.zeros((2, 0)), np.zeros((2, 1))), "codes must be a matrix"),
        (lambda: query_gradient_figure([], {"a": []}), "steps must be something"),
        (
            lambda: query_gradient_figure([0, 1], {"a": np.ones((2, 4))}),
            r"a must be 5 quantiles for each of 2 steps; got shape \(2, 4\)",
        ),
        (
            lambda: loss_figure([1, 2], {"a": [1, 2]}, "$n$", errors={"a": [1]}),
            "a must be an error for each of 2 x; got 1",
        ),
        (lambda: scaling_figure([], [], [], [], [], [1], [1]), "sizes must be something"),
        (lambda: scaling_figure([4], ONE, ONE, ONE, ONE, [], []), "one_plain must be something"),
        (
            lambda: scaling_figure([4], ONE, ONE, ONE, ONE, [0.5, 0.5], [1]),
            "one_scaled must be of one_plain's",
        ),
        (lambda: subject_head_figure({}), "groups must be 1 to 6 entries"),
        (lambda: subject_head_figure({"a": np.zeros((0, 2))}), "a must be"),
        (lambda: token_weights_figure([], {"a": np.zeros((0, 0))}), "tokens must be something"),
        (lambda: token_weights_figure(["a"], {}), "panels must be 1 to 2 entries"),
        (lambda: token_weights_figure(["a"], {"h": [[np.nan]]}), "h must be numbers from 0 to 1"),
        (
            lambda: token_weights_figure(["a"], {"h": np.ma.masked_all((1, 1))}),
            "h must be numbers from 0 to 1",
        ),
        (lambda: head_map_figure({"a": 2 * np.eye(3)}), "a must be numbers from 0 to 1"),
        (lambda: WeightsTable([[np.nan]], ["a"], ["b"]), "weights must be numbers from 0 to 1"),
        (lambda: WeightsTable([[2.0]], ["a"], ["b"]), "weights must be numbers from 0 to 1"),
    ],
)
def test_the_argument_that_cannot_be_drawn_is_named(draw, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw()


def test_a_matrix_is_not_a_dict_of_panels():
    with pytest.raises(TypeError, match="panels must be a dict; got ndarray"):
        head_map_figure(np.eye(3))


def test_a_dollar_sign_in_a_token_is_no_formula():
    picture = token_weights_figure(["$\\bad$", "b"], {"a": np.eye(2)})
    assert picture.figure.axes[0].get_xticklabels()[0].get_text() == r"\$\bad\$"


def test_a_folder_is_no_picture_to_write(tmp_path):
    with pytest.raises(IsADirectoryError, match="path must be that of a file; got the folder"):
        layer_figure().save(tmp_path)
    assert not list(tmp_path.parent.glob(f"*{tmp_path.name}.*")), "an unfinished file was left"


def test_a_tensor_with_a_gradient_is_drawn():
    weights = torch.eye(2, requires_grad=True)
    assert token_weights_figure(["a", "b"], {"h": weights}).png
