"""Streets' own frames: along their axis, and left of their middle line."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.plan import Street
from vedette.geometry import NDArrayFloat


def street_frame(street: Street, uv_m: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Along a street's axis, and left of its middle line.

    Args:
        street: the street.
        uv_m: (..., 2) plan points.
    """
    if street.axis == "u":
        return uv_m[..., 0], uv_m[..., 1] - street.at_m
    return uv_m[..., 1], street.at_m - uv_m[..., 0]


def street_points(street: Street, along_m: ArrayLike, left_m: ArrayLike) -> NDArrayFloat:
    """``(...,2)`` plan points, the inverse of `street_frame`.

    Args:
        street: the street.
        along_m: (...,) on its axis.
        left_m: (...,) or scalar, to the left of its middle line.
    """
    along, left = np.broadcast_arrays(np.asarray(along_m, np.float64), np.asarray(left_m, np.float64))
    uv = (along, street.at_m + left) if street.axis == "u" else (street.at_m - left, along)
    return np.stack(uv, axis=-1)


def crosses(street: Street, other: Street) -> bool:
    """Whether two streets meet.

    Args:
        street: one.
        other: another.
    """
    if street.axis == other.axis:
        return False
    reach = max(*street.side_m, *other.side_m) + 1.0
    return (
        other.start_m - reach < street.at_m < other.end_m + reach
        and street.start_m - reach < other.at_m < street.end_m + reach
    )


def crossing_m(other: Street, street: Street) -> tuple[float, float]:
    """From where to where along a street's axis another one lies across it.

    Args:
        other: the street that crosses.
        street: the street that is crossed.
    """
    right, left = other.side_m
    # a street along u has its left towards +v, one along v towards -u
    low, high = (right, left) if other.axis == "u" else (left, right)
    return max(other.at_m - low, street.start_m), min(other.at_m + high, street.end_m)
