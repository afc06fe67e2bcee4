"""Paint on the road: lane and edge lines, stop lines, crossings, parking bays; thin faces just above the ground.

Everything is a rectangle in a street's frame (along its axis, left of its middle line), sheared for angled bays.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.bays import BayStrip, bay_strips
from vedette.datasets.synth.mesh import Colour
from vedette.datasets.synth.plan import Parking, Street
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads
from vedette.datasets.synth.scenery.streets import crosses, crossing_m, street_points
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_ABOVE_M: Final = 0.008
_WHITE: Final[Colour] = (226, 226, 220)
_LINE_M: Final = 0.12
_PIECE_M: Final = 3.0
_CROSSING_BACK_M: Final = 5.5
_CROSSING_M: Final = 3.0

Rectangle = tuple[float, float, float, float]
"""From and to along the street, from and to at its left, metres."""


def paint(site: Site) -> None:
    """Paint all streets.

    Args:
        site: gets the paint.
    """
    for street in site.plan.streets:
        others = [other for other in site.plan.streets if crosses(street, other)]
        junctions = sorted(crossing_m(other, street) for other in others)
        rectangles = _lengthwise(site.rng, street, junctions)
        for junction in junctions:
            rectangles += _before_junction(site.rng, street, junction)
        _lay(site, street, np.array(rectangles).reshape(-1, 4))
    for strip in bay_strips(site.plan):
        _lay_bays(site, strip)


def _between(street: Street, junctions: list[tuple[float, float]], clear_m: float) -> list[tuple[float, float]]:
    """Stretches of a street outside its junctions."""
    edges = [street.start_m - clear_m, *(edge for junction in junctions for edge in junction), street.end_m + clear_m]
    stretches = [(a + clear_m, b - clear_m) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [(a, b) for a, b in stretches if b - a > 3.0]


def _lengthwise(rng: np.random.Generator, street: Street, junctions: list[tuple[float, float]]) -> list[Rectangle]:
    """Lines along the street."""
    half_median = street.median_m / 2
    is_fast = street.shoulder_m > 0 or street.median_m > 0
    dash, gap = (6.0, 12.0) if is_fast else (3.0, 3.0)
    signs = (-1,) if street.one_way else (-1, 1)
    base = street.lanes * street.lane_width_m / 2 if street.one_way else half_median
    broken = [s * (base - k * street.lane_width_m if street.one_way else base + k * street.lane_width_m)
              for s in signs for k in range(1, street.lanes)]  # fmt: skip
    solid: list[float] = []
    if not street.one_way and street.median_m == 0 and (street.lanes > 1 or rng.random() < 0.6):
        broken.append(0.0)
    if is_fast:
        outer = half_median + street.lanes * street.lane_width_m
        solid += [s * at for s in signs for at in (half_median + 0.25, outer)]
    for parking, side, sign in zip(street.parking, street.side_m, (-1, 1), strict=True):
        if parking is Parking.PARALLEL and rng.random() < 0.5:
            broken.append(sign * (side - street.PARALLEL_BAY_M))
    rectangles: list[Rectangle] = []
    for start, end in _between(street, junctions, 6.0):
        rectangles += [(start, end, at - _LINE_M / 2, at + _LINE_M / 2) for at in solid]
        rectangles += [
            (float(a), min(float(a) + dash, end), at - _LINE_M / 2, at + _LINE_M / 2)
            for at in broken
            for a in np.arange(start, end - 1.0, dash + gap)
        ]
    return rectangles


def _before_junction(rng: np.random.Generator, street: Street, junction: tuple[float, float]) -> list[Rectangle]:
    """Stop lines and crossings at both arms of a junction."""
    if street.median_m > 0 or street.shoulder_m > 0:
        return []
    rectangles: list[Rectangle] = []
    right, left = street.side_m
    lanes = street.lanes * street.lane_width_m
    arms = ((junction[0], -1, street.start_m), (junction[1], 1, street.end_m))
    for edge, sign, limit in arms:
        if sign * (limit - edge) < _CROSSING_BACK_M + _CROSSING_M + 4.0:
            continue
        stop = edge + sign * 4.0
        if rng.random() < 0.25:
            near, far = edge + sign * _CROSSING_BACK_M, edge + sign * (_CROSSING_BACK_M + _CROSSING_M)
            stop = far + sign
            stripes = np.arange(-right + 0.4, left - 0.6, 1.0)
            rectangles += [(min(near, far), max(near, far), float(s), float(s) + 0.5) for s in stripes]
        arrives = sign < 0 or not street.one_way
        if arrives and rng.random() < 0.4:
            low, high = (-lanes / 2, lanes / 2) if street.one_way else (-lanes, 0.0) if sign < 0 else (0.0, lanes)
            rectangles.append((stop - 0.15, stop + 0.15, low + 0.15, high - 0.15))
    return rectangles


def _lay(site: Site, street: Street, rectangles: NDArrayFloat) -> None:
    """Lay rectangles in pieces short enough for the ground's bends."""
    count = np.maximum(1, np.ceil((rectangles[:, 1] - rectangles[:, 0]) / _PIECE_M).astype(np.int64))
    owner = np.repeat(np.arange(len(rectangles)), count)
    k = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    start, length = rectangles[owner, 0], (rectangles[:, 1] - rectangles[:, 0])[owner] / count[owner]
    a0, a1 = start + k * length, start + (k + 1) * length
    l0, l1 = rectangles[owner, 2], rectangles[owner, 3]
    corners = np.stack([np.stack(p, axis=1) for p in ((a0, l0), (a1, l0), (a1, l1), (a0, l1))], axis=1)
    _lay_corners(site, street, corners)


def _lay_bays(site: Site, strip: BayStrip) -> None:
    """Lines between bays, from the carriageway to the kerb behind them."""
    at = strip.start_m + np.arange(strip.count + 1) * strip.pitch_m
    turn = strip.slant_m
    # vehicles on the left side drive against the axis, so their bays lean the other way
    front, back = (at + turn, at) if strip.is_left else (at, at + turn)
    near, far = strip.left_m(0.1), strip.left_m(strip.depth_m - 0.1)
    half = _LINE_M / 2
    corners = np.stack(
        [
            np.stack([front - half, np.full_like(at, near)], 1),
            np.stack([front + half, np.full_like(at, near)], 1),
            np.stack([back + half, np.full_like(at, far)], 1),
            np.stack([back - half, np.full_like(at, far)], 1),
        ],
        axis=1,
    )
    halves = np.concatenate([_part(corners, 0.0, 0.5), _part(corners, 0.5, 1.0)])
    _lay_corners(site, strip.street, halves)


def _part(corners: NDArrayFloat, start: float, end: float) -> NDArrayFloat:
    """The part of each face between two shares of the way from its first to its last edge."""
    low, high = corners[:, :2], corners[:, [3, 2]]
    near, far = low + start * (high - low), low + end * (high - low)
    return np.concatenate([near, far[:, ::-1]], axis=1)


def _lay_corners(site: Site, street: Street, along_left_m: NDArrayFloat) -> None:
    """Faces given in a street's frame."""
    uv = street_points(street, along_left_m[..., 0], along_left_m[..., 1])
    height = np.full((*uv.shape[:-1], 1), _ABOVE_M)
    site.lay(quads(np.concatenate([uv, height], axis=-1), Surface.ROAD_PAINT, _WHITE))
