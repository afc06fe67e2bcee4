"""Boxes as distances from a cell's centre."""

import numpy as np

from vedette.models.camera2d.decode import STRIDES_PX, cell_centres, decode_boxes, encode_boxes
from vedette.models.grids import Grid


def test_distances_are_measured_from_the_centre_in_strides():
    """Cell (64, 32) of 16 pixels has its centre at (72, 40); 1, 2, 1/2 and 1 strides are 16, 32, 8 and 16 pixels."""
    grid = Grid(np.array([[64.0, 32.0]]), np.array([16.0]))
    logarithms = np.log([[1.0, 2.0, 0.5, 1.0]]).astype(np.float32)
    np.testing.assert_allclose(decode_boxes(grid, logarithms), [[56, 8, 80, 56]], rtol=1e-6)


def test_a_broken_output_stays_finite():
    """Whatever the network says: e^6 strides at most."""
    grid = Grid(np.array([[0.0, 0.0]]), np.array([8.0]))
    box = decode_boxes(grid, np.full((1, 4), 1e30, np.float32))
    np.testing.assert_allclose(box[0, 2], 4 + 8 * np.exp(6.0))


def test_encoding_is_undone_by_decoding():
    """For boxes around the centres of all cells of both grids."""
    grid = Grid.of_strides(64, 48, STRIDES_PX)
    spread = np.random.default_rng(0).uniform(1.0, 60.0, (len(grid), 4))
    boxes = np.concatenate([cell_centres(grid) - spread[:, :2], cell_centres(grid) + spread[:, 2:]], axis=1)
    np.testing.assert_allclose(decode_boxes(grid, encode_boxes(grid, boxes)), boxes, atol=1e-4)


def test_no_cells():
    """Nothing seen."""
    assert decode_boxes(Grid(np.zeros((0, 2)), np.zeros(0)), np.zeros((0, 4), np.float32)).shape == (0, 4)
