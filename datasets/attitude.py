"""Attitude as navigation units give it: roll, pitch and yaw of a body with x forward, y left, z up.

The rotation is yaw about z, then pitch about the turned y, then roll about the turned x; a positive pitch is nose down.
"""

from __future__ import annotations

import numpy as np

from vedette.geometry import SE3, NDArrayFloat


def rotation_of(roll: float, pitch: float, yaw: float) -> NDArrayFloat:
    """Rotation matrix of an attitude.

    Args:
        roll: about the forward axis, rad.
        pitch: about the left axis, rad.
        yaw: about the vertical, rad, counter-clockwise seen from above.

    Returns:
        ``(3,3) float64``, from the body's axes to level ones.
    """
    return SE3.from_yaw(yaw).rotation @ _about_y(pitch) @ _about_x(roll)


def angles_of(rotation: NDArrayFloat) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation matrix.

    Args:
        rotation: (3, 3), from the body's axes to level ones, with the nose not straight up or down.

    Returns:
        Roll in [-pi, pi], pitch in [-pi/2, pi/2], yaw in [-pi, pi].
    """
    level = float(np.hypot(rotation[0, 0], rotation[1, 0]))
    return (
        float(np.arctan2(rotation[2, 1], rotation[2, 2])),
        float(np.arctan2(-rotation[2, 0], level)),
        float(np.arctan2(rotation[1, 0], rotation[0, 0])),
    )


def _about_x(angle: float) -> NDArrayFloat:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])


def _about_y(angle: float) -> NDArrayFloat:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]])
