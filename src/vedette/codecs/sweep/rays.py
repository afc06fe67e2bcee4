r"""Where the points of a ring lie, reckoned so that every machine finds the same.

Seen from above, with x to the right and y up, the world is divided into quarters around the axes, and a point is
described in its quarter's own axes, `forward` and `across`::

       \   1   /
         \   /          quarter     0    1    2    3
      2    o    0       forward    +x   +y   -x   -y
         /   \          across     +y   -x   -y   +x
       /   3   \

A ray is at most 45 degrees and a half column off its quarter's axis, so that `across` follows from `forward` by a
tangent of about 1 or less: rounding `forward` moves it by hardly more than it moved `forward`.

Lengths are in units of 2**-15 m (0.03 mm), of which float32 holds whole numbers exactly up to 512 m. All reckoning is
in whole numbers below 2**53, times powers of two. They are carried by float64, which is exact there and faster than
int64; what gets rounded is exact before, or a square root, which IEEE 754 wants correctly rounded. So no machine comes
to another result.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vedette.geometry import NDArrayFloat

UNITS_PER_METRE: Final = 1 << 15
COLUMNS_PER_TURN: Final = 4000
"""Steps of azimuth: the ticks of KITTI's sensor, 0.09 degrees."""
PARTS_PER_COLUMN: Final = 1 << 8
SLOPE_ONE: Final = 1 << 20
"""Steps of a ring's slope in a rise of 1 m in 1 m."""

_TAN_ONE: Final = 1 << 24
_QUARTER: Final = (np.arange(COLUMNS_PER_TURN) + COLUMNS_PER_TURN // 8) // (COLUMNS_PER_TURN // 4)
_COLUMN_RAD: Final = 2 * np.pi / COLUMNS_PER_TURN
_ANGLE_RAD: Final = np.arange(COLUMNS_PER_TURN) * _COLUMN_RAD - _QUARTER * (np.pi / 2)
# Whole numbers of 2**-24. None is near the middle between two (a test looks), so all libraries' tangents round alike.
_TAN: Final = np.rint(np.tan(_ANGLE_RAD) * _TAN_ONE) / _TAN_ONE
_TAN_PER_PART: Final = np.rint((1 + np.tan(_ANGLE_RAD) ** 2) * (_COLUMN_RAD / PARTS_PER_COLUMN * _TAN_ONE)) / _TAN_ONE
_SEC: Final = np.rint(_TAN_ONE / np.cos(_ANGLE_RAD)) / _TAN_ONE
_AXIS_X: Final = np.array([1, 0, -1, 0], np.float32)[_QUARTER % 4]
_AXIS_Y: Final = np.array([0, 1, 0, -1], np.float32)[_QUARTER % 4]


def quarter_axes(columns: NDArray[np.intp]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The x and y of `forward` in each point's quarter, each -1, 0 or 1.

    Args:
        columns: ``(N,)``, less than a few turns either way.
    """
    return _AXIS_X.take(columns, mode="wrap"), _AXIS_Y.take(columns, mode="wrap")


def across_at(
    forward: NDArrayFloat, columns: NDArray[np.intp], offset: NDArrayFloat, sideways: NDArrayFloat
) -> NDArrayFloat:
    """How far across its quarter a ray is, at a distance forward.

    A ray in direction phi that passes the origin at ``sideways`` to the left has
    ``across = forward * tan(phi) + sideways / cos(phi)``. Within a column the tangent is taken for a straight line,
    which is off by 0.1 mm at 80 m.

    Args:
        forward: ``(N,)`` units.
        columns: ``(N,)``, less than a few turns either way.
        offset: ``(N,)`` by how much the ray is left of its column, in `PARTS_PER_COLUMN`.
        sideways: ``(N,)`` units.

    Returns:
        ``(N,)`` units.
    """
    tangent = _TAN_PER_PART.take(columns, mode="wrap")
    tangent *= offset
    tangent += _TAN.take(columns, mode="wrap")
    tangent *= forward
    beside = _SEC.take(columns, mode="wrap")
    beside *= sideways
    tangent += beside
    return np.rint(tangent, out=tangent)


def height_at(forward: NDArrayFloat, across: NDArrayFloat, upward: NDArrayFloat, slope: NDArrayFloat) -> NDArrayFloat:
    """How high a ring is above a place on the ground.

    Args:
        forward: ``(N,)`` units.
        across: ``(N,)`` units.
        upward: ``(N,)`` height at the origin, units.
        slope: ``(N,)`` height gained with distance, whole numbers of 1 / `SLOPE_ONE`.

    Returns:
        ``(N,)`` units.
    """
    height = forward * forward
    height += across * across
    np.rint(np.sqrt(height, out=height), out=height)
    height *= slope
    np.rint(height, out=height)
    height += upward
    return height
