"""From images to inputs, and boxes back."""

import numpy as np
import pytest

from vedette.models.image_input import ImageInput, Placement
from vedette.models.preprocess_keys import USUAL_PREPROCESS, Preprocess

ORANGE_BGR = np.full((10, 20, 3), (0, 127, 255), np.uint8)


@pytest.mark.parametrize(
    ("keys", "pixel"),
    [
        ({"channels": "bgr"}, (0, 127, 255)),
        ({"channels": "rgb"}, (255, 127, 0)),
        ({"channels": "rgb", "deviation": (255, 127, 1)}, (1, 1, 0)),
        ({"channels": "bgr", "mean": (1, 27, 5), "deviation": (1, 10, 50)}, (-1, 10, 5)),
    ],
)
def test_channels_and_values(keys, pixel):
    """Mean and deviation are in the order of the channels."""
    tensor, _ = ImageInput(Preprocess(fit="stretch", **keys), 4, 6).prepare(ORANGE_BGR)
    assert (tensor.shape, tensor.dtype) == ((1, 3, 6, 4), np.float32)
    np.testing.assert_allclose(tensor, np.broadcast_to(np.array(pixel).reshape(1, 3, 1, 1), tensor.shape), atol=1e-5)


@pytest.mark.parametrize(("fit", "first_row", "last_row"), [("stretch", 0, 16), ("top_left", 0, 8), ("centre", 4, 12)])
def test_where_the_image_lies(fit, first_row, last_row):
    """A 20x10 image in a 16x16 input: the rest is padding, which is divided like the rest."""
    keys = Preprocess(channels="bgr", fit=fit, pad=114, deviation=(2, 2, 2))
    tensor, placement = ImageInput(keys, 16, 16).prepare(ORANGE_BGR)
    red = tensor[0, 2]
    assert (red[first_row:last_row] == 127.5).all()
    assert (red[:first_row] == 57).all()
    assert (red[last_row:] == 57).all()
    np.testing.assert_allclose(placement.to_image(np.array([[0.0, first_row, 16, last_row]])), [[0, 0, 20, 10]])


def test_the_usual_fits_differ_in_rounding():
    """YOLOX cuts 10 x 16 / 17 = 9.41; ultralytics rounds 14 x 16 / 20 = 11.2."""
    assert ImageInput(USUAL_PREPROCESS["yolox"], 16, 16).place((17, 10)) == Placement(
        (16, 9), (16 / 17, 16 / 17), (0, 0)
    )
    placed = ImageInput(USUAL_PREPROCESS["yolov8"], 16, 16).place((16, 11))
    assert placed == Placement((16, 11), (1.0, 1.0), (0, 2))  # 5 pixels of padding: 2 above, 3 below
    assert ImageInput(USUAL_PREPROCESS["yolov8"], 16, 16).place((20, 14)).size_px == (16, 11)


def test_no_side_vanishes():
    """A line of pixels keeps a height."""
    for family in ("yolox", "yolov8"):
        assert ImageInput(USUAL_PREPROCESS[family], 16, 16).place((1000, 1)).size_px == (16, 1)
