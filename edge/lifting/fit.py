"""A box for an object's points: behind its visible faces, or around the middle of what is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.edge.lifting.clusters import middle_value
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import LiftedBox, Rung, ray_covariance_m2
from vedette.edge.lifting.rectangle import OUTLINE_POINTS, outline_ends, search_axes, thinned
from vedette.edge.lifting.solve import Outlines, Solved, solve
from vedette.edge.lifting.view import DetectionView, side_rays
from vedette.edge.tracking.heading import HeadingBelief, axis_gap
from vedette.edge.tracking.size import SizeBelief
from vedette.geometry import NDArrayFloat, NDArrayFloat32

_PULL_ANCHORED: Final = 0.3
_PULL_DIRECTED: Final = 0.3
_PULL_SEEN: Final = 0.1
_PULL_GUESSED: Final = 0.04
_SEEN_WEIGHT: Final = 1.0
_QUARTER_TURN_COST: Final = 1.0
_DIRECTED_COST: Final = 12.0
_FULL_WEIGHT_POINTS: Final = 150
_ANCHORED_WEIGHT: Final = 0.08
_TURNED_WEIGHT: Final = 0.3
_PLACE_SIGMA_M: Final = 0.05
_PLACE_SIGMA_SHARE: Final = 0.003
_MIDDLE: Final = OUTLINE_POINTS // 2
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


@dataclass(frozen=True)
class _Rival:
    """One explanation of a sighting: which way the object points, and what speaks against it beforehand."""

    row: int
    heading: HeadingBelief
    size: SizeBelief
    cost: float


def fit_rectangles(sightings: Sequence[Sighting], ground: Ground) -> list[LiftedBox]:
    """Fit headings to the outlines seen from above, and place the boxes behind the visible faces.

    A found axis may be that of the length or that of the width. Both are tried, and the one wins that agrees better
    with what is seen and with what was known of size and heading.

    Args:
        sightings: with enough points for an outline, of one image.
        ground: of the view.

    Returns:
        Parallel to the sightings.
    """
    if not sightings:
        return []
    hints = [sighting.hint for sighting in sightings]
    outlines = thinned([sighting.xyz_velo[:2] for sighting in sightings])
    counts = np.array([sighting.xyz_velo.shape[1] for sighting in sightings], np.float64)
    yaws = search_axes(outlines, counts, [hint.heading.yaw for hint in hints], [_pull(hint) for hint in hints])
    middles = np.partition(outlines, _MIDDLE, axis=2)[:, :, _MIDDLE]
    sizes = _with_heights(sightings, middles[:, 0].astype(np.float64), ground)
    rivals = [
        rival for row, sighting in enumerate(sightings) for rival in _rivals(row, sighting, sizes[row], yaws[row])
    ]
    solved = solve(_outlines(sightings, rivals, outlines, middles, ground))
    return _boxes(sightings, rivals, solved, ground)


def _rivals(row: int, sighting: Sighting, size: SizeBelief, side_yaw: float) -> list[_Rival]:
    """The explanations to choose from, given the axis of a side."""
    hint = sighting.hint
    weight = min(1.0, sighting.xyz_velo.shape[1] / _FULL_WEIGHT_POINTS) * (_ANCHORED_WEIGHT if hint.anchored else 1.0)
    across_yaw = side_yaw + math.pi / 2
    known = axis_gap(side_yaw, hint.heading.yaw) < math.pi / 4
    along, turned = (side_yaw, across_yaw) if known else (across_yaw, side_yaw)
    kept = _Rival(row, hint.heading.observed_axis(along, weight), size, size.strangeness)
    if hint.anchored:
        return [kept]
    cost = _DIRECTED_COST if hint.heading.directed else _QUARTER_TURN_COST * hint.heading.weight
    return [kept, _Rival(row, HeadingBelief(turned, _TURNED_WEIGHT * weight), size.without_plan(), cost)]


def _outlines(
    sightings: Sequence[Sighting],
    rivals: Sequence[_Rival],
    outlines: NDArrayFloat32,
    middles: NDArrayFloat32,
    ground: Ground,
) -> Outlines:
    """What is seen, once for each rival."""
    rows = np.array([rival.row for rival in rivals])
    yaws = np.array([rival.heading.yaw for rival in rivals])
    counts = np.array([sighting.xyz_velo.shape[1] for sighting in sightings], np.float64).take(rows)
    low_m, high_m = outline_ends(outlines.take(rows, axis=0), yaws, counts)
    plans = np.array([rival.size.plan for rival in rivals])
    half_m = np.array([sighting.hint.size.size_m.item(2) / 2 for sighting in sightings])
    x, y = middles.T
    edges = side_rays([sighting.view for sighting in sightings], ground.height_m(x, y) + half_m, x.astype(np.float64))
    normals, reach_m, sigma_m = (part.take(rows, axis=0) for part in edges)
    return Outlines(yaws, low_m, high_m, counts, plans[..., 0], plans[..., 1], normals, reach_m, sigma_m)


def _boxes(sightings: Sequence[Sighting], rivals: Sequence[_Rival], solved: Solved, ground: Ground) -> list[LiftedBox]:
    """The box of the likeliest rival of each sighting."""
    costs = (solved.cost + [rival.cost for rival in rivals]).tolist()
    best: dict[int, int] = {}
    for index, rival in enumerate(rivals):
        if rival.row not in best or costs[index] < costs[best[rival.row]]:
            best[rival.row] = index
    xy = solved.xy_velo.astype(np.float32)
    bottoms_z = ground.height_m(xy[:, 0], xy[:, 1]).tolist()
    covariances, sizes_m = _place_covariances(rivals, solved), solved.size_m.tolist()
    spreads_m = np.sqrt(solved.covariance_m2[:, [2, 3], [2, 3]]).tolist()
    two_faces = solved.seen[:, 0] & solved.seen[:, 1]
    return [
        LiftedBox(
            solved.xy_velo[index],
            bottoms_z[index],
            covariances[index],
            rivals[index].heading,
            rivals[index].size.observed_plan(sizes_m[index], spreads_m[index]),
            Rung.TWO_FACES if two_faces[index] else Rung.ONE_FACE,
            sightings[row].xyz_velo.shape[1],
            misfit=costs[index],
        )
        for row, index in best.items()
    ]


def _place_covariances(rivals: Sequence[_Rival], solved: Solved) -> NDArrayFloat:
    """``(M,2,2)`` of the centres, velo frame: what the fit leaves open, and what no fit knows of."""
    yaws = np.array([rival.heading.yaw for rival in rivals])
    cos, sin = np.cos(yaws), np.sin(yaws)
    turns = np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2)
    sigma_m = _PLACE_SIGMA_M + _PLACE_SIGMA_SHARE * np.hypot(solved.xy_velo[:, 0], solved.xy_velo[:, 1])
    covariances: NDArrayFloat = turns @ solved.covariance_m2[:, :2, :2] @ turns.swapaxes(1, 2)
    covariances[:, [0, 1], [0, 1]] += sigma_m[:, None] ** 2
    return covariances


def _pull(hint: LiftHint) -> float:
    """How strongly the known axis counts against the outline."""
    if hint.anchored:
        return _PULL_ANCHORED
    if hint.heading.directed:
        return _PULL_DIRECTED
    return _PULL_SEEN if hint.heading.weight > _SEEN_WEIGHT else _PULL_GUESSED


def _with_heights(sightings: Sequence[Sighting], depths_m: NDArrayFloat, ground: Ground) -> list[SizeBelief]:
    """The sizes, with the heights over ground of the detections' upper edges at the depth of the points.

    The upper edge is rarely hidden, and far away it is finer than the spacing of the sweep's lines.
    """
    tops_px = np.array([sighting.view.top_px for sighting in sightings])
    x, y, z = sightings[0].view.points_velo(tops_px, depths_m).T.astype(np.float32)
    heights_m = (z - ground.height_m(x, y)).tolist()
    return [
        sighting.hint.size if sighting.view.cut_above else sighting.hint.size.observed_height(height_m)
        for sighting, height_m in zip(sightings, heights_m, strict=True)
    ]


def fit_centroid(sighting: Sighting, ground: Ground) -> LiftedBox:
    """Place a box of the known size and heading around the middle of the points.

    The points lie on the side that faces the sensor, so that the middle of the object is farther along the ray.

    Args:
        sighting: with a point at least.
        ground: of the view.
    """
    x, y = middle_value(sighting.xyz_velo[0]), middle_value(sighting.xyz_velo[1])
    heading = sighting.hint.heading
    (size,) = _with_heights([sighting], np.array([x]), ground)
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
