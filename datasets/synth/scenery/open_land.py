"""Blocks without buildings: parks, car parks and fields; and the land beyond the plan."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Plan, Street
from vedette.datasets.synth.scenery import clutter, furniture
from vedette.datasets.synth.scenery.boundaries import Boundary, enclose
from vedette.datasets.synth.scenery.buildings import draw_finish
from vedette.datasets.synth.scenery.houses import house
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.paving import pave
from vedette.datasets.synth.scenery.plants import bush, conifer, tree
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.undergrowth import grow
from vedette.geometry import NDArrayFloat

_EDGE_M: Final = 3.0
_VERGE_M: Final = 8.0  # kept clear beside a motorway
_FAR_M: Final = 110.0
_FAR_AREA_M2: Final = 450.0  # of land per plant
_FAR_MOST: Final = 450
_WAY_OUT_PITCH_M: Final = 3.0


def build_park(site: Site, lot: Lot) -> None:
    """Trees, bushes, two crossing paths with benches, a low hedge or railing round it.

    Args:
        site: gets them.
        lot: the block.
    """
    rng = site.rng
    south, east, north, west = lot.fronts()
    length, depth = south.length_m, east.length_m
    if min(length, depth) < 8.0:
        return
    x, y = length * rng.uniform(0.35, 0.65), depth * rng.uniform(0.35, 0.65)
    pave(site, lot, south, (x - 1.3, 0.0), (x + 1.3, depth))
    pave(site, lot, south, (0.0, y - 1.3), (length, y + 1.3))
    for along in np.arange(6.0, depth - 6.0, 12.0):
        place = south.uv_m([x + 1.9, along])
        if site.take(place, 0.9):
            site.stand(furniture.bench(), place, south.yaw + np.pi / 2, lot.inside_m)
    kind = (Boundary.HEDGE, Boundary.WALL_AND_HEDGE, Boundary.RAILING)[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
    for front, gate in zip((south, east, north, west), (x, y, length - x, depth - y), strict=True):
        for a, b in ((0.5, gate - 1.6), (gate + 1.6, front.length_m - 0.5)):
            enclose(site, lot, (front.uv_m([a, 0.4]), front.uv_m([max(a, b), 0.4])), kind)
            _border(site, lot, front, (a, b))
    _scatter(site, lot, int(length * depth / 90.0), shrubs=0.4, off=(x, y))
    if rng.random() < 0.3:
        place = south.uv_m([x + 5.0, y + 5.0])
        if site.take(place, 2.0):
            site.stand(clutter.stall(rng), place, 0.0, lot.inside_m)


def _border(site: Site, lot: Lot, front: Front, span_m: tuple[float, float]) -> None:
    """Trees, bushes and low plants between two places along the edge of a park."""
    rng = site.rng
    for at in np.arange(span_m[0] + 1.5, span_m[1] - 1.0, 4.0):
        place = front.uv_m([at + rng.uniform(-1.0, 1.0), rng.uniform(2.2, 4.0)])
        if not site.take(place, 0.8):
            continue
        is_tree = rng.random() < 0.5
        plant = tree(rng, rng.uniform(1.8, 2.6), rng.uniform(1.6, 2.8), 400) if is_tree else _shrub(rng, 0.8)
        site.stand(plant, place, rng.uniform(0, 2 * np.pi), lot.inside_m)
    grow(site, lot, front, (span_m[0], 0.8), (span_m[1], 6.0))


def build_car_park(site: Site, lot: Lot) -> None:
    """Light poles, ticket machines and a few trees; whoever parks comes first.

    Args:
        site: gets them.
        lot: the block.
    """
    rng = site.rng
    south, east, north, west = lot.fronts()
    for front in (south, east, north, west):
        for x in np.arange(8.0, front.length_m - 4.0, 11.0):
            place = front.uv_m([x, -0.45])
            if front.setback_m > 2.0 and site.take(place, 0.4):
                site.stand(tree(rng, 3.0, rng.uniform(1.3, 1.9), 180), place, 0.0, lot.block.kerb_m)
    for _ in range(max(1, int(south.length_m * east.length_m / 1200.0))):
        place = south.uv_m(rng.uniform(2.0, np.maximum([south.length_m, east.length_m], 5.0) - 2.0))
        if site.take(place, 0.5):
            site.stand(furniture.lamp(7.0, 1.2), place, rng.uniform(0, 2 * np.pi), lot.inside_m)
    place = south.uv_m([south.length_m / 2, -0.4])
    if site.take(place, 0.5):
        site.stand(furniture.ticket_machine(), place, south.yaw, lot.block.kerb_m)


def build_field(site: Site, lot: Lot) -> None:
    """Bushes and trees, off the verges.

    Args:
        site: gets them.
        lot: the block.
    """
    south, east, *_ = lot.fronts()
    area = south.length_m * east.length_m
    _scatter(site, lot, int(min(area / 260.0, 220.0)), shrubs=0.55)


def build_far_land(site: Site) -> None:
    """Sparse trees and houses outside the blocks and off the streets.

    Args:
        site: gets them.
    """
    rng, plan = site.rng, site.plan
    low, high = _extent(site)
    for street in plan.streets:
        if street.median_m == 0 and street.shoulder_m == 0:
            _line_way_out(site, street)
    area_m2 = float(np.prod(high - low + 2 * _FAR_M))
    count = int(min(area_m2 / _FAR_AREA_M2, _FAR_MOST))
    for uv in rng.uniform(low - _FAR_M, high + _FAR_M, (count, 2)):
        if not _is_open(plan, uv, 4.0) or not site.take(uv, 1.5):
            continue
        draw = rng.random()
        if draw < 0.06 and _is_open(plan, uv, 12.0):
            site.stand(house(rng, (10.0, 9.0), draw_finish(rng)), uv, rng.choice(4) * np.pi / 2)
        elif draw < 0.7:
            site.stand(tree(rng, 1.2, rng.uniform(1.8, 3.6), 80), uv)
        else:
            site.stand(bush(rng, (rng.uniform(0.8, 2.0), 1.0, 0.9), 50), uv, rng.uniform(0, np.pi))


def _line_way_out(site: Site, street: Street) -> None:
    """Trees, bushes and some houses along the parts of a street that no block touches."""
    rng = site.rng
    right, left = street.side_m
    for along in np.arange(street.start_m + 1.0, street.end_m, _WAY_OUT_PITCH_M):
        for side in (-right, left):
            behind = float(rng.uniform(3.0, 6.0))
            place = street.point(along + rng.uniform(-1.0, 1.0), side + np.sign(side) * behind)
            far = street.point(along, side + np.sign(side) * 12.0)
            if not _is_open(site.plan, place, 2.0):
                continue
            draw = rng.random()
            if draw < 0.1 and _is_open(site.plan, far, 7.0) and site.take(far, 7.0):
                site.stand(house(rng, (10.0, 9.0), draw_finish(rng)), far, street.yaw + np.pi * (side > 0))
            elif draw < 0.9 and site.take(place, 1.1):
                is_tree = draw < 0.45
                plant = tree(rng, rng.uniform(1.8, 2.4), rng.uniform(1.5, 2.6), 160) if is_tree else _shrub(rng, 1.2)
                site.stand(plant, place, rng.uniform(0, np.pi))


def _is_open(plan: Plan, uv_m: NDArrayFloat, room_m: float) -> bool:
    """Whether a place is off all blocks and streets, which go on for ever, by some metres."""
    u, v = uv_m
    in_block = any(b.u0 - room_m < u < b.u1 + room_m and b.v0 - room_m < v < b.v1 + room_m for b in plan.blocks)
    across = ((v if street.axis == "u" else u) - street.at_m for street in plan.streets)
    off = (abs(a) - max(street.side_m) for a, street in zip(across, plan.streets, strict=True))
    return not in_block and all(distance >= room_m for distance in off)


def _extent(site: Site) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Smallest and largest u and v of blocks and streets' sides."""
    points = [p for b in site.plan.blocks for p in ([b.u0, b.v0], [b.u1, b.v1])]
    for street in site.plan.streets:
        right, left = street.side_m
        points += [street.point(a, s).tolist() for a in (street.start_m, street.end_m) for s in (-right, left)]
    return np.min(points, axis=0), np.max(points, axis=0)


