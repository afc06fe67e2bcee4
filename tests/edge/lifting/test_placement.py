"""Placing a box of known size behind what is seen of it."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.lifting.placement import Stand, place, quick_bounds_px
from vedette.edge.lifting.rectangle import Extents

SIZE_M = (4.0, 1.6, 1.5)


def placed(street, low, high, truth, *, cut=False, predicted=None):
    """Place a car by an outline, its detection being perfect."""
    detection = street.camera.project_boxes(np.array([truth]))[0][0]
    stand = Stand(Extents(0.0, low, high), SIZE_M, -1.7, detection, cut, predicted)
    return place([stand], street.camera)[0].xy_velo


def test_behind_both_visible_faces(street):
    """Rear face at 13 m and right-hand face at 2.2 m: the centre is half a length and half a width farther."""
    truth = street.box(15.0, 3.0)
    assert placed(street, (13.0, 2.2), (14.0, 3.1), truth) == pytest.approx([15.0, 3.0])


def test_seen_from_behind_the_width_slides_to_fit_the_image(street):
    """Only the left half of the rear of a car straight ahead is hit: the image tells where the rest is."""
    truth = street.box(15.0, 0.0)
    found = placed(street, (13.0, 0.0), (13.3, 0.8), truth)
    # the width may slide in steps of a quarter of what is not covered: 0.2 m
    assert found == pytest.approx([15.0, 0.0], abs=0.11)


def test_the_prediction_settles_what_the_image_leaves_open(street):
    """A detection twice as wide as the car leaves open where in it the car is; the prediction says."""
    detection = street.camera.project_boxes(np.array([street.box(15.0, 0.0, 0.0, [4.0, 3.2, 1.5])]))[0][0]
    at = np.array([15.0, 0.7])
    stand = Stand(Extents(0.0, (13.0, -0.1), (13.3, 0.1)), SIZE_M, -1.7, detection, False, at)
    assert place([stand], street.camera)[0].xy_velo == pytest.approx(at, abs=0.01)


def test_cut_by_the_border_the_far_end_is_what_is_seen(street):
    """A car that reaches out of the image: its outline ends at its far end, and the box reaches back from there."""
    truth = street.box(4.0, 3.0)
    found = placed(street, (4.5, 2.2), (6.0, 2.4), truth, cut=True)
    assert found == pytest.approx([4.0, 3.0])


def test_boxes_placed_together_do_not_disturb_each_other(street):
    """Of two boxes, one with one place to look at and one with five, each stands where it stands alone."""
    boxes, lows, highs = [street.box(15, 3), street.box(20, 0)], [(13.0, 2.2), (18.0, 0.0)], [(14.0, 3.1), (18.3, 0.8)]
    detections = street.camera.project_boxes(np.array(boxes))[0]
    stands = [
        Stand(Extents(0.0, low, high), SIZE_M, -1.7, detection, False, None)
        for low, high, detection in zip(lows, highs, detections, strict=True)
    ]
    alone = [place([stand], street.camera)[0] for stand in stands]
    assert [p.xy_velo for p in place(stands, street.camera)] == [pytest.approx(p.xy_velo) for p in alone]


def test_quick_bounds_agree_with_the_exact_ones(street):
    """For boxes wholly before the camera the quick projection is the exact one."""
    boxes = np.array([street.box(15, 3, 0.4), street.box(30, -8, -2.0), street.box(9, 6, 1.0)])
    assert quick_bounds_px(boxes, street.camera) == pytest.approx(street.camera.project_boxes(boxes)[0], abs=1e-6)
