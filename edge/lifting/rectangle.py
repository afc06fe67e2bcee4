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

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat

_STEP_RAD: Final = float(np.deg2rad(2.0))
_DIRECTIONS_RAD: Final = np.arange(90) * _STEP_RAD
_DIRECTIONS: Final = np.stack([np.cos(_DIRECTIONS_RAD), np.sin(_DIRECTIONS_RAD)], axis=1)
_QUARTER: Final = 45
_MAX_POINTS: Final = 120
_NEAR_QUANTILE: Final = 0.03
_SIDE_THICKNESS_M: Final = 0.08
_AREA_PENALTY: Final = 0.04
_FULL_TRUST_POINTS: Final = 60
_EXTENT_QUANTILE: Final = 0.015
_MIN_QUANTILE_POINTS: Final = 12


def search_axis(xy: NDArrayFloat, known_yaw: float, pull: float) -> float:
    """Find the yaw of the enclosing rectangle's sides.

    Args:
        xy: ``(N,2)`` metres, velo frame, N >= 1; the sensor is at the origin.
        known_yaw: expected axis, rad, modulo a quarter turn.
        pull: how strongly to prefer it; 0 not at all, 0.3 against all but a clear outline.

    Returns:
        rad in [0, pi/2): a quarter turn cannot be told apart here.
    """
    outline = xy[:: len(xy) // _MAX_POINTS + 1]
    along = _DIRECTIONS @ outline.T
    along *= np.where(_DIRECTIONS @ outline.sum(axis=0) < 0, -1.0, 1.0)[:, None]
    rank = int(_NEAR_QUANTILE * len(outline))
    near = np.partition(along, rank, axis=1)[:, rank, None]
    extent = np.maximum(along.max(axis=1) - along.min(axis=1), _SIDE_THICKNESS_M)
    to_near_side = np.abs(along - near)
    distance = np.minimum(to_near_side[:_QUARTER], to_near_side[_QUARTER:])
    closeness = (_SIDE_THICKNESS_M / np.maximum(distance, _SIDE_THICKNESS_M)).sum(axis=1) / len(outline)
    area = extent[:_QUARTER] * extent[_QUARTER:]
    trust = min(1.0, len(xy) / _FULL_TRUST_POINTS)
    expected = np.cos(4 * (_DIRECTIONS_RAD[:_QUARTER] - known_yaw))
    score = trust * (closeness - _AREA_PENALTY * area / area.min()) + pull * expected
    return _refined(score)


def _refined(score: NDArrayFloat) -> float:
    """The angle of the top of a parabola through the best step and its neighbours; steps are cyclic."""
    best = int(np.argmax(score))
    before, top, after = score[best - 1], score[best], score[(best + 1) % _QUARTER]
    curvature = before - 2 * top + after
    shift = 0.5 * (before - after) / curvature if curvature < 0 else 0.0
    return float((best + shift) * _STEP_RAD % (np.pi / 2))


@dataclass(frozen=True)
class Extents:
    """Outline of points along the axes of a box.

    Args:
        axes: ``(2,2)`` unit vectors as rows: along the length, across it.
        low: ``(2,)`` lower ends along the axes, metres from the sensor.
        high: ``(2,)`` upper ends.
    """

    axes: NDArrayFloat
    low: NDArrayFloat
    high: NDArrayFloat

    @property
    def size_m(self) -> NDArrayFloat:
        """``(2,)`` extent along and across."""
        return self.high - self.low


def extents(xy: NDArrayFloat, yaw: float) -> Extents:
    """Measure the outline of points; with enough of them stray ones are left out.

    Args:
        xy: ``(N,2)`` metres, velo frame, N >= 1.
        yaw: of the length axis, rad.
    """
    cos, sin = float(np.cos(yaw)), float(np.sin(yaw))
    axes = np.array([[cos, sin], [-sin, cos]])
    ordered = np.sort(xy @ axes.T, axis=0)
    cut = round(_EXTENT_QUANTILE * len(xy)) if len(xy) > _MIN_QUANTILE_POINTS else 0
    return Extents(axes, ordered[cut], ordered[-1 - cut])
