"""The block bootstrap, on counts made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.evaluation.block_bootstrap import block_sums, draw_blocks, f1_of, middle, resampled_f1


def test_blocks_add_up_their_frames():
    """Of five frames in blocks of two the last block has one."""
    by_frame = np.array([[1, 0, 0], [2, 1, 0], [0, 0, 3], [4, 0, 0], [5, 5, 5]])
    assert block_sums(by_frame, 2).tolist() == [[3, 1, 0], [4, 0, 3], [5, 5, 5]]
    assert block_sums(by_frame, 50).tolist() == [[12, 6, 8]]


def test_no_frames_are_no_blocks():
    assert block_sums(np.zeros((0, 3), np.int64)).shape == (0, 3)


def test_f1_of_counts():
    """2 TP / (2 TP + FP + FN); not defined without labels, even with false alarms."""
    counts = np.array([[3, 1, 1], [0, 0, 2], [0, 4, 0], [5, 0, 0]])
    assert f1_of(counts)[[0, 1, 3]].tolist() == [75.0, 0.0, 100.0]
    assert np.isnan(f1_of(counts)[2])


def test_draws_stay_within_their_group():
    """Each group is drawn as often as it has blocks, so that its share never changes; the seed decides the rest."""
    draws = draw_blocks({"town": 4, "park": 2}, resamples=100, seed=3)
    assert draws["town"].shape == (100, 4)
    assert (draws["town"].sum(axis=1) == 4).all()
    assert (draws["park"].sum(axis=1) == 2).all()
    again = draw_blocks({"park": 2, "town": 4}, resamples=100, seed=3)
    assert all((draws[group] == again[group]).all() for group in draws)
    assert (draw_blocks({"town": 4}, resamples=100, seed=4)["town"] != draws["town"]).any()


def test_a_draw_pools_what_it_drew():
    """The first block twice, the second never, and the one block of another group: 2 * (3, 1, 0) + (1, 0, 3)."""
    blocks = {"town": np.array([[3, 1, 0], [0, 9, 9]]), "park": np.array([[1, 0, 3]])}
    draws = {"town": np.array([[2, 0], [1, 1]]), "park": np.array([[1], [1]])}
    assert resampled_f1(blocks, draws).tolist() == pytest.approx([100 * 14 / (14 + 2 + 3), 100 * 8 / (8 + 10 + 12)])


def test_equal_blocks_leave_no_doubt():
    """Whatever is drawn, the figure is the same; that of blocks that differ lies between theirs."""
    draws = draw_blocks({"town": 6})
    assert middle(resampled_f1({"town": np.tile([3, 1, 1], (6, 1))}, draws)) == (75.0, 75.0)
    low, high = middle(resampled_f1({"town": np.array([[1, 1, 1]] * 3 + [[9, 0, 0]] * 3)}, draws))
    assert 50.0 <= low < 100 * 60 / 66 < high <= 100.0


def test_a_constant_difference_has_no_width():
    """Paired: a method that finds one more of four labels in every block is above by the same in every draw."""
    draws = draw_blocks({"town": 6})
    better, worse = np.tile([4, 0, 0], (6, 1)), np.tile([3, 0, 1], (6, 1))
    difference = resampled_f1({"town": better}, draws) - resampled_f1({"town": worse}, draws)
    assert middle(difference) == pytest.approx((100 - 100 * 6 / 7,) * 2)


def test_draws_that_define_nothing_are_left_out():
    assert middle(np.array([50.0, np.nan, 50.0])) == (50.0, 50.0)
