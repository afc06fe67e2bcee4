"""Cropping a sweep to what the camera sees."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.codecs.sweep import crop_to_camera
from vedette.errors import InvalidFrameError
from vedette.frames import Sweep
from vedette.geometry import SE3, PinholeCamera

# cam x = -velo y, cam y = -velo z, cam z = velo x
AXES = SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3))
# 101 x 51 pixels, focal length 50, principal point in the middle: sees |y| <= x and |z| <= x / 2
CAMERA = PinholeCamera(np.array([[50.0, 0, 50, 0], [0, 50, 25, 0], [0, 0, 1, 0]]), AXES, 101, 51)


@pytest.mark.parametrize(
    ("point", "seen"),
    [
        ([10, 0, 0], True),
        ([10, 10, 0], True),
        ([10, -10, 0], True),
        ([10, 10.2, 0], False),
        ([10, 0, 5], True),
        ([10, 0, -5.2], False),
        ([-10, 0, 0], False),
        ([0, 0, 0], False),
    ],
)
def test_points_at_the_borders(point: list[float], seen: bool) -> None:
    """Both sides of each border of the view, behind the camera, and in its centre."""
    anchor = [5.0, 0.0, 0.0, 0.5]
    sweep = Sweep(np.array([anchor, [*point, 0.25]], np.float32), 1, 2)
    assert len(crop_to_camera(sweep, CAMERA)) == 1 + seen


def test_order_values_and_times_are_kept() -> None:
    """What remains is untouched."""
    points = np.array([[9, 1, 0, 0.1], [-9, 0, 0, 0.2], [8, 0, 1, 0.3], [7, -1, 0, 0.4]], np.float32)
    cropped = crop_to_camera(Sweep(points, 5, 9), CAMERA)
    np.testing.assert_array_equal(cropped.points_velo, points[[0, 2, 3]])
    assert (cropped.start_ns, cropped.end_ns) == (5, 9)


def test_a_shifted_projection_moves_the_view() -> None:
    """The fourth column of the projection counts: KITTI's colour camera stands 6 cm beside the reference."""
    shifted = PinholeCamera(np.array([[50.0, 0, 50, 100], [0, 50, 25, 0], [0, 0, 1, 0]]), AXES, 101, 51)
    sweep = Sweep(np.array([[10, 0, 0, 0], [10, -9, 0, 0]], np.float32), 1, 2)
    np.testing.assert_array_equal(crop_to_camera(sweep, shifted).points_velo, sweep.points_velo[:1])


def test_a_view_without_points_is_refused() -> None:
    """An empty sweep is none; the message points at the calibration."""
    with pytest.raises(InvalidFrameError, match=r"none of the 1 points .* 101x51 px"):
        crop_to_camera(Sweep(np.array([[-5, 0, 0, 0]], np.float32), 1, 2), CAMERA)


def test_the_quick_test_loses_nothing() -> None:
    """The same points as by projecting every one, on a dense cloud with many of them near the borders."""
    random = np.random.default_rng(3)
    points = random.uniform([-60, -60, -20, 0], [60, 60, 20, 1], (50_000, 4)).astype(np.float32)
    border = random.uniform(0.01, 60, 2_000).astype(np.float32)
    points[:2_000, :2] = np.stack([border, np.repeat(np.float32([1, -1]), 1_000) * border], axis=1)
    expected = points[CAMERA.in_image(*CAMERA.project_velo(points))]
    np.testing.assert_array_equal(crop_to_camera(Sweep(points, 1, 2), CAMERA).points_velo, expected)
