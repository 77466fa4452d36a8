"""The learning curve of section 9."""

import numpy as np

from transformer_book.figures import accuracy_figure


def test_the_line_is_the_mean_of_the_runs_and_the_bars_reach_the_extremes():
    runs = np.array([[0.2, 0.3, 0.7], [0.5, 0.6, 0.7]])
    picture = accuracy_figure([50, 100], {"ViT": runs, "logistic": [0.4, 0.8]})
    first, second = picture.figure.axes[0].containers
    np.testing.assert_allclose(first.lines[0].get_ydata(), runs.mean(axis=1))
    bars = [segment[:, 1] for segment in first.lines[2][0].get_segments()]
    np.testing.assert_allclose(bars, [[0.2, 0.7], [0.5, 0.7]], err_msg="bars are not worst to best")
    np.testing.assert_allclose(second.lines[0].get_ydata(), [0.4, 0.8])
