"""Peaks of a map made by hand."""

import numpy as np
import pytest

from vedette.models.pillars.decode import MAX_PEAKS, MIN_SCORE, decode
from vedette.models.pillars.grid import AnswerGrid

COARSE, FINE = AnswerGrid(2), AnswerGrid(1)
ALONE = np.zeros(1, np.int64)


def quiet(grid=COARSE, classes=1):
    """Nothing anywhere."""
    return np.zeros((classes, grid.rows, grid.columns), np.float32)


def cars(grid=COARSE):
    """A usual car along x in the middle of every cell."""
    maps = np.zeros((10, grid.rows, grid.columns), np.float32)
    maps[[7, 9]] = 1.0
    return maps


@pytest.mark.parametrize(
    ("grid", "row", "column", "place"), [(COARSE, 64, 15, (9.92, 0.32)), (FINE, 128, 31, (10.08, 0.16))]
)
def test_a_peak_becomes_a_box(grid, row, column, place):
    """Of a network that answers at half size, and of one at full."""
    heat = quiet(grid)
    heat[0, row, column] = 0.8
    found = decode(heat, cars(grid), ALONE)
    np.testing.assert_allclose(found.boxes_velo, [[*place, -1.0, 3.9, 1.63, 1.53, 0.0]], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.8], atol=1e-7)
    np.testing.assert_array_equal(found.channels, [0])


def test_slopes_of_a_peak_are_no_peaks():
    """Also across the diagonal, and at the map's edge."""
    heat = quiet()
    heat[0, 0, 0], heat[0, 1, 1], heat[0, 0, 1] = 0.9, 0.8, 0.7
    assert len(decode(heat, cars(), ALONE).scores) == 1


def test_boxes_come_best_first_and_overlapping_ones_go():
    """Two cells (1.28 m) apart the boxes overlap by half; twenty cells apart they do not."""
    heat = quiet()
    heat[0, 64, 15], heat[0, 64, 17], heat[0, 64, 40] = 0.6, 0.7, 0.9
    found = decode(heat, cars(), ALONE)
    np.testing.assert_allclose(found.scores, [0.9, 0.7], atol=1e-7)
    np.testing.assert_allclose(found.boxes_velo[:, 0], [40.5 * 0.64, 17.5 * 0.64], atol=1e-6)


@pytest.mark.parametrize(
    ("rivals", "channels"),
    [
        pytest.param([0, 0, 1], [1, 2], id="what is a van is no car; a pedestrian may stand there"),
        pytest.param([0, 1, 1], [1, 0], id="the better of two that exclude each other"),
        pytest.param([0, 1, 2], [1, 0, 2], id="none excludes another"),
        pytest.param([0, 0, 0], [1], id="all do"),
    ],
)
def test_only_rivals_suppress_each_other(rivals, channels):
    """Three classes claim one place, the second with the best score."""
    heat = quiet(classes=3)
    heat[:, 64, 15] = 0.6, 0.7, 0.5
    np.testing.assert_array_equal(decode(heat, cars(), np.array(rivals)).channels, channels)


@pytest.mark.parametrize(("score", "count"), [(MIN_SCORE - 0.001, 0), (MIN_SCORE + 0.001, 1)])
def test_low_peaks_are_left_out(score, count):
    """On both sides of the least score."""
    heat = quiet()
    heat[0, 3, 3] = score
    assert len(decode(heat, cars(), ALONE).scores) == count


def test_the_least_score_can_be_chosen():
    """Precision-recall curves want lower ones."""
    heat = quiet()
    heat[0, 3, 3] = 0.06
    assert len(decode(heat, cars(), ALONE, min_score=0.05).scores) == 1


def test_a_broken_map_does_not_take_forever():
    """Every cell a peak: the first are decoded, and suppressed where they overlap."""
    assert 0 < len(decode(quiet(FINE) + 1, cars(FINE), ALONE).scores) <= MAX_PEAKS


def test_an_empty_map_gives_nothing():
    """Shapes are right all the same."""
    assert decode(quiet(), cars(), ALONE).boxes_velo.shape == (0, 7)
