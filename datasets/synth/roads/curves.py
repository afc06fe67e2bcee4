r"""Bends with steady steering: the curvature rises, stays and falls again, as a driver turns the wheel.

    curvature
        |    ____________
        |   /            \
        |  /              \
        +-/----------------\--> length
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat

_RAMP: Final = 0.35  # length of the rise, as a share of the radius
_STEPS: Final = 400


def quarter_bend(leg_m: float, step_m: float, *, to_left: bool) -> NDArrayFloat:
    """A bend by 90 degrees, from the origin along x, to a point as far ahead as it lies aside.

    Args:
        leg_m: how far ahead, and aside, the bend ends.
        step_m: between points.
        to_left: or else to the right.

    Returns:
        ``(N,2)`` points, both ends included.
    """
    unit = _unit_bend(np.pi / 2)
    line = _resample(unit * (leg_m / unit[-1, 0]), step_m)
    return line if to_left else line * [1.0, -1.0]


def half_bend(width_m: float, step_m: float) -> NDArrayFloat:
    """A bend by 180 degrees to the left, from the origin along x.

    Args:
        width_m: from the line that comes to the line that goes back.
        step_m: between points.

    Returns:
        ``(N,2)`` points, both ends included.
    """
    unit = _unit_bend(np.pi)
    return _resample(unit * (width_m / unit[-1, 1]), step_m)


def smooth_step(share: NDArrayFloat) -> NDArrayFloat:
    """From 0 to 1, level and without curvature at both ends.

    Args:
        share: (...,) any value; below 0 gives 0, above 1 gives 1.
    """
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**3 * (10.0 - 15.0 * x + 6.0 * x**2))


def smooth_step_slope(share: NDArrayFloat) -> NDArrayFloat:
    """Derivative of `smooth_step`.

    Args:
        share: (...,) any value.
    """
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(30.0 * x**2 * (1.0 - x) ** 2)


@lru_cache(maxsize=4)
def _unit_bend(angle: float) -> NDArrayFloat:
    """``(N,2)`` bend to the left whose tightest radius is 1."""
    length = angle + _RAMP  # the ramps together turn by one ramp's length, so the arc makes up the rest
    s = np.linspace(0.0, length, _STEPS + 1)
    curvature = np.clip(np.minimum(s, length - s) / _RAMP, 0.0, 1.0)
    step = length / _STEPS
    yaw = np.concatenate([[0.0], np.cumsum((curvature[1:] + curvature[:-1]) / 2 * step)])
    middle = (yaw[1:] + yaw[:-1]) / 2
    steps = np.stack([np.cos(middle), np.sin(middle)], axis=1) * step
    line = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    line.setflags(write=False)
    return line


def _resample(line: NDArrayFloat, step_m: float) -> NDArrayFloat:
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    at = np.linspace(0.0, lengths[-1], max(2, int(np.ceil(lengths[-1] / step_m)) + 1))
    return np.stack([np.interp(at, lengths, line[:, 0]), np.interp(at, lengths, line[:, 1])], axis=1)
