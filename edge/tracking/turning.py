"""The coordinated turn: how an object goes on that keeps its speed and its rate of turn.

It runs along an arc, to the end of whose chord it is displaced:

             ,-o    chord: half the angle off the first course, and
          ,-' /     by sinc(half the angle) shorter than the arc
        o----'

(Bar-Shalom, Li, Kirubarajan, Estimation with Applications to Tracking and Navigation, 2001, section 11.7.2, written
with half angles, so that a rate of zero is no special case but for the sinc.)
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat

_SMALL_RAD: Final = 1e-3
_MIN_RADIUS_M: Final = 5.0
_MAX_LATERAL_MPS2: Final = 5.0


def turned(state: NDArrayFloat, duration_s: float) -> tuple[NDArrayFloat, NDArrayFloat]:
    """The state some time later, and how it depends on that before.

    Args:
        state: ``(5,)`` x, y in metres, vx, vy in m/s, turn rate in rad/s.
        duration_s: at least 0.

    Returns:
        ``(5,)`` state and ``(5,5)`` Jacobian.
    """
    x, y, vx, vy, rate = state.tolist()
    half = rate * duration_s / 2
    sinc, slope = _sinc(half)
    # along the chord and across it, per unit of speed; and how both change with the rate
    cos, sin = math.cos(half), math.sin(half)
    along, across = duration_s * sinc * cos, duration_s * sinc * sin
    half_s = duration_s / 2
    along_slope = duration_s * half_s * (slope * cos - sinc * sin)
    across_slope = duration_s * half_s * (slope * sin + sinc * cos)
    c, s = cos * cos - sin * sin, 2 * sin * cos
    later_vx, later_vy = c * vx - s * vy, s * vx + c * vy
    later = np.array([x + along * vx - across * vy, y + across * vx + along * vy, later_vx, later_vy, rate])
    jacobian = np.array(
        [
            [1.0, 0.0, along, -across, along_slope * vx - across_slope * vy],
            [0.0, 1.0, across, along, across_slope * vx + along_slope * vy],
            [0.0, 0.0, c, -s, -duration_s * later_vy],
            [0.0, 0.0, s, c, duration_s * later_vx],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )
    return later, jacobian


def tightest_turn_radps(speed_mps: float) -> float:
    """The fastest that wheels turn: slow ones as their lock allows, fast ones as their grip does; below 1 rad/s."""
    return min(speed_mps / _MIN_RADIUS_M, _MAX_LATERAL_MPS2 / max(speed_mps, _MIN_RADIUS_M))


def _sinc(angle_rad: float) -> tuple[float, float]:
    """Sin(a) / a and its derivative, by their series near zero."""
    if abs(angle_rad) < _SMALL_RAD:
        return 1.0 - angle_rad**2 / 6, -angle_rad / 3
    sinc = math.sin(angle_rad) / angle_rad
    return sinc, (math.cos(angle_rad) - sinc) / angle_rad
