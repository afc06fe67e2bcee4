"""NanoDet and NanoDet-Plus in their shapes: three or four strides, any number of bins, points at corner or centre."""

import numpy as np
import pytest

from vedette.frames import CameraImage
from vedette.models.cards import read_card
from vedette.models.nanodet import NanoDetDetector
from vedette.models.sessions import OnnxModel, SessionOptions

IMAGE = CameraImage(np.zeros((64, 64, 3), np.uint8), 0)


def rows_with_a_car(cells, bins):
    """Third row, fourth column of the 8-pixel grid; 1, 2, 3 and 4 strides to the sides."""
    rows = np.zeros((1, cells, 3 + 4 * bins), np.float32)
    rows[0, 19, 2] = 0.9
    for side, strides in enumerate((1, 2, 3, 4)):
        rows[0, 19, 3 + side * bins + strides] = 100.0
    return rows


@pytest.mark.parametrize("bins", [8, 11])
@pytest.mark.parametrize("cells", [84, 85])
@pytest.mark.parametrize(
    ("family", "box"), [("nanodet_plus", [16, 0, 48, 48]), ("nanodet", [20, 4, 52, 52])], ids=["corner", "centre"]
)
def test_all_shapes(constant_model, write_card, bins, cells, family, box):
    """The cell (3, 2) has its corner at (24, 16) and its centre at (28, 20)."""
    rows = rows_with_a_car(cells, bins)
    path = constant_model(rows)
    outputs = [{"name": "output", "dtype": "float32", "shape": list(rows.shape)}]
    card = read_card(write_card(path, family=family, outputs=outputs))
    found = NanoDetDetector(OnnxModel(path, card, SessionOptions()), 0.5).detect(IMAGE)
    np.testing.assert_allclose(found.boxes_px, [box], atol=1e-5)
