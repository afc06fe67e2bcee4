"""Which of the points in a detection are the object: a filter by gaps in depth.

A detection's points hold the object, what is seen through and around it, and what stands in front of it. Seen from
above these are apart by gaps, so that points fall into groups (connected cells of a coarse grid; a gap counts in any
direction, because a wall that runs past an object bridges every gap in depth alone). The group is chosen that fills
the detection, does not go on beside it, lies at the depth that its height in the image suggests, and agrees with the
track's prediction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import ndimage

from vedette.edge.lifting.hint import LiftHint
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt

_GAP_M: Final = 0.4
_MAX_CELLS: Final = 400_000
_INNER_MARGIN: Final = 0.08
_OUTER_WEIGHT: Final = 0.3
_DEPTH_SPREAD: Final = 0.12
_DEPTH_SPREAD_PX: Final = 3.0
_OFF_DEPTH: Final = 0.02
_OFF_PREDICTION: Final = 0.25
_MIN_GATE_M: Final = 2.5
_TRIM_MARGIN_M: Final = 0.4
_ANCHOR_GATE_M: Final = 0.3
_TRACK_GATE_M: Final = 0.4
_PREDICTED_SHARE: Final = 0.6
_MIN_ANCHORED_POINTS: Final = 4
_ALL_NEIGHBOURS: Final = np.ones((3, 3), np.bool_)


@dataclass(frozen=True)
class Candidates:
    """Points that a detection may own, and those beside it.

    Args:
        xyz_velo: ``(3,K) float32``.
        pixels: ``(2,K) float32`` u and v.
        inside: ``(K,) bool`` whether the detection holds them; others are beside it.
        box_px: ``(4,)`` the detection's x1, y1, x2, y2.
        expected_depth_m: what the box's height suggests for the object.
        may_be_nearer: whether the image's border cuts the height, so that the object may be nearer than that, though
            not farther.
    """

    xyz_velo: NDArrayFloat32
    pixels: NDArrayFloat32
    inside: NDArrayBool
    box_px: NDArrayFloat
    expected_depth_m: float
    may_be_nearer: bool


def object_points(candidates: Candidates, hint: LiftHint) -> NDArrayInt:
    """Choose the object's points.

    Args:
        candidates: points in the detection and beside it.
        hint: what is known of the object.

    Returns:
        Indices into the candidates, ascending; empty when the detection holds none.
    """
    inside = np.flatnonzero(candidates.inside)
    if len(inside) == 0:
        return inside
    if hint.anchored and hint.xy_velo is not None:
        gated = inside.compress(
            _in_predicted_box(candidates.xyz_velo.take(inside, axis=1), hint.xy_velo, hint, _ANCHOR_GATE_M)
        )
        if len(gated) >= _MIN_ANCHORED_POINTS:
            inside = gated
    labels = groups(candidates.xyz_velo[:2])
    chosen = inside.compress(labels.take(inside) == _best_group(candidates, labels, inside, hint))
    return chosen.compress(_trimmed(candidates.xyz_velo.take(chosen, axis=1), hint))


def _trimmed(xyz_velo: NDArrayFloat32, hint: LiftHint) -> NDArrayBool:
    """Which points of a group to keep: those of the box that the track predicts, if that holds most of them."""
    if hint.xy_velo is not None and not hint.anchored:
        inside = _in_predicted_box(xyz_velo, hint.xy_velo, hint, _TRACK_GATE_M)
        if np.count_nonzero(inside) > _PREDICTED_SHARE * len(inside):
            return inside
    return _near_median(xyz_velo[0], xyz_velo[1], hint)


def _in_predicted_box(
    xyz_velo: NDArrayFloat32, centre_xy: NDArrayFloat, hint: LiftHint, margin_m: float
) -> NDArrayBool:
    """Within the box that a track predicts, widened by a margin and by the prediction's spread."""
    centre_x, centre_y = centre_xy.tolist()
    x, y = xyz_velo[0] - centre_x, xyz_velo[1] - centre_y
    cos, sin = math.cos(hint.heading.yaw), math.sin(hint.heading.yaw)
    length_m, width_m, _ = hint.size.size_m.tolist()
    margin_m += hint.sigma_m
    along = np.abs(x * cos + y * sin) < length_m / 2 + margin_m
    inside: NDArrayBool = along & (np.abs(y * cos - x * sin) < width_m / 2 + margin_m)
    return inside


def groups(xy_velo: NDArrayFloat32) -> NDArrayInt:
    """A label from 0 for every point; points of one group are not apart by more than a gap.

    Args:
        xy_velo: ``(2,N) float32`` metres, N >= 1.
    """
    column, row = cells = ((xy_velo - xy_velo.min(axis=1, keepdims=True)) / _GAP_M).astype(np.int64)
    columns, rows = (cells.max(axis=1) + 1).tolist()
    if columns * rows > _MAX_CELLS:
        return np.zeros(len(column), np.int64)
    places = column * rows + row
    occupied = np.zeros(columns * rows, np.bool_)
    occupied[places] = True
    labelled, _ = ndimage.label(occupied.reshape(columns, rows), _ALL_NEIGHBOURS)
    labels: NDArrayInt = labelled.ravel().take(places).astype(np.int64) - 1
    return labels


