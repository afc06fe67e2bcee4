"""Figures of detectors whose answers are known to be right or wrong."""

import numpy as np
import pytest

pytest.importorskip("open3d")

from vedette.detections import Detections2D
from vedette.evaluation.objects import CameraObjects
from vedette.frames import CameraImage
from vedette.models.camera2d.training.evaluate import TruePicture, figures, mask_overlaps, milliseconds
from vedette.models.camera2d.training.samples import LabelledPicture

BOX_PX = np.array([[9.5, 19.5, 59.5, 69.5]])
"""Around columns 10 to 59 and rows 20 to 69, counted from the first pixel's centre."""


class Answers:
    """Always the same."""

    name = "answers"

    def __init__(self, found: Detections2D) -> None:
        self._found = found

    def detect(self, image: CameraImage) -> Detections2D:
        """The same."""
        return self._found


def true_picture() -> TruePicture:
    """A car that shows in the left half of its box."""
    owners = np.full((100, 200), -1, np.int32)
    owners[20:70, 10:35] = 0
    pixels = np.zeros((100, 200, 3), np.uint8)
    labels = CameraObjects(
        ("Car",), np.zeros(1), np.zeros(1, np.int64), np.zeros(1), BOX_PX, np.array([[0, 1.5, 20, 1.5, 1.8, 4, 0.0]])
    )
    truth = LabelledPicture(pixels, owners, BOX_PX + 0.5, np.zeros(1, np.int64), np.array([0.5]))
    return TruePicture(CameraImage(pixels, 0), labels, truth)


def found_at(box_px, columns, score=0.9) -> Detections2D:
    """One car whose mask is the rows of the object, in some columns."""
    masks = np.zeros((1, 100, 200), bool)
    masks[0, 20:70, columns] = True
    return Detections2D(box_px, np.array([score]), np.zeros(1, np.int64), masks)


@pytest.mark.parametrize(
    ("columns", "iou"),
    [
        pytest.param(slice(10, 35), 1.0, id="exactly"),
        pytest.param(slice(10, 60), 0.5, id="the whole box"),
        pytest.param(slice(35, 60), 0.0, id="the other half"),
    ],
)
def test_masks_are_compared_with_what_shows(columns, iou):
    """Height of the box, and the overlap."""
    table = mask_overlaps(true_picture().truth, found_at(BOX_PX, columns))
    np.testing.assert_allclose(table, [[50.0, iou]])


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(found_at(BOX_PX, slice(10, 35)).select([]), id="nothing"),
        pytest.param(found_at(BOX_PX + 40.0, slice(10, 35)), id="elsewhere"),
        pytest.param(found_at(BOX_PX, slice(10, 35), score=0.3), id="unsure"),
    ],
)
def test_what_was_not_found_has_no_mask(found):
    """It counts as missed, not as a bad mask."""
    assert np.isnan(mask_overlaps(true_picture().truth, found)[0, 1])


def test_figures_of_a_detector_that_is_always_right():
    """With 50 labels AP reaches 100; the car is over 40 pixels high."""
    measured = figures(Answers(found_at(BOX_PX, slice(10, 35))), iter([true_picture() for _ in range(50)]))
    assert measured["ap.r40.car.2d.0.7.moderate"] == pytest.approx(100.0)
    assert measured["labels.car.moderate"] == 50
    assert measured["mask_iou.40px"] == pytest.approx(100.0)
    assert measured["found.40px"] == pytest.approx(100.0)
    assert measured["found.25-40px"] == 0.0
    assert measured["pictures"] == 50


def test_figures_of_a_detector_that_is_always_wrong():
    """Nothing is found; there are no masks to compare."""
    measured = figures(Answers(found_at(BOX_PX + 60.0, slice(10, 35))), iter([true_picture() for _ in range(50)]))
    assert measured["ap.r40.car.2d.0.5.moderate"] == 0.0
    assert measured["found.40px"] == measured["mask_iou.40px"] == 0.0


def test_time_is_that_of_a_picture():
    """Of a detector that only hands out what it has."""
    assert milliseconds(Answers(found_at(BOX_PX, slice(10, 35))), [true_picture()]) >= 0.0
