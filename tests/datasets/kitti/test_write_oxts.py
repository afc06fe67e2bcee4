"""GPS/IMU records as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.attitude import rotation_of
from vedette.datasets.kitti.oxts import ego_poses, read_tracking_oxts
from vedette.datasets.kitti.write_oxts import OxtsFormatter
from vedette.datasets.navigation import NavigationFix
from vedette.geometry import SE3


def fix(x: float, y: float, rotation: np.ndarray | None = None) -> NavigationFix:
    return NavigationFix(
        SE3(np.eye(3) if rotation is None else rotation, np.array([x, y, 5.0])),
        velocity_world_m_s=np.array([3.0, 4.0, 0.5]),
        specific_force_imu_m_s2=np.array([1.0, 2.0, 9.81]),
        rates_imu_rad_s=np.array([0.1, 0.2, 0.3]),
        position_sd_m=0.02,
        velocity_sd_m_s=0.014,
    )


def test_the_30_numbers_of_a_level_unit_that_faces_north() -> None:
    """Yaw 90°: forward is north, left is west; body and level axes are the same."""
    numbers = [float(word) for word in OxtsFormatter().record(fix(0.0, 0.0, rotation_of(0.0, 0.0, np.pi / 2))).split()]
    expected = [
        49.0, 8.4, 120.0, 0, 0, np.pi / 2,
        4.0, 3.0,  # velocity north, east
        4.0, -3.0, 0.5,  # forward, left, up
        1.0, 2.0, 9.81, 1.0, 2.0, 9.81,
        0.1, 0.2, 0.3, 0.1, 0.2, 0.3,
        0.02, 0.014, 4, 10, 4, 4, 4,
    ]  # fmt: skip
    np.testing.assert_allclose(numbers, expected, atol=1e-12)


def test_level_axes_of_a_rolled_unit() -> None:
    """Rolled by 90°, its left is up: what it feels along its left axis is upward, along its up axis to the right."""
    numbers = [float(word) for word in OxtsFormatter().record(fix(0.0, 0.0, rotation_of(np.pi / 2, 0.0, 0.0))).split()]
    np.testing.assert_allclose(numbers[3:6], [np.pi / 2, 0, 0], atol=1e-12)
    np.testing.assert_allclose(numbers[11:14], [1.0, 2.0, 9.81], atol=1e-12)
    np.testing.assert_allclose(numbers[14:17], [1.0, -9.81, 2.0], atol=1e-12)
    np.testing.assert_allclose(numbers[20:23], [0.1, -0.3, 0.2], atol=1e-12)


@pytest.mark.parametrize("start", [(0.0, 0.0), (5000.0, -8000.0)])
def test_reading_gives_the_metres_back(tmp_path: Path, start: tuple[float, float]) -> None:
    """A kilometre on, wherever the drive began: to a tenth of a millimetre."""
    formatter = OxtsFormatter()
    places = [(0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0), (-700.0, 300.0)]
    lines = [formatter.record(fix(start[0] + east, start[1] + north)) for east, north in places]
    (tmp_path / "0000.txt").write_text("".join(lines))
    poses = ego_poses(read_tracking_oxts(tmp_path / "0000.txt"), SE3.identity())
    for frame, place in enumerate(places):
        np.testing.assert_allclose(poses[frame].translation, [*place, 0.0], atol=1e-4)
