"""Poses of the simulator."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.opv2v.poses import matrix_to_simulator, pose_from_simulator, pose_to_simulator
from vedette.geometry import SE3

DEGREES = st.floats(-179.0, 179.0)
METRES = st.floats(-1000.0, 1000.0)


def left_handed(roll: float, yaw: float, pitch: float) -> np.ndarray:
    """The published matrix, element by element: poses of OpenCOOD mean this."""
    (cr, cy, cp), (sr, sy, sp) = np.cos(np.deg2rad([roll, yaw, pitch])), np.sin(np.deg2rad([roll, yaw, pitch]))
    return np.array(
        [
            [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr],
            [sp, -cp * sr, cp * cr],
        ]
    )


@given(DEGREES, DEGREES, st.floats(-89.0, 89.0))
def test_rotation_is_the_published_one_mirrored(roll: float, yaw: float, pitch: float) -> None:
    """A point of the left-handed frame, brought to the world there, is where ours puts its mirror image."""
    mirror = np.diag([1.0, -1.0, 1.0])
    ours = pose_from_simulator([0.0, 0.0, 0.0, roll, yaw, pitch]).rotation
    np.testing.assert_allclose(ours, mirror @ left_handed(roll, yaw, pitch) @ mirror, atol=1e-12)


@given(METRES, METRES, METRES, DEGREES, DEGREES, st.floats(-85.0, 85.0))
def test_round_trip(x: float, y: float, z: float, roll: float, yaw: float, pitch: float) -> None:
    """There and back."""
    pose = [x, y, z, roll, yaw, pitch]
    np.testing.assert_allclose(pose_to_simulator(pose_from_simulator(pose)), pose, atol=1e-9)


def test_matrix_of_a_motion() -> None:
    """A camera 0.3 m left of the LiDAR, turned left by 90°, in the axes of both sides."""
    # ours: left is +y, the camera's forward is the LiDAR's left; the LiDAR's origin is 0.3 m behind the camera
    camera_SE3_velo = SE3.from_yaw(np.pi / 2, [0.0, 0.3, 0.0]).inverse()
    np.testing.assert_allclose(camera_SE3_velo.transform_points([0.0, 0.0, 0.0]), [-0.3, 0.0, 0.0], atol=1e-12)
    matrix = np.array(matrix_to_simulator(camera_SE3_velo))
    # left-handed: a point 1 m right of the LiDAR (y = 1) is 1.3 m behind the camera
    np.testing.assert_allclose(matrix @ [0.0, 1.0, 0.0, 1.0], [-1.3, 0.0, 0.0, 1.0], atol=1e-12)
    # and one 1 m before the LiDAR is 0.3 m behind the camera and 1 m to its right
    np.testing.assert_allclose(matrix @ [1.0, 0.0, 0.0, 1.0], [-0.3, 1.0, 0.0, 1.0], atol=1e-12)


def test_too_far() -> None:
    """What no place on Earth has is refused."""
    with pytest.raises(ValueError, match="expected at most"):
        pose_from_simulator([1e12, 0.0, 0.0, 0.0, 0.0, 0.0])
