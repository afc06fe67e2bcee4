"""A box for an object's points: behind its visible faces, or around the middle of what is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from vedette.edge.lifting.clusters import middle_value
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import LiftedBox, Rung, ray_covariance_m2
from vedette.edge.lifting.placement import Placed, Stand, place
from vedette.edge.lifting.rectangle import extents, search_axes
from vedette.edge.lifting.view import DetectionView
from vedette.edge.tracking.heading import HeadingBelief, axis_gap
from vedette.edge.tracking.size import SizeBelief
from vedette.geometry import NDArrayFloat, NDArrayFloat32, PinholeCamera

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
_CUT_LENGTH_SIGMA_M: Final = 1.0
_CENTROID_DEPTH_SHARE: Final = 0.3
_CENTROID_SPREAD: Final = 0.25


@dataclass(frozen=True)
class Sighting:
    """What one detection shows of its object, and what was known before.

    Args:
        xyz_velo: ``(3,N) float32`` the object's points.
        hint: what is known of it.
        view: its detection.
    """

    xyz_velo: NDArrayFloat32
    hint: LiftHint
    view: DetectionView


def fit_rectangles(sightings: Sequence[Sighting], ground: Ground, camera: PinholeCamera) -> list[LiftedBox]:
    """Fit headings to the outlines seen from above, and place the boxes behind the visible faces.

    A found axis may be that of the length or that of the width. Where the outline does not tell, both boxes are placed
    and the one wins whose image agrees better with the detection; the axis that is known already counts too.

    Args:
        sightings: with enough points for an outline, of one image.
        ground: of the view.
        camera: that took the image.

    Returns:
        Parallel to the sightings.
    """
    if not sightings:
        return []
    hints = [sighting.hint for sighting in sightings]
    side_yaws = search_axes(
        [sighting.xyz_velo[:2] for sighting in sightings],
        [hint.heading.yaw for hint in hints],
        [_pull(hint) for hint in hints],
    )
    rivals = [_rivals(sighting, yaw, ground) for sighting, yaw in zip(sightings, side_yaws, strict=True)]
    placed = iter(place([rival.stand for group in rivals for rival in group], camera))
    return [
        _surest(sighting, group, list(islice(placed, len(group))), ground)
        for sighting, group in zip(sightings, rivals, strict=True)
    ]


@dataclass(frozen=True)
class _Rival:
    """One of the boxes that may explain an object's points, and how well its axis agrees with what is known."""

    heading: HeadingBelief
    size: SizeBelief
    stand: Stand
    axis_agreement: float


def _surest(sighting: Sighting, rivals: Sequence[_Rival], placed: Sequence[Placed], ground: Ground) -> LiftedBox:
    """The rival that agrees best, as a box."""
    rival, best = max(zip(rivals, placed, strict=True), key=lambda pair: pair[0].axis_agreement + pair[1].agreement)
    range_m = math.hypot(*best.xy_velo)
    centre, bottom_z = np.array(best.xy_velo), ground.height_at(*best.xy_velo)
    covariance = ray_covariance_m2(centre, 0.2 + 0.006 * range_m, 0.12 + 0.004 * range_m)
    if sighting.view.cut_aside:
        # how far it reaches out of the image is a guess, and one that the next frame may see to be wrong
        axis = np.array([math.cos(rival.heading.yaw), math.sin(rival.heading.yaw)])
        covariance += _CUT_LENGTH_SIGMA_M**2 * np.outer(axis, axis)
    point_count = sighting.xyz_velo.shape[1]
    return LiftedBox(centre, bottom_z, covariance, rival.heading, rival.size, Rung.RECTANGLE, point_count)


def _rivals(sighting: Sighting, side_yaw: float, ground: Ground) -> list[_Rival]:
    """The boxes to choose from, given the axis of a side."""
    hint, xy = sighting.hint, sighting.xyz_velo[:2]
    size = _observed_height(sighting, ground)
    weight = min(1.0, xy.shape[1] / _FULL_WEIGHT_POINTS) * (_ANCHORED_WEIGHT if hint.anchored else 1.0)
    headings = [hint.heading.observed_axis(yaw, weight) for yaw in _length_yaws(xy, side_yaw, hint)]
    return [_rival(sighting, heading, size, ground) for heading in headings]


