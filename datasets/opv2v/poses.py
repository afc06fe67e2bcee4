"""Poses of the simulator (CARLA, on Unreal's axes) and ours.

A pose on disk is `[x, y, z, roll, yaw, pitch]`, metres and degrees, in left-handed axes: x forward, y right, z up. Its
matrix, as OpenCOOD's `x_to_world` builds it, is

    L = | cos p·cos y   cos y·sin p·sin r − sin y·cos r   −cos y·sin p·cos r − sin y·sin r |
        | cos p·sin y   sin y·sin p·sin r + cos y·cos r   −sin y·sin p·cos r + cos y·sin r |
        | sin p         −cos p·sin r                        cos p·cos r                    |

With y turned over on both sides, S = diag(1, −1, 1), it is a rotation of right-handed axes (x forward, y left, z up):

    S·L·S = Rz(−yaw) · Ry(−pitch) · Rx(roll)

so that a positive yaw turns right, a positive pitch lifts the nose, and a positive roll lowers the right side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vedette.datasets.attitude import angles_of, rotation_of
from vedette.geometry import SE3, NDArrayFloat

_MIRROR: Final = np.array([1.0, -1.0, 1.0])


def mirrored(points: NDArrayFloat) -> NDArrayFloat:
    """Points or vectors from left-handed to right-handed axes, and back.

    Args:
        points: (..., 3).

    Returns:
        (..., 3), y turned over.
    """
    return np.asarray(points * _MIRROR)


def pose_from_simulator(pose: Sequence[float]) -> SE3:
    """Bring a pose to right-handed axes.

    Args:
        pose: x, y, z (m), roll, yaw, pitch (degrees).

    Returns:
        ``world_SE3_thing``.

    Raises:
        ValueError: not finite, or too far away.
    """
    x, y, z, roll, yaw, pitch = pose
    angles = np.deg2rad([roll, -pitch, -yaw])
    return SE3(rotation_of(*angles), np.array([x, -y, z]))


def pose_to_simulator(world_SE3_thing: SE3) -> list[float]:
    """Bring a pose to the simulator's axes.

    Args:
        world_SE3_thing: right-handed, the nose not straight up or down.

    Returns:
        x, y, z (m), roll, yaw, pitch (degrees).
    """
    x, y, z = world_SE3_thing.translation.tolist()
    roll, pitch, yaw = np.rad2deg(angles_of(world_SE3_thing.rotation)).tolist()
    return [x, -y, z, roll, -yaw, -pitch]


def matrix_to_simulator(dst_SE3_src: SE3) -> list[list[float]]:
    """A motion as the matrix that does the same between the two frames' left-handed forms.

    Args:
        dst_SE3_src: between right-handed frames.

    Returns:
        (4, 4) rows.
    """
    mirror = np.diag([*_MIRROR, 1.0])
    rows: list[list[float]] = (mirror @ dst_SE3_src.matrix @ mirror).tolist()
    return rows
