"""Where a box of known axes stands and how large it is, from the outline of its points and its edges in the image.

Given the axes, all that is seen is linear in the box's centre (a, b) along them and in its length and width: the ends
of the points' outline, the rays through the left and right edge of the detection, and what was known of the size. So it
is one small system of weighted least squares for each box, and many are solved in one call.

```
                 far end: the box reaches at least here
        ┌───────────────┐
        │      a,b      │     ray of the right edge: touches a corner
        │               │   .
        └───────────────┘ .
     near end: a face   .
                      sensor
```

An end of the outline is a bound before it is a measurement: a box does not stop short of its points. How far it may
reach beyond them depends on the end: hardly where the sensor looks at the face, farther on the side turned away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat

_STEPS: Final = 5
# where the sensor looks at a face, its points lie on it; with few of them the outermost is somewhat inside
_FACE_SIGMA_M: Final = 0.05
_SPARSE_SIGMA_M: Final = 0.2
# ends of which the sensor sees no face tell nothing but that the box reaches there
_OPEN_SIGMA_M: Final = 10.0
# near ends, then far ends: what lies beyond may be of what is seen through the object or behind it
_STICK_OUT_SIGMA_M: Final = np.array([0.05, 0.05, 0.15, 0.15])
# a post may stand before a face, but a long car is no doubtful one
_STICK_OUT_DOUBT: Final = np.array([0.5, 0.5, 0.0, 0.0])
# at first a face is not trusted: its near part may be hidden, and then edges and size know better
_FIRST_SIGMA_M: Final = 0.4
_DOUBT_SIGMAS: Final = 2.0
_HIDDEN_COST: Final = 6.0
_STICK_OUT_COST: Final = 36.0
# the sensor must be beyond a face by this much, and by this share of the range, to see it
_FACE_BEYOND_M: Final = 0.3
_FACE_BEYOND_SHARE: Final = 0.06
_FACE_FROM_M: Final = 0.5
_ON_FACE_M: Final = 0.2


@dataclass(frozen=True)
class Outlines:
    """What is seen of M boxes whose axes are given.

    Args:
        yaws: ``(M,)`` of the lengths, rad, velo frame.
        low_m: ``(M,2)`` lower ends of the points along the length and across it, metres from the sensor.
        high_m: ``(M,2)`` upper ends.
        points: ``(M,)`` how many there are.
        size_m: ``(M,2)`` expected length and width.
        size_sigma_m: ``(M,2)`` spread of that.
        edge_normals: ``(M,2,2)`` of the rays through the left and the right edge, horizontal, out of the object.
        edge_reach_m: ``(M,2)`` how far along these normals the object reaches.
        edge_sigma_m: ``(M,2)`` spread of that.
    """

    yaws: NDArrayFloat
    low_m: NDArrayFloat
    high_m: NDArrayFloat
    points: NDArrayFloat
    size_m: NDArrayFloat
    size_sigma_m: NDArrayFloat
    edge_normals: NDArrayFloat
    edge_reach_m: NDArrayFloat
    edge_sigma_m: NDArrayFloat


@dataclass(frozen=True)
class Solved:
    """The boxes seen from above.

    Args:
        xy_velo: ``(M,2)`` centres.
        size_m: ``(M,2)`` length and width.
        covariance_m2: ``(M,4,4)`` of the centre along the length and across it, of length and of width.
        cost: ``(M,)`` sum of the squared errors, each in units of its spread; compares explanations of one object.
        seen: ``(M,2) bool`` whether the sensor looks at an end, front or rear, and at a side, and points lie on it.
    """

    xy_velo: NDArrayFloat
    size_m: NDArrayFloat
    covariance_m2: NDArrayFloat
    cost: NDArrayFloat
    seen: NDArrayBool


def solve(seen: Outlines) -> Solved:
    """Find the boxes.

    A few steps of iteratively reweighted least squares: a clue that does not fit is doubted the more, the less it does
    (weights of a Cauchy distribution), for an end may be hidden and an edge may be a neighbour's.

    Args:
        seen: what is seen of them.
    """
    cos, sin = np.cos(seen.yaws), np.sin(seen.yaws)
    axes = np.stack([cos, sin, -sin, cos], axis=1).reshape(-1, 2, 2)
    side = np.where(seen.low_m + seen.high_m > 0, 1.0, -1.0)
    near, far = np.where(side > 0, seen.low_m, seen.high_m), np.where(side > 0, seen.high_m, seen.low_m)
    range_m = np.hypot(near[:, 0], near[:, 1])[:, None]
    faces = near * side > np.maximum(_FACE_BEYOND_M, _FACE_BEYOND_SHARE * range_m)
    rows, values = _equations(seen, axes, side, np.concatenate([near, far], axis=1))
    sigmas = np.concatenate([_end_sigmas(seen, faces), seen.edge_sigma_m, seen.size_sigma_m], axis=1)
    inward = np.concatenate([side, -side], axis=1)
    used = np.concatenate([np.maximum(sigmas[:, :2], _FIRST_SIGMA_M), sigmas[:, 2:]], axis=1)
    for _ in range(_STEPS):
        weighted = rows / used[..., None] ** 2
        normal = np.swapaxes(weighted, 1, 2) @ rows
        unknown = np.linalg.solve(normal, (values[:, None] @ weighted).swapaxes(1, 2))[..., 0]
        error = (rows @ unknown[..., None])[..., 0] - values
        sticks_out = error[:, :4] * inward > 0
        used[:, :6] = np.hypot(sigmas[:, :6], error[:, :6] / _DOUBT_SIGMAS)
        outside = np.hypot(_STICK_OUT_SIGMA_M, error[:, :4] * _STICK_OUT_DOUBT)
        used[:, :4] = np.where(sticks_out, outside, used[:, :4])
    spread = (seen.high_m - seen.low_m)[:, ::-1] > _FACE_FROM_M
    on_face = faces & spread & (np.abs(error[:, :2]) < _ON_FACE_M)
    return Solved(
        (unknown[:, None, :2] @ axes)[:, 0],
        unknown[:, 2:],
        np.linalg.inv(normal),
        _costs(error, sigmas, sticks_out),
        on_face,
    )


def _equations(
    seen: Outlines, axes: NDArrayFloat, side: NDArrayFloat, ends: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayFloat]:
    """``(M,8,4)`` coefficients and ``(M,8)`` right hand sides: near ends, far ends, edges, length and width."""
    rows = np.zeros((len(side), 8, 4))
    for axis in range(2):
        rows[:, [axis, axis + 2], axis] = 1.0
        rows[:, axis, axis + 2], rows[:, axis + 2, axis + 2] = -side[:, axis] / 2, side[:, axis] / 2
        rows[:, axis + 6, axis + 2] = 1.0
    along = seen.edge_normals @ axes.swapaxes(1, 2)
    rows[:, 4:6, :2], rows[:, 4:6, 2:] = along, np.abs(along) / 2
    return rows, np.concatenate([ends, seen.edge_reach_m, seen.size_m], axis=1)


def _end_sigmas(seen: Outlines, faces: NDArrayBool) -> NDArrayFloat:
    """``(M,4)`` how far the box may reach beyond the ends of its points: near ends, then far ends."""
    face_sigma_m = _FACE_SIGMA_M + _SPARSE_SIGMA_M / np.sqrt(seen.points)[:, None]
    near = np.where(faces, face_sigma_m, _OPEN_SIGMA_M)
    return np.concatenate([near, np.full(faces.shape, _OPEN_SIGMA_M)], axis=1)


def _costs(error: NDArrayFloat, sigmas: NDArrayFloat, sticks_out: NDArrayBool) -> NDArrayFloat:
    """``(M,)`` what speaks against each box; how wrong a single doubtful clue is hardly matters."""
    squares = (error / sigmas) ** 2
    ends, edges, sizes = squares[:, :4], squares[:, 4:6], squares[:, 6:]
    outside = np.minimum((error[:, :4] / _STICK_OUT_SIGMA_M) ** 2, _STICK_OUT_COST)
    ends = np.where(sticks_out, outside, ends / (1 + ends / _HIDDEN_COST))
    edges = _DOUBT_SIGMAS**2 * np.log1p(edges / _DOUBT_SIGMAS**2)
    cost: NDArrayFloat = ends.sum(axis=1) + edges.sum(axis=1) + sizes.sum(axis=1)
    return cost
