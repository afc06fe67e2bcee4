"""Intervals by drawing drives."""

import numpy as np
import pytest

from vedette.evaluation.bootstrap import Interval, intervals


def mean(items):
    return {"mean": float(np.mean(items))}


def test_drives_that_are_alike_leave_no_doubt():
    """Whatever is drawn, the figure is the same."""
    assert intervals([[1.0, 3.0]] * 5, mean, resamples=20) == {"mean": Interval(2.0, 2.0, draws=20)}


def test_an_interval_holds_the_figure_and_widens_with_the_drives_differences():
    """The mean of ten drives, each of one value; the middle 95 % of its spread is about 4 deviations of a mean."""
    values = np.random.default_rng(0).normal(10.0, 1.0, 40).tolist()
    found = intervals([[value] for value in values], mean, resamples=2000)["mean"]
    assert found.low < np.mean(values) < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.std(values) / np.sqrt(40), rel=0.1)


def test_drives_are_drawn_not_frames():
    """Two drives of a hundred equal frames: means are 0, 1/2 or 1, and nothing between."""
    found = intervals([[0.0] * 100, [1.0] * 100], mean, resamples=200)["mean"]
    assert found == Interval(0.0, 1.0, draws=200)


def test_one_drive_tells_nothing_of_others():
    """None, not an interval of width 0."""
    assert intervals([[1.0, 2.0]], mean, resamples=10) == {"mean": None}


def test_draws_that_do_not_define_a_figure_are_left_out_and_undefined_figures_have_no_interval():
    """A figure that only one of the drives defines, and one that none does."""

    def figures(items):
        return {"some": float(np.mean([i for i in items if i > 0])) if max(items) > 0 else None, "none": None}

    (found,) = intervals([[0.0], [5.0]], figures, resamples=200).values()
    assert (found.low, found.high) == (5.0, 5.0)
    assert found.draws == pytest.approx(150, abs=30)  # a quarter of the draws has the first drive alone


def test_the_same_seed_gives_the_same_interval():
    """And another another."""
    drives = [[float(value)] for value in range(8)]
    first, again, other = (intervals(drives, mean, resamples=30, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
