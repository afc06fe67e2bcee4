"""One detection in its image."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections2D
from vedette.edge.lifting.view import DetectionView, side_rays


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


def test_pixels_to_points_and_back(street):
    """The point of a pixel at a depth projects to that pixel at that depth."""
    pixels, depths = np.array([[310.0, 222.0], [900.0, 100.0]]), np.array([17.0, 40.0])
    points = view_of(street, [100, 100, 200, 170]).points_velo(pixels, depths)
    uv, found = street.camera.project_velo(points)
    assert (uv, found) == (pytest.approx(pixels), pytest.approx(depths))


def test_side_rays_touch_what_the_edges_show(street):
    """Edges at u = 620 -/+ 70, 700 px of focal length: at 20 m the object reaches 2 m to either side."""
    normals, reach_m, sigma_m = side_rays([view_of(street, [550, 100, 690, 170])], np.array([-1.0]), np.array([20.0]))
    left_corner, right_corner = np.array([20.0, 2.0]), np.array([20.0, -2.0])
    rounded = 0.05  # corners of vehicles are rounded: their boxes reach a little farther than their images
    assert normals[0, 0] @ left_corner == pytest.approx(reach_m[0, 0] - rounded)
    assert normals[0, 1] @ right_corner == pytest.approx(reach_m[0, 1] - rounded)
    # outwards is away from the object's middle
    assert (normals[0] @ [20.0, 0.0] < reach_m[0]).all()
    assert (sigma_m < 0.2).all()


def test_an_edge_that_the_border_cuts_tells_nothing(street):
    """Only the left edge of a car at the right border counts."""
    _, _, sigma_m = side_rays([view_of(street, [1000, 100, 1241, 200])], np.array([-1.0]), np.array([10.0]))
    assert sigma_m[0, 0] < 0.2 < 10.0 < sigma_m[0, 1]


def test_what_the_image_does_not_show_is_cut_on_all_sides(street):
    """No edge of it says anything: not of where it ends aside, nor of its height."""
    view = DetectionView.of_nothing(street.camera)
    assert view.cut_left
    assert view.cut_right
    assert view.cut_above_or_below
    _, _, sigma_m = side_rays([view], np.array([-1.0]), np.array([20.0]))
    assert sigma_m.min() > 50.0
