"""A box for an object's points: behind its visible faces, or around the middle of what is there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.edge.lifting.clusters import middle_value
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import LiftedBox, Rung, ray_covariance_m2
from vedette.edge.lifting.placement import place
from vedette.edge.lifting.rectangle import extents, search_axis
from vedette.edge.lifting.view import DetectionView
from vedette.edge.tracking.heading import HeadingBelief, axis_gap
from vedette.edge.tracking.size import SizeBelief
from vedette.geometry import NDArrayFloat, NDArrayFloat32

_PULL_ANCHORED: Final = 0.3
_PULL_DIRECTED: Final = 0.3
_PULL_SEEN: Final = 0.1
_PULL_GUESSED: Final = 0.04
_SEEN_WEIGHT: Final = 1.0
_GUESS_SHARE: Final = 0.3
_SURE_WEIGHT: Final = 2.0
# a face longer than any vehicle is wide is its side
_SIDE_FROM_M: Final = 2.7
_KNOWN_AXIS_SHARE: Final = 0.15
_FULL_WEIGHT_POINTS: Final = 150
_ANCHORED_WEIGHT: Final = 0.08
_EXTENTS_RANGE_M: Final = 35.0
_CENTROID_DEPTH_SHARE: Final = 0.3
_CENTROID_SPREAD: Final = 0.25


def fit_rectangle(points_velo: NDArrayFloat32, ground: Ground, hint: LiftHint, view: DetectionView) -> LiftedBox:
    """Fit the heading to the outline seen from above, and place the box behind the visible faces.

    A found axis may be that of the length or that of the width. Where the outline does not tell, both boxes are placed
    and the one wins whose image agrees better with the detection; the axis that is known already counts too.

    Args:
        points_velo: ``(N,3)`` the object's points.
        ground: of the view.
        hint: what is known of it.
        view: its detection.
    """
    xy = points_velo[:, :2].astype(np.float64)
    expected = replace(hint, size=_observed_height(points_velo, ground, hint.size, view))
    side_yaw = search_axis(xy, hint.heading.yaw, _pull(hint))
    sides_m = extents(xy, side_yaw).size_m
    weight = min(1.0, len(xy) / _FULL_WEIGHT_POINTS)
    weight *= _ANCHORED_WEIGHT if hint.anchored else 1.0
    yaws = _length_yaws(sides_m, side_yaw, hint)
    fits = [_fitted(xy, hint.heading.observed_axis(yaw, weight), expected, view, ground) for yaw in yaws]
    return max(fits, key=lambda fit: fit.agreement).box(len(points_velo))


def _length_yaws(sides_m: NDArrayFloat, side_yaw: float, hint: LiftHint) -> list[float]:
    """Yaws that the length may have, given the sides of the outline along a found axis and across it."""
    along, across = side_yaw, side_yaw + math.pi / 2
    if hint.anchored or hint.heading.directed or hint.heading.weight > _SURE_WEIGHT:
        return [along if axis_gap(along, hint.heading.yaw) < math.pi / 4 else across]
    if sides_m.max() > _SIDE_FROM_M:
        return [along if sides_m[0] > sides_m[1] else across]
    return [along, across]


@dataclass(frozen=True)
class _Fit:
    """A placed box, and how well its image and its axis agree with what is known."""

    centre: NDArrayFloat
    bottom_z: float
    heading: HeadingBelief
    size: SizeBelief
    agreement: float

    def box(self, point_count: int) -> LiftedBox:
        range_m = math.hypot(*self.centre.tolist())
        covariance = ray_covariance_m2(self.centre, 0.2 + 0.006 * range_m, 0.12 + 0.004 * range_m)
        return LiftedBox(self.centre, self.bottom_z, covariance, self.heading, self.size, Rung.RECTANGLE, point_count)


def _fitted(xy: NDArrayFloat, heading: HeadingBelief, expected: LiftHint, view: DetectionView, ground: Ground) -> _Fit:
    """Place the box for one choice of its heading."""
    outline = extents(xy, heading.yaw)
    middle_x, middle_y = ((outline.low + outline.high) / 2 @ outline.axes).tolist()
    size = expected.size
    if math.hypot(middle_x, middle_y) < _EXTENTS_RANGE_M and not view.cut_aside:
        size = size.observed_extents(*outline.size_m.tolist())
    centre, overlap = place(
        outline,
        np.array([*size.size_m, heading.yaw]),
        ground.height_at(middle_x, middle_y),
        view.box_px,
        view.camera,
        cut_by_border=view.cut_aside and not expected.anchored,
        predicted_xy=expected.xy_velo,
    )
    known = min(1.0, max(expected.heading.weight, _GUESS_SHARE)) * math.cos(2 * (heading.yaw - expected.heading.yaw))
    bottom_z = ground.height_at(float(centre[0]), float(centre[1]))
    return _Fit(centre, bottom_z, heading, size, overlap + _KNOWN_AXIS_SHARE * known)


def _pull(hint: LiftHint) -> float:
    """How strongly the known axis counts against the outline."""
    if hint.anchored:
        return _PULL_ANCHORED
    if hint.heading.directed:
        return _PULL_DIRECTED
    return _PULL_SEEN if hint.heading.weight > _SEEN_WEIGHT else _PULL_GUESSED


def _observed_height(points_velo: NDArrayFloat32, ground: Ground, size: SizeBelief, view: DetectionView) -> SizeBelief:
    """Height over ground of the detection's upper edge, at the depth of the points.

    The upper edge is rarely hidden, and far away it is finer than the spacing of the sweep's lines.
    """
    if view.cut_above:
        return size
    top = view.point_velo(view.top_px, middle_value(points_velo[:, 0]))
    return size.observed_height(float(top[2]) - ground.height_at(float(top[0]), float(top[1])))


def fit_centroid(points_velo: NDArrayFloat32, ground: Ground, hint: LiftHint, view: DetectionView) -> LiftedBox:
    """Place a box of the known size and heading around the middle of the points.

    The points lie on the side that faces the sensor, so that the middle of the object is farther along the ray.

    Args:
        points_velo: ``(N,3)`` the object's points, N >= 1.
        ground: of the view.
        hint: what is known of it.
        view: its detection.
    """
    middle = np.array([middle_value(points_velo[:, 0]), middle_value(points_velo[:, 1])])
    range_m = max(math.hypot(*middle.tolist()), 1e-6)
    size = _observed_height(points_velo, ground, hint.size, view)
    ray = middle / range_m
    half_depth_m = _half_extent_along(ray, size.size_m, hint.heading.yaw)
    centre = middle + ray * _CENTROID_DEPTH_SHARE * half_depth_m
    bottom_z = ground.height_at(float(centre[0]), float(centre[1]))
    spread_m = _CENTROID_SPREAD * half_depth_m
    covariance = ray_covariance_m2(centre, 0.12 + spread_m, 0.08 + spread_m)
    return LiftedBox(centre, bottom_z, covariance, hint.heading, size, Rung.CENTROID, len(points_velo))


def _half_extent_along(ray: NDArrayFloat, size_m: NDArrayFloat, yaw: float) -> float:
    """Half of the rectangle's extent in the direction of a ray."""
    angle = float(np.arctan2(ray[1], ray[0])) - yaw
    along, across = abs(np.cos(angle)), abs(np.sin(angle))
    half: float = min(size_m[0] / 2 / max(along, 1e-6), size_m[1] / 2 / max(across, 1e-6))
    return half
