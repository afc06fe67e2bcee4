"""One detection in its image."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections2D
from vedette.edge.lifting.view import DetectionView


def view_of(street, box):
    """The view of a single detection."""
    detections = Detections2D(np.array([box], np.float64), np.array([0.9]), np.array([0]))
    return DetectionView.of_all(detections, street.camera)[0]


@pytest.mark.parametrize(
    ("box", "aside", "above", "above_or_below"),
    [
        ([100, 100, 200, 200], False, False, False),
        ([0, 100, 200, 200], True, False, False),
        ([1100, 100, 1241, 200], True, False, False),
        ([100, 0, 200, 200], False, True, True),
        ([100, 100, 200, 374], False, False, True),
    ],
)
def test_what_the_border_cuts(street, box, aside, above, above_or_below):
    """Each border on its own."""
    view = view_of(street, box)
    assert (view.cut_aside, view.cut_above, view.cut_above_or_below) == (aside, above, above_or_below)


def test_expected_depth(street):
    """1.5 m that look 70 px high with 700 px focal length are 15 m away."""
    assert view_of(street, [100, 100, 200, 170]).expected_depth_m(1.5) == pytest.approx(15.0)


def test_a_box_without_height_does_not_divide_by_zero(street):
    """The depth of a degenerate box is that of one pixel."""
    assert view_of(street, [100, 100, 100, 100]).expected_depth_m(1.5) == pytest.approx(1050.0)


def test_pixel_to_point_and_back(street):
    """A pixel's point at a depth projects to the pixel at that depth."""
    point = view_of(street, [100, 100, 200, 170]).point_velo((310.0, 222.0), 17.0)
    uv, depth = street.camera.project_velo(point)
    assert (*uv, depth) == pytest.approx((310.0, 222.0, 17.0))
