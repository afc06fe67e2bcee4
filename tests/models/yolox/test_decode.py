"""YOLOX boxes and the letterbox."""

import numpy as np
import pytest

from vedette.errors import ModelLoadError
from vedette.frames import CameraImage
from vedette.models.cards import read_card
from vedette.models.grids import Grid
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.yolox import YoloxDetector
from vedette.models.yolox.decode import decode_boxes


def test_decode():
    """Cell (2, 1) of stride 8, half a cell further, 2 strides wide and 4 high: centre (20, 12), 16 by 32 pixels."""
    grid = Grid(np.array([[16.0, 8.0]]), np.array([8.0]))
    rows = np.array([[0.5, 0.5, np.log(2), np.log(4)]], np.float32)
    np.testing.assert_allclose(decode_boxes(grid, rows), [[12, -4, 28, 28]], atol=1e-5)


def test_a_wild_size_stays_finite():
    """exp(1000) would not be."""
    grid = Grid(np.zeros((1, 2)), np.ones(1))
    assert np.isfinite(decode_boxes(grid, np.array([[0, 0, 1000, 1000]], np.float32))).all()


def yolox(constant_model, write_card, rows, **changes):
    """A detector that always sees the same: 64x64 input, 64 + 16 + 4 cells, three classes."""
    path = constant_model(rows)
    shape = {"family": "yolox", "outputs": [{"name": "output", "dtype": "float32", "shape": list(rows.shape)}]}
    return YoloxDetector(OnnxModel(path, read_card(write_card(path, **{**shape, **changes})), SessionOptions()), 0.4)


@pytest.mark.parametrize(("size_px", "factor"), [((64, 64), 1.0), ((128, 64), 2.0), ((32, 128), 2.0), ((16, 32), 0.5)])
def test_boxes_go_back_to_the_image(constant_model, write_card, size_px, factor):
    """The image lies in the upper left corner, so a box is only scaled. Score: objectness 0.8 x class 0.75."""
    rows = np.zeros((1, 84, 8), np.float32)
    rows[0, 9] = [0, 0, 0, 0, 0.8, 0, 0, 0.75]  # second row, second cell: centre (8, 8), 8 by 8
    found = yolox(constant_model, write_card, rows).detect(CameraImage(np.zeros((*size_px[::-1], 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, np.array([[4, 4, 12, 12]]) * factor, atol=1e-5)
    np.testing.assert_allclose(found.scores, [0.6], atol=1e-6)


def test_a_number_of_cells_that_does_not_fit_the_input_is_refused(constant_model, write_card):
    """A card for another input size."""
    with pytest.raises(ModelLoadError, match=r"gives one output \[1, 84, 8\]"):
        yolox(constant_model, write_card, np.zeros((1, 86, 8), np.float32))


def test_a_fourth_level_is_told_by_the_number_of_cells(constant_model, write_card):
    """64 + 16 + 4 + 1 cells; the last is of stride 64: centre (32, 32), 64 by 64."""
    rows = np.zeros((1, 85, 8), np.float32)
    rows[0, 84] = [0.5, 0.5, 0, 0, 1, 0, 0, 0.75]
    found = yolox(constant_model, write_card, rows).detect(CameraImage(np.zeros((64, 64, 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, [[0, 0, 64, 64]], atol=1e-5)
