"""Class maps and masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.errors import ModelLoadError
from vedette.frames import CameraImage
from vedette.models.cards import read_card
from vedette.models.deeplab import DeepLabSegmenter, MaskingDetector, instance_masks
from vedette.models.deeplab.upsample import upsample
from vedette.models.sessions import OnnxModel, SessionOptions

CAR, TRUCK, PERSON, CYCLIST = (
    int(c) for c in (ObjectClass.CAR, ObjectClass.TRUCK, ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST)
)


def found(*rows):
    """Detections from (class, box)."""
    return Detections2D(
        np.array([row[1] for row in rows], float).reshape(-1, 4),
        np.full(len(rows), 0.5),
        np.array([row[0] for row in rows], np.int64),
    )


def test_upsampling_keeps_corners_and_is_linear_between():
    """A 2x2 grid over a 5-pixel square input and image: corners exact, a quarter of the way a quarter of the value."""
    fine = upsample(np.array([[[0.0], [4.0]], [[8.0], [12.0]]], np.float32), (5, 5), (5, 5))
    np.testing.assert_allclose(fine[:, :, 0], np.arange(5)[None] + 2 * np.arange(5)[:, None], atol=1e-6)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 5), st.integers(1, 5))
def test_upsampling_a_constant_gives_it_everywhere(width, height, rows, columns):
    """The weights of each pixel sum to 1, whatever the sizes."""
    fine = upsample(np.full((rows, columns, 2), 3.0, np.float32), (width, height), (33, 17))
    assert fine.shape == (height, width, 2)
    np.testing.assert_allclose(fine, 3.0, rtol=1e-5)


def test_a_mask_is_the_boxs_share_of_its_class():
    """Pixels outside the box, and of another kind, are not in it; a truck's pixels are a car's."""
    class_map = np.full((6, 8), -1)
    class_map[2:5, 1:7] = CAR
    class_map[2, 1] = TRUCK
    class_map[3, 3] = PERSON
    masks = instance_masks(class_map, found((CAR, [0, 0, 5, 4])))
    expected = np.zeros((6, 8), bool)
    expected[2:4, 1:5] = True
    expected[3, 3] = False
    np.testing.assert_array_equal(masks[0], expected)


def test_where_boxes_overlap_the_nearer_takes_the_pixels():
    """The second box reaches lower: it hides the first."""
    masks = instance_masks(np.full((6, 8), CAR), found((CAR, [0, 0, 5, 4]), (TRUCK, [3, 1, 8, 6])))
    assert masks[1].sum() == 25
    assert masks[0].sum() == 20 - 6
    assert not (masks[0] & masks[1]).any()


def test_objects_of_different_kinds_do_not_compete():
    """A rider's box over a car takes no car pixels; it may take those of a pedestrian."""
    class_map = np.full((4, 4), CAR)
    class_map[:, 0] = PERSON
    masks = instance_masks(class_map, found((CAR, [0, 0, 4, 4]), (CYCLIST, [0, 0, 4, 4])))
    assert masks[0].sum() == 12
    assert masks[1].sum() == 4


def test_no_objects_no_masks():
    """The shape still tells the image's size."""
    assert instance_masks(np.full((4, 6), CAR), found()).shape == (0, 4, 6)


@pytest.fixture
def segmenter(constant_model, write_card):
    """Sees cars in the left half of every tile, road in the right half: 9x9 input, 3x3 grid."""
    logits = np.zeros((1, 3, 3, 2), np.float32)
    logits[0, :, 0, 1], logits[0, :, 2, 0] = 1.0, 1.0
    path = constant_model(logits, (1, 9, 9, 3), ("t0", "out"))
    card = write_card(
        path,
        family="deeplab",
        task="segment",
        labels="cityscapes",
        classes=["road", "car"],
        inputs=[{"name": "t0", "dtype": "float32", "shape": [1, 9, 9, 3]}],
        outputs=[{"name": "out", "dtype": "float32", "shape": [1, 3, 3, 2]}],
    )
    return DeepLabSegmenter(OnnxModel(path, read_card(card), SessionOptions()))


@pytest.mark.parametrize("size_px", [(40, 10), (41, 3), (2, 1)])
def test_the_class_map_is_two_tiles_of_the_image(segmenter, size_px):
    """Cars left and road right, twice; also for odd widths."""
    width, height = size_px
    class_map = segmenter.class_map(CameraImage(np.zeros((height, width, 3), np.uint8), 0))
    assert class_map.shape == (height, width)
    if width >= 40:
        assert (class_map[:, :9] == CAR).all()
        assert (class_map[:, 12:19] == -1).all()
        assert (class_map[:, 22:29] == CAR).all()
        assert (class_map[:, 32:] == -1).all()


def test_an_image_of_one_column_is_one_tile(segmenter):
    """It cannot be cut."""
    assert segmenter.class_map(CameraImage(np.zeros((5, 1, 3), np.uint8), 0)).shape == (5, 1)


class FixedDetector:
    """Finds the same boxes in every image."""

    name = "fixed@1"

    def __init__(self, detections):
        self._detections = detections

    def detect(self, image):
        """The same boxes."""
        return self._detections


@pytest.mark.parametrize("rows", [(), ((CAR, [0, 0, 30, 10]),)])
def test_a_masking_detector_adds_masks(segmenter, rows):
    """Boxes, scores and classes are the detector's own."""
    detector = MaskingDetector(FixedDetector(found(*rows)), segmenter)
    result = detector.detect(CameraImage(np.zeros((10, 40, 3), np.uint8), 0))
    assert result.masks is not None
    assert result.masks.shape == (len(rows), 10, 40)
    assert detector.name == "fixed@1+tiny@1"


def test_an_input_that_is_no_image_is_refused(constant_model, write_card):
    """Channels first is another family's layout."""
    path = constant_model(np.zeros((1, 3, 3, 3)), (1, 3, 9, 9))
    card = write_card(
        path,
        family="deeplab",
        task="segment",
        inputs=[{"name": "data", "dtype": "float32", "shape": [1, 3, 9, 9]}],
        outputs=[{"name": "output", "dtype": "float32", "shape": [1, 3, 3, 3]}],
    )
    with pytest.raises(ModelLoadError, match="1xHxWx3 of fixed size"):
        DeepLabSegmenter(OnnxModel(path, read_card(card), SessionOptions()))


@pytest.mark.parametrize("classes", [["car"], ["road", "car", "bus"]])
def test_another_number_of_classes_than_the_output_is_refused(constant_model, write_card, classes):
    """The output's channels are looked up in the card's classes."""
    path = constant_model(np.zeros((1, 3, 3, 2)), (1, 9, 9, 3), ("t0", "out"))
    card = write_card(
        path,
        family="deeplab",
        task="segment",
        labels="cityscapes",
        classes=classes,
        inputs=[{"name": "t0", "dtype": "float32", "shape": [1, 9, 9, 3]}],
        outputs=[{"name": "out", "dtype": "float32", "shape": [1, 3, 3, 2]}],
    )
    with pytest.raises(
        ModelLoadError, match=rf"with {len(classes)} classes .* gives one output \[1, 3, 3, {len(classes)}\]"
    ):
        DeepLabSegmenter(OnnxModel(path, read_card(card), SessionOptions()))
