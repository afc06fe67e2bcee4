"""NanoDet-Plus boxes."""

import numpy as np

from vedette.models.grids import Grid
from vedette.models.nanodet.decode import decode_boxes

GRID = Grid(np.array([[64.0, 32.0]]), np.array([16.0]))


def test_sharp_distances():
    """Logits that name one bin each: 1, 0, 2, 7 strides of 16 left, top, right, bottom of (64, 32)."""
    logits = np.zeros((1, 4, 8), np.float32)
    logits[0, np.arange(4), [1, 0, 2, 7]] = 200.0
    np.testing.assert_allclose(decode_boxes(GRID, logits.reshape(1, 32)), [[48, 32, 96, 144]], atol=1e-9)


def test_even_distances():
    """All bins alike: the mean of 0 to 7 is 3.5 strides on every side."""
    np.testing.assert_allclose(decode_boxes(GRID, np.zeros((1, 32), np.float32)), [[8, -24, 120, 88]])


def test_a_mix_of_two_bins():
    """Weights 1/4 and 3/4 on bins 2 and 3 (logits 0 and ln 3) give 2.75 strides."""
    logits = np.full((1, 4, 8), -200.0, np.float32)
    logits[:, :, 2], logits[:, :, 3] = 0.0, np.log(3.0)
    np.testing.assert_allclose(decode_boxes(GRID, logits.reshape(1, 32)), [[20, -12, 108, 76]], atol=1e-4)


def test_no_cells():
    """Nothing seen."""
    empty = Grid(np.zeros((0, 2)), np.zeros(0))
    assert decode_boxes(empty, np.zeros((0, 32), np.float32)).shape == (0, 4)
