"""What the camera sees of a sweep."""

import numpy as np
import pytest

from vedette.geometry import SE3, PinholeCamera
from vedette.models.camera_view import in_view

CAM_R_VELO = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
PROJECTION = np.array([[100.0, 0.0, 100.0, 0.0], [0.0, 100.0, 57.5, 0.0], [0.0, 0.0, 1.0, 0.0]])
CAMERA = PinholeCamera(PROJECTION, SE3(CAM_R_VELO, np.zeros(3)), 201, 116)
TILTED = PinholeCamera(
    PROJECTION, SE3(CAM_R_VELO @ SE3.from_yaw(0.4).rotation, np.array([0.1, -0.08, -0.27])), 201, 116
)


@pytest.mark.parametrize(
    ("place", "seen"),
    [
        pytest.param([10, 0, 0], True, id="ahead"),
        pytest.param([-10, 0, 0], False, id="behind, though a line through the camera meets the image"),
        pytest.param([0, 0, 0], False, id="in the camera itself"),
        pytest.param([10, 10, 0], True, id="pixel 0"),
        pytest.param([10, 10.01, 0], False, id="left of it"),
        pytest.param([10, -10, 0], True, id="the last column"),
        pytest.param([10, -10.01, 0], False, id="right of it"),
        pytest.param([10, 0, 5.75], True, id="the first row"),
        pytest.param([10, 0, 5.76], False, id="above it"),
        pytest.param([10, 0, -5.75], True, id="the last row"),
        pytest.param([10, 0, -5.76], False, id="below it"),
    ],
)
def test_both_sides_of_every_border(place, seen):
    """A view 45 degrees to either side, 201 pixels wide."""
    np.testing.assert_array_equal(in_view(np.array([place], np.float32), CAMERA), [seen])


@pytest.mark.parametrize("count", [0, 1, 8191, 8192, 8193, 30_000])
def test_it_is_the_cameras_own_word(count):
    """Whatever the number of points, whatever the pose; further columns do not matter."""
    points = np.random.default_rng(count).uniform(-40, 40, (count, 4)).astype(np.float32)
    expected = TILTED.in_image(*TILTED.project_velo(points))
    np.testing.assert_array_equal(in_view(points, TILTED), expected)
