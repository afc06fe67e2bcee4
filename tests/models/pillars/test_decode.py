"""Peaks of a map made by hand."""

import numpy as np
import pytest

from vedette.models.pillars.decode import MAX_PEAKS, MIN_SCORE, decode
from vedette.models.pillars.grid import ANSWER_COLUMNS, ANSWER_ROWS


@pytest.fixture
def heat():
    """Nothing anywhere."""
    return np.zeros((1, ANSWER_ROWS, ANSWER_COLUMNS), np.float32)


@pytest.fixture
def regression():
    """A usual car along x in the middle of every cell."""
    maps = np.zeros((8, ANSWER_ROWS, ANSWER_COLUMNS), np.float32)
    maps[7] = 1.0
    return maps


def test_a_peak_becomes_a_box(heat, regression):
    """Row 64, column 15: (9.92, 0.32)."""
    heat[0, 64, 15] = 0.8
    found = decode(heat, regression)
    np.testing.assert_allclose(found.boxes_velo, [[9.92, 0.32, -1.0, 3.9, 1.63, 1.53, 0.0]], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.8], atol=1e-7)
    np.testing.assert_array_equal(found.channels, [0])


def test_slopes_of_a_peak_are_no_peaks(heat, regression):
    """Also across the diagonal, and at the map's edge."""
    heat[0, 0, 0], heat[0, 1, 1], heat[0, 0, 1] = 0.9, 0.8, 0.7
    assert len(decode(heat, regression).scores) == 1


def test_boxes_come_best_first_and_overlapping_ones_go(heat, regression):
    """Two cells (1.28 m) apart the boxes overlap by half; twenty cells apart they do not."""
    heat[0, 64, 15], heat[0, 64, 17], heat[0, 64, 40] = 0.6, 0.7, 0.9
    found = decode(heat, regression)
    np.testing.assert_allclose(found.scores, [0.9, 0.7], atol=1e-7)
    np.testing.assert_allclose(found.boxes_velo[:, 0], [40.5 * 0.64, 17.5 * 0.64], atol=1e-6)


def test_classes_do_not_suppress_each_other(heat, regression):
    """A heat map each."""
    both = np.concatenate([heat, heat])
    both[0, 64, 15], both[1, 64, 15] = 0.6, 0.7
    np.testing.assert_array_equal(decode(both, regression).channels, [1, 0])


@pytest.mark.parametrize(("score", "count"), [(MIN_SCORE - 0.001, 0), (MIN_SCORE + 0.001, 1)])
def test_low_peaks_are_left_out(heat, regression, score, count):
    """On both sides of the least score."""
    heat[0, 3, 3] = score
    assert len(decode(heat, regression).scores) == count


def test_a_broken_map_does_not_take_forever(heat, regression):
    """Every cell a peak: the first are decoded, and suppressed where they overlap."""
    heat[:] = 1.0
    assert 0 < len(decode(heat, regression).scores) <= MAX_PEAKS


def test_an_empty_map_gives_nothing(heat, regression):
    """Shapes are right all the same."""
    assert decode(heat, regression).boxes_velo.shape == (0, 7)