def _scatter(site: Site, lot: Lot, count: int, *, shrubs: float, off: tuple[float, float] | None = None) -> None:
    """Trees and bushes anywhere inside, off two paths and off the verge of a motorway.

    Args:
        site: gets them.
        lot: the block.
        count: of places that are tried.
        shrubs: share of bushes.
        off: x and y of two paths, in the frame of the south front.
    """
    rng = site.rng
    south, east, *_ = lot.fronts()
    room = np.array([south.length_m, east.length_m])
    for xy in rng.uniform(_EDGE_M, np.maximum(room - _EDGE_M, _EDGE_M + 0.1), (count, 2)):
        place = south.uv_m(xy)
        on_path = off is not None and np.abs(xy - off).min() < 2.2
        on_verge = lot.beside_motorway_m(place) < _VERGE_M
        is_shrub = bool(rng.random() < shrubs)
        radius = float(rng.uniform(0.5, 1.9)) if is_shrub else 0.8
        if on_path or on_verge or not site.take(place, radius):
            continue
        plant = _shrub(rng, radius) if is_shrub else _tall_plant(rng)
        site.stand(plant, place, rng.uniform(0, 2 * np.pi), lot.above_m(place))


def _shrub(rng: np.random.Generator, radius_m: float) -> Mesh:
    """A bush, larger ones with more leaves."""
    radii = (radius_m, radius_m * rng.uniform(0.5, 0.9), rng.uniform(0.4, 1.0))
    return bush(rng, radii, int(70 * (0.5 + radius_m)))


def _tall_plant(rng: np.random.Generator) -> Mesh:
    """A tree, one in four a conifer."""
    if rng.random() < 0.25:
        return conifer(rng, rng.uniform(4.0, 11.0))
    return tree(rng, rng.uniform(1.6, 3.0), rng.uniform(1.6, 3.6))