def _best_group(candidates: Candidates, labels: NDArrayInt, inside: NDArrayInt, hint: LiftHint) -> int:
    """The label of the group that best fits the detection, the depth its height suggests, and the prediction.

    Groups are few, so that plain numbers are quicker than arrays once there is one row for each.
    """
    own = labels.take(inside)
    count = np.bincount(own)
    total = np.bincount(labels)
    inner = np.bincount(own, _in_inner_box(candidates, inside))
    xs, ys = (np.bincount(own, candidates.xyz_velo[axis].take(inside)) for axis in range(2))
    spans_px = _spans_px(candidates.pixels[0].take(inside), own, len(count))
    width_px = max(candidates.box_px.item(2) - candidates.box_px.item(0), 1.0)
    plausibility = _plausibility(candidates, hint)
    best, best_score = 0, -1.0
    # groups beyond the last that the detection holds points of are left out
    rows = zip(*(row.tolist() for row in (count, total[: len(count)], inner, xs, ys, spans_px)), strict=True)
    for label, (held, points, well_inside, x, y, span_px) in enumerate(rows):
        if held == 0:
            continue
        weight = well_inside + _OUTER_WEIGHT * (held - well_inside)
        filled = (held / points) * (0.15 + min(span_px / width_px, 1.0)) * math.sqrt(weight)
        nearness = (math.hypot(x / held, y / held) / 20.0) ** 0.7
        score = filled * nearness * plausibility(x / held, y / held)
        if score > best_score:
            best, best_score = label, score
    return best


def _plausibility(candidates: Candidates, hint: LiftHint) -> Callable[[float, float], float]:
    """Whether a group around a place may be the object, by the expected depth and, if there is one, the prediction."""
    expected_m, may_be_nearer = candidates.expected_depth_m + 1.0, candidates.may_be_nearer
    height_px = max(candidates.box_px.item(3) - candidates.box_px.item(1), 1.0)
    spread = math.hypot(_DEPTH_SPREAD, _DEPTH_SPREAD_PX / height_px)
    predicted = None if hint.xy_velo is None else hint.xy_velo.tolist()
    gate_m = max(_MIN_GATE_M, hint.sigma_m)

    def at(x: float, y: float) -> float:
        log_ratio = math.log((max(x, 0.0) + 1.0) / expected_m)
        off_depth = 0.0 if log_ratio < 0 and may_be_nearer else log_ratio / spread
        plausible = math.exp(-0.5 * off_depth**2) + _OFF_DEPTH
        if predicted is None:
            return plausible
        distance_m = math.hypot(x - predicted[0], y - predicted[1])
        return plausible * (math.exp(-0.5 * (distance_m / gate_m) ** 2) + _OFF_PREDICTION)

    return at


def _in_inner_box(candidates: Candidates, inside: NDArrayInt) -> NDArrayBool:
    """Whether points are well inside the detection, where the background shows least."""
    x1, y1, x2, y2 = candidates.box_px.tolist()
    u, v = candidates.pixels.take(inside, axis=1)
    half = 0.5 - _INNER_MARGIN
    inner: NDArrayBool = (np.abs(u - (x1 + x2) / 2) < half * (x2 - x1)) & (np.abs(v - (y1 + y2) / 2) < half * (y2 - y1))
    return inner


def _spans_px(columns_px: NDArrayFloat32, labels: NDArrayInt, group_count: int) -> NDArrayFloat:
    """Width of each group in the image; meaningless for one without a point."""
    left, right = np.full((2, group_count), -np.inf)
    columns = columns_px.astype(np.float64)
    np.maximum.at(right, labels, columns)
    np.maximum.at(left, labels, -columns)
    spans_px: NDArrayFloat = right + left
    return spans_px


def _near_median(x: NDArrayFloat32, y: NDArrayFloat32, hint: LiftHint) -> NDArrayBool:
    """Cut off long tails: nothing of an object is farther from its middle than the object is large."""
    length_m, width_m, _ = hint.size.size_m.tolist()
    reach_m = math.hypot(length_m, width_m) / 2 + _TRIM_MARGIN_M
    x, y = x - middle_value(x), y - middle_value(y)
    near: NDArrayBool = x * x + y * y < reach_m**2
    return near


def middle_value(values: NDArrayFloat32) -> float:
    """The median, of an even number the upper of the two; a fifth of the time of numpy's."""
    rank = len(values) // 2
    return float(np.partition(values, rank).item(rank))
