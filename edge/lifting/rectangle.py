"""The axis of a box-shaped object, from its outline seen from above.

A sweep hits the two faces that look at the sensor. For every candidate axis the points' distances to the two near
sides of the enclosing rectangle are taken; the axis wins for which most points hug a side (closeness, after Zhang, Xu,
Dong, Dolan, Efficient L-shape fitting for vehicle detection using laser scanners, IV 2017), with a penalty for area
and a pull towards the axis that is known already.

```
      ┌─────────┐
      │         ·   near sides carry the points
      │         ·
      └ · · · · ·
         sensor
```
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat32

_STEP_RAD: Final = math.radians(2.0)
_DIRECTIONS_RAD: Final = np.arange(90) * _STEP_RAD
_DIRECTIONS: Final = np.stack([np.cos(_DIRECTIONS_RAD), np.sin(_DIRECTIONS_RAD)], axis=1).astype(np.float32)
_QUARTER: Final = 45
_OUTLINE_POINTS: Final = 96
_NEAR_RANK: Final = 2
_SIDE_THICKNESS_M: Final = 0.08
_AREA_PENALTY: Final = 0.04
_FULL_TRUST_POINTS: Final = 60
_EXTENT_QUANTILE: Final = 0.015
_MIN_QUANTILE_POINTS: Final = 12


def search_axes(outlines: Sequence[NDArrayFloat32], known_yaws: Sequence[float], pulls: Sequence[float]) -> list[float]:
    """Find the yaws of the enclosing rectangles' sides, of many objects at once: calls cost more than the arithmetic.

    Args:
        outlines: ``(2,N) float32`` x and y of each object's points, metres, velo frame, N >= 1; the sensor is at the
            origin.
        known_yaws: expected axis of each, rad, modulo a quarter turn.
        pulls: how strongly to prefer it; 0 not at all, 0.3 against all but a clear outline.

    Returns:
        rad in [0, pi/2): a quarter turn cannot be told apart here.
    """
    thinned = np.stack([xy.take(np.arange(_OUTLINE_POINTS) * xy.shape[1] // _OUTLINE_POINTS, 1) for xy in outlines])
    along = _DIRECTIONS @ thinned
    along *= np.where(along.sum(axis=2, keepdims=True) < 0, np.float32(-1.0), np.float32(1.0))
    extent = np.maximum(np.ptp(along, axis=2), _SIDE_THICKNESS_M)
    # a stray point or two before the near side do not count
    along -= np.partition(along, _NEAR_RANK, axis=2)[:, :, _NEAR_RANK, None]
    np.abs(along, out=along)
    distance = np.minimum(along[:, :_QUARTER], along[:, _QUARTER:])
    closeness = (_SIDE_THICKNESS_M / np.maximum(distance, _SIDE_THICKNESS_M)).mean(axis=2)
    area = extent[:, :_QUARTER] * extent[:, _QUARTER:]
    trust = np.minimum([xy.shape[1] / _FULL_TRUST_POINTS for xy in outlines], 1.0)
    expected = np.cos(4 * np.subtract.outer(known_yaws, _DIRECTIONS_RAD[:_QUARTER]))
    score = trust[:, None] * (closeness - _AREA_PENALTY * area / area.min(axis=1, keepdims=True))
    score += np.multiply(expected, np.reshape(pulls, (-1, 1)))
    return [_refined(row) for row in score.tolist()]


def _refined(score: list[float]) -> float:
    """The angle of the top of a parabola through the best step and its neighbours; steps are cyclic."""
    top = max(score)
    best = score.index(top)
    before, after = score[best - 1], score[(best + 1) % _QUARTER]
    curvature = before - 2 * top + after
    shift = 0.5 * (before - after) / curvature if curvature < 0 else 0.0
    return (best + shift) * _STEP_RAD % (math.pi / 2)


@dataclass(frozen=True)
class Extents:
    """Outline of points along the axes of a box.

    Args:
        yaw: of the box's length.
        low_m: lower ends along the length and across it, metres from the sensor.
        high_m: upper ends.
    """

    yaw: float
    low_m: tuple[float, float]
    high_m: tuple[float, float]

    @property
    def size_m(self) -> tuple[float, float]:
        """Extent along and across."""
        return self.high_m[0] - self.low_m[0], self.high_m[1] - self.low_m[1]

    @property
    def middle_m(self) -> tuple[float, float]:
        """Middle along and across, metres from the sensor."""
        return (self.low_m[0] + self.high_m[0]) / 2, (self.low_m[1] + self.high_m[1]) / 2

    def xy_velo(self, along_m: float, across_m: float) -> tuple[float, float]:
        """A place given along the axes, in the velo frame."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return along_m * cos - across_m * sin, along_m * sin + across_m * cos


def extents(xy: NDArrayFloat32, yaw: float) -> Extents:
    """Measure the outline of points; with enough of them stray ones are left out.

    Args:
        xy: ``(2,N)`` metres, velo frame, N >= 1.
        yaw: of the length axis, rad.
    """
    cos, sin = math.cos(yaw), math.sin(yaw)
    x, y = xy
    along, across = x * cos + y * sin, y * cos - x * sin
    along.sort()
    across.sort()
    cut = round(_EXTENT_QUANTILE * len(x)) if len(x) > _MIN_QUANTILE_POINTS else 0
    low, high = (along.item(cut), across.item(cut)), (along.item(-1 - cut), across.item(-1 - cut))
    return Extents(yaw, low, high)