def _length_yaws(xy: NDArrayFloat32, side_yaw: float, hint: LiftHint) -> list[float]:
    """Yaws that the length may have, given the axis of a side."""
    along, across = side_yaw, side_yaw + math.pi / 2
    if hint.anchored or hint.heading.directed or hint.heading.weight > _SURE_WEIGHT:
        return [along if axis_gap(along, hint.heading.yaw) < math.pi / 4 else across]
    side_m, other_side_m = extents(xy, side_yaw).size_m
    if max(side_m, other_side_m) > _SIDE_FROM_M:
        return [along if side_m > other_side_m else across]
    return [along, across]


def _rival(sighting: Sighting, heading: HeadingBelief, size: SizeBelief, ground: Ground) -> _Rival:
    """The box of one heading, to be placed."""
    hint, view = sighting.hint, sighting.view
    outline = extents(sighting.xyz_velo[:2], heading.yaw)
    middle = outline.xy_velo(*outline.middle_m)
    if math.hypot(*middle) < _EXTENTS_RANGE_M and not view.cut_aside:
        size = size.observed_extents(*outline.size_m)
    length_m, width_m, height_m = size.size_m.tolist()
    cut = view.cut_aside and not hint.anchored
    stand = Stand(outline, (length_m, width_m, height_m), ground.height_at(*middle), view.box_px, cut, hint.xy_velo)
    known = min(1.0, max(hint.heading.weight, _GUESS_SHARE)) * math.cos(2 * (heading.yaw - hint.heading.yaw))
    return _Rival(heading, size, stand, _KNOWN_AXIS_SHARE * known)


def _pull(hint: LiftHint) -> float:
    """How strongly the known axis counts against the outline."""
    if hint.anchored:
        return _PULL_ANCHORED
    if hint.heading.directed:
        return _PULL_DIRECTED
    return _PULL_SEEN if hint.heading.weight > _SEEN_WEIGHT else _PULL_GUESSED


def _observed_height(sighting: Sighting, ground: Ground) -> SizeBelief:
    """Height over ground of the detection's upper edge, at the depth of the points.

    The upper edge is rarely hidden, and far away it is finer than the spacing of the sweep's lines.
    """
    size, view = sighting.hint.size, sighting.view
    if view.cut_above:
        return size
    x, y, z = view.point_velo(view.top_px, middle_value(sighting.xyz_velo[0])).tolist()
    return size.observed_height(z - ground.height_at(x, y))


def fit_centroid(sighting: Sighting, ground: Ground) -> LiftedBox:
    """Place a box of the known size and heading around the middle of the points.

    The points lie on the side that faces the sensor, so that the middle of the object is farther along the ray.

    Args:
        sighting: with a point at least.
        ground: of the view.
    """
    x, y = middle_value(sighting.xyz_velo[0]), middle_value(sighting.xyz_velo[1])
    heading, size = sighting.hint.heading, _observed_height(sighting, ground)
    half_depth_m = _half_extent_along(math.atan2(y, x) - heading.yaw, size.size_m)
    farther = 1 + _CENTROID_DEPTH_SHARE * half_depth_m / max(math.hypot(x, y), 1e-6)
    centre = np.array([x * farther, y * farther])
    bottom_z = ground.height_at(x * farther, y * farther)
    spread_m = _CENTROID_SPREAD * half_depth_m
    covariance = ray_covariance_m2(centre, 0.12 + spread_m, 0.08 + spread_m)
    return LiftedBox(centre, bottom_z, covariance, heading, size, Rung.CENTROID, sighting.xyz_velo.shape[1])


def _half_extent_along(angle: float, size_m: NDArrayFloat) -> float:
    """Half of the rectangle's extent in a direction, given as angle to its length."""
    length_m, width_m, _ = size_m.tolist()
    half: float = min(length_m / 2 / max(abs(math.cos(angle)), 1e-6), width_m / 2 / max(abs(math.sin(angle)), 1e-6))
    return half
