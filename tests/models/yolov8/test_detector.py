"""YOLOv8-style exports in their layouts."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.errors import ModelError, ModelLoadError
from vedette.frames import CameraImage
from vedette.models.cards import read_card
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.yolov8 import YoloV8Detector
from vedette.models.yolov8.layout import Layout, layout_of


@pytest.fixture
def yolov8(constant_model, write_card):
    """Makes a detector that always sees the same: 64x64 input, classes person, bicycle, car."""

    def make(output, **changes):
        path = constant_model(output, names=("images", "output0"))
        fields = {
            "family": "yolov8",
            "inputs": [{"name": "images", "dtype": "float32", "shape": [1, 3, 64, 64]}],
            "outputs": [{"name": "output0", "dtype": "float32", "shape": list(output.shape)}],
        }
        card = read_card(write_card(path, **{**fields, **changes}))
        return YoloV8Detector(OnnxModel(path, card, SessionOptions()), 0.4)

    return make


def dense():
    """`1 x (4 + 3) x 84`: a car of score 0.75 with centre (24, 32), 16 wide and 8 high, in cell 40."""
    output = np.zeros((1, 7, 84), np.float32)
    output[0, :, 40] = [24, 32, 16, 8, 0.1, 0, 0.75]
    return output


def end_to_end():
    """`1 x 10 x 6`: the same car, and rows that are not used."""
    output = np.zeros((1, 10, 6), np.float32)
    output[0, 0] = [16, 28, 32, 36, 0.75, 2]
    return output


@pytest.mark.parametrize(
    "output",
    [
        pytest.param(dense(), id="channels first"),
        pytest.param(dense().transpose(0, 2, 1), id="channels last"),
        pytest.param(end_to_end(), id="end to end"),
    ],
)
@pytest.mark.parametrize(
    ("size_px", "box"),
    [
        ((64, 64), [16, 28, 32, 36]),
        ((128, 128), [32, 56, 64, 72]),
        ((128, 64), [32, 24, 64, 40]),  # scale 1/2: 64 by 32, 16 pixels of padding above
        ((32, 64), [0, 28, 16, 36]),  # scale 1: 16 pixels of padding at the left
    ],
)
def test_a_car_in_every_layout_and_letterbox(yolov8, output, size_px, box):
    """The image lies in the middle of the input."""
    found = yolov8(output).detect(CameraImage(np.zeros((*size_px[::-1], 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, [box], atol=1e-5)
    np.testing.assert_allclose(found.scores, [0.75])
    assert found.class_ids.tolist() == [ObjectClass.CAR]


def test_the_card_may_say_another_letterbox(yolov8):
    """`top_left`: no padding above."""
    found = yolov8(dense(), preprocess={"fit": "top_left"}).detect(CameraImage(np.zeros((64, 128, 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, [[32, 56, 64, 64]], atol=1e-5)


def test_a_class_that_the_card_does_not_have_is_an_error(yolov8):
    """It cannot be named."""
    output = end_to_end()
    output[0, 3, 5] = 3
    with pytest.raises(ModelError, match="answers class 3; expected 0 to 2"):
        yolov8(output).detect(CameraImage(np.zeros((64, 64, 3), np.uint8), 0))


@pytest.mark.parametrize("shape", [(1, 8, 84), (1, 7, 83), (1, 84, 8), (1, 588), (2, 7, 84)])
def test_shapes_of_something_else_are_refused(yolov8, shape):
    """Another number of classes or cells, or of axes."""
    with pytest.raises(ModelLoadError, match=r"gives one output \[1, 7, 84\]"):
        yolov8(np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    ("shape", "size_px", "layout"),
    [
        ((1, 84, 8400), (640, 640), Layout("channels_first", 80)),
        ((1, 8400, 84), (640, 640), Layout("channels_last", 80)),
        ((1, 5, 2520), (640, 192), Layout("channels_first", 1)),
        ((1, 84, 34000), (640, 640), Layout("channels_first", 80)),  # a level of stride 4
        ((1, 300, 6), (640, 640), Layout("end_to_end", None)),
        ((1, 8400, 6), (640, 640), Layout("channels_last", 2)),
        ((1, 25200, 85), (640, 640), None),  # YOLOv5: three boxes a cell
        ((1, 84, "N"), (640, 640), None),
        ((84, 8400), (640, 640), None),
    ],
)
def test_layouts(shape, size_px, layout):
    """Of known exports; at 640x640 there are 80^2 + 40^2 + 20^2 cells."""
    assert layout_of(shape, *size_px) == layout
