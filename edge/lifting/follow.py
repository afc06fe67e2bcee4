"""Where an object went that the image does not show: its points in the sweep, near the place it is expected at.

The 2D detector misses what a 3D detector has found: small, dark, half hidden. The sweep still shows it, and once an
answer has told size and heading, its points alone tell how it moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.edge.lifting.clusters import groups
from vedette.edge.lifting.hint import LiftHint
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt

_MARGIN_M: Final = 0.3
_REACH_SIGMAS: Final = 2.0
_MAX_REACH_M: Final = 4.0
_BESIDE_M: Final = 2.0
_MIN_SHARE: Final = 0.7
_MIN_POINTS: Final = 5
_NEAR_M: Final = 1.0


@dataclass(frozen=True)
class Expected:
    """An object that no detection shows, and where it should be.

    Args:
        hint: what is known of it, its place included.
        xy_velo: ``(2,)`` expected centre.
        covariance_m2: ``(2,2)`` of that, velo frame: long in the direction of an unknown speed.
    """

    hint: LiftHint
    xy_velo: NDArrayFloat
    covariance_m2: NDArrayFloat


def followed_points(expected: Expected, xyz_velo: NDArrayFloat32, free: NDArrayBool) -> NDArrayInt:
    """The points of an object that no detection shows.

    Args:
        expected: what to look for.
        xyz_velo: ``(3,M) float32`` points above the ground.
        free: ``(M,) bool`` those that no other object owns.

    Returns:
        Their indices; empty when there are too few to tell.
    """
    # one cheap look at all points leaves few for the exact one
    about = np.flatnonzero((np.abs(xyz_velo[0] - np.float32(expected.xy_velo[0])) < _farthest_m(expected)) & free)
    near = about.compress(_in_reach(expected, xyz_velo.take(about, axis=1), _BESIDE_M))
    if len(near) < _MIN_POINTS:
        return near[:0]
    near_velo = xyz_velo.take(near, axis=1)
    inside = _in_reach(expected, near_velo, _MARGIN_M)
    labels = groups(near_velo[:2])
    count, held = np.bincount(labels), np.bincount(labels, inside)
    middles = np.stack([np.bincount(labels, row) / count for row in near_velo[:2]], axis=1)
    likely = np.where(held > _MIN_SHARE * count, held, 0.0) * _nearness(expected, middles)
    chosen = inside & _of_one(middles, likely, expected.hint).take(labels)
    return near.compress(chosen) if np.count_nonzero(chosen) >= _MIN_POINTS else near[:0]


def _of_one(middles: NDArrayFloat, likely: NDArrayFloat, hint: LiftHint) -> NDArrayBool:
    """``(G,)`` the likeliest group of points, and what is near enough to belong to it: few lines meet a far car."""
    best = int(np.argmax(likely))
    length_m, width_m, _ = hint.size.size_m.tolist()
    offset = middles - middles[best]
    near: NDArrayBool = np.hypot(offset[:, 0], offset[:, 1]) < math.hypot(length_m, width_m) / 2
    return near & (likely > 0)


def _farthest_m(expected: Expected) -> float:
    """No point in reach is farther from the expected centre, along any axis."""
    length_m, width_m, _ = expected.hint.size.size_m.tolist()
    return math.sqrt(2) * (math.hypot(length_m, width_m) / 2 + _BESIDE_M + _MAX_REACH_M)


def _in_reach(expected: Expected, xyz_velo: NDArrayFloat32, margin_m: float) -> NDArrayBool:
    """Points in the box wherever it may be: swept along the direction of which least is known."""
    spreads_m2, axes = np.linalg.eigh(expected.covariance_m2)
    reach_m = np.minimum(_REACH_SIGMAS * np.sqrt(spreads_m2), _MAX_REACH_M)
    length_m, width_m, _ = expected.hint.size.size_m.tolist()
    yaw = expected.hint.heading.yaw
    x, y = xyz_velo[0] - np.float32(expected.xy_velo[0]), xyz_velo[1] - np.float32(expected.xy_velo[1])
    inside = np.ones(len(x), np.bool_)
    for axis in range(2):
        cos, sin = axes[0, axis], axes[1, axis]
        turn = math.atan2(sin, cos) - yaw
        half_m = (length_m * abs(math.cos(turn)) + width_m * abs(math.sin(turn))) / 2
        inside &= np.abs(x * np.float32(cos) + y * np.float32(sin)) < half_m + margin_m + reach_m[axis]
    return inside


def _nearness(expected: Expected, middles: NDArrayFloat) -> NDArrayFloat:
    """How near to the place the middle of each group of points is, 0 to 1."""
    offset = middles - expected.xy_velo
    spread = expected.covariance_m2 + _NEAR_M**2 * np.eye(2)
    nearness: NDArrayFloat = np.exp(-0.5 * np.einsum("gi,ij,gj->g", offset, np.linalg.inv(spread), offset))
    return nearness
