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
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32

_STEP_RAD: Final = math.radians(2.0)
_DIRECTIONS_RAD: Final = np.arange(90) * _STEP_RAD
_DIRECTIONS: Final = np.stack([np.cos(_DIRECTIONS_RAD), np.sin(_DIRECTIONS_RAD)], axis=1).astype(np.float32)
_QUARTER: Final = 45
OUTLINE_POINTS: Final = 96
_NEAR_RANK: Final = 2
_SIDE_THICKNESS_M: Final = 0.08
_AREA_PENALTY: Final = 0.04
_FULL_TRUST_POINTS: Final = 60
_END_RANK: Final = 1
_MIN_QUANTILE_POINTS: Final = 12


def thinned(outlines: Sequence[NDArrayFloat32]) -> NDArrayFloat32:
    """The same number of points of many objects, so that they can be searched in one call.

    Args:
        outlines: ``(2,N) float32`` x and y of each object's points, N >= 1.

    Returns:
        ``(objects, 2, 96)``, evenly chosen in their order; points of those that have fewer come more than once.
    """
    return np.stack([xy.take(np.arange(OUTLINE_POINTS) * xy.shape[1] // OUTLINE_POINTS, 1) for xy in outlines])


def search_axes(
    outlines: NDArrayFloat32, counts: NDArrayFloat, known_yaws: Sequence[float], pulls: Sequence[float]
) -> list[float]:
    """Find the yaws of the enclosing rectangles' sides, of many objects at once: calls cost more than the arithmetic.

    Args:
        outlines: ``(N,2,K) float32`` x and y of each object's points, metres, velo frame; the sensor is at the origin.
        counts: ``(N,)`` how many points each object has in truth.
        known_yaws: expected axis of each, rad, modulo a quarter turn.
        pulls: how strongly to prefer it; 0 not at all, 0.3 against all but a clear outline.

    Returns:
        rad in [0, pi/2): a quarter turn cannot be told apart here.
    """
    along = _DIRECTIONS @ outlines
    along *= np.where(along.sum(axis=2, keepdims=True) < 0, np.float32(-1.0), np.float32(1.0))
    # all in order takes a third of the time of the least, the greatest and a partition
    ordered = np.sort(along, axis=2)
    extent = np.maximum(ordered[:, :, -1] - ordered[:, :, 0], _SIDE_THICKNESS_M)
    # a stray point or two before the near side do not count
    along -= ordered[:, :, _NEAR_RANK, None]
    np.abs(along, out=along)
    distance = np.minimum(along[:, :_QUARTER], along[:, _QUARTER:])
    closeness = (_SIDE_THICKNESS_M / np.maximum(distance, _SIDE_THICKNESS_M)).mean(axis=2)
    area = extent[:, :_QUARTER] * extent[:, _QUARTER:]
    trust = np.minimum(counts / _FULL_TRUST_POINTS, 1.0)
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


def outline_ends(
    outlines: NDArrayFloat32, yaws: NDArrayFloat, counts: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Ends of outlines along the axes of boxes; of enough points stray ones are left out.

    Args:
        outlines: ``(M,2,K) float32`` x and y, metres, velo frame.
        yaws: ``(M,)`` of the lengths, rad.
        counts: ``(M,)`` how many points each object has in truth.

    Returns:
        ``(M,2)`` lower and ``(M,2)`` upper ends along the length and across it, metres from the sensor.
    """
    cos, sin = np.cos(yaws), np.sin(yaws)
    turns = np.stack([cos, sin, -sin, cos], axis=1).reshape(-1, 2, 2).astype(np.float32)
    ordered = np.sort(turns @ outlines, axis=2).astype(np.float64)
    few = (counts <= _MIN_QUANTILE_POINTS)[:, None]
    low_m = np.where(few, ordered[:, :, 0], ordered[:, :, _END_RANK])
    high_m = np.where(few, ordered[:, :, -1], ordered[:, :, -1 - _END_RANK])
    return low_m, high_m
