"""Closed fronts along the pavement: house beside house, of many heights and colours, shops in some."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.scenery import clutter
from vedette.datasets.synth.scenery.boundaries import Boundary, draw_boundary, enclose
from vedette.datasets.synth.scenery.buildings import (
    NO_OPENINGS,
    draw_finish,
    draw_tiles,
    flat_top,
    gable_top,
    on_side,
    walls,
)
from vedette.datasets.synth.scenery.facades import (
    Filling,
    Finish,
    balcony,
    downpipe,
    opening,
    shutters,
    sills,
    stairs,
    windows,
    without_overlap,
)
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.plants import bush, tree
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_DEPTH_M: Final = 10.5
_STOREY_M: Final = 3.0
_AWNINGS: Final = ((150, 40, 36), (40, 80, 60), (190, 170, 120), (60, 70, 110))


def build_terraces(site: Site, lot: Lot) -> None:
    """Rows along all four fronts, and a yard behind them.

    Args:
        site: gets them.
        lot: the block.
    """
    garden_m = float(site.rng.choice([0.0, 0.0, 0.4, 2.2, 3.0]))
    south, east, north, west = lot.fronts()
    inset = garden_m + _DEPTH_M
    for front, gap in ((south, 0.0), (north, 0.0), (east, inset), (west, inset)):
        _build_row(site, lot, front, (gap + 0.1, front.length_m - gap - 0.1), garden_m)
    _fill_yard(site, lot, inset + 2.0)


def _build_row(site: Site, lot: Lot, front: Front, span_m: tuple[float, float], garden_m: float) -> None:
    """House beside house between two places along a front."""
    rng = site.rng
    x = span_m[0]
    storeys = int(rng.integers(2, 4))
    while x < span_m[1] - 5.0:
        width = float(min(rng.uniform(7.0, 13.0), span_m[1] - x))
        if span_m[1] - x - width < 6.0:
            width = span_m[1] - x  # no sliver at the end
        place = front.uv_m([x + width / 2, garden_m + _DEPTH_M / 2])
        if rng.random() < 0.07:  # a passage into the yard
            width = min(width, 4.0)
        elif site.take_rectangle(place, front.yaw, width - 0.1, _DEPTH_M):
            height = int(np.clip(storeys + rng.integers(-1, 2), 1, 4))
            site.stand(terrace(rng, (width, _DEPTH_M), height, draw_finish(rng)), place, front.yaw, lot.inside_m)
            if garden_m > 1.0:
                _build_front_garden(site, lot, front, (x, x + width), garden_m)
        x += width


def terrace(rng: np.random.Generator, size_m: tuple[float, float], storeys: int, finish: Finish) -> Mesh:
    """One house of a row.

    Args:
        rng: of its form.
        size_m: length and width.
        storeys: above each other.
        finish: of its walls.
    """
    base = float(rng.uniform(0.1, 0.6))
    eaves = base + storeys * _STOREY_M + 0.3
    style = {"pitch_m": rng.uniform(1.9, 2.8), "width_m": rng.uniform(0.9, 1.3), "height_m": rng.uniform(1.4, 1.8)}
    sill = base + 0.85 + _STOREY_M * np.arange(storeys)
    is_shop = bool(rng.random() < 0.2)
    front, trim = _street_side(rng, size_m[0], base, sill, style, finish, is_shop=is_shop)
    back = windows(size_m[0], sill, **style)
    if rng.random() < 0.75:
        top = gable_top(size_m, eaves, size_m[1] / 2 * rng.uniform(0.5, 0.9), finish, draw_tiles(rng))
    else:
        top = flat_top(size_m, eaves, (140, 138, 134))
    trim.append(downpipe(0.12, eaves))
    return Mesh.merge(
        [
            walls(size_m, eaves, (front, NO_OPENINGS, back, NO_OPENINGS), finish),
            top,
            on_side(Mesh.merge(trim), 0, size_m),
        ]
    )


def _street_side(
    rng: np.random.Generator,
    length_m: float,
    base_m: float,
    sill_m: NDArrayFloat,
    style: dict[str, float],
    finish: Finish,
    *,
    is_shop: bool,
) -> tuple[NDArrayFloat, list[Mesh]]:
    """Openings of the street front and what sticks out of it."""
    door_x = length_m * rng.uniform(0.2, 0.8)
    if is_shop:
        above = windows(length_m, sill_m[1:], **style)
        shop = windows(length_m, np.array([base_m + 0.4]), pitch_m=2.8, width_m=2.3, height_m=2.0)
        openings = without_overlap(
            np.concatenate([above, shop]), opening(door_x, 1.1, base_m, base_m + 2.2, Filling.DOOR)
        )
        trim = [sills(above), _awning(length_m, base_m + 2.55, _AWNINGS[int(rng.integers(len(_AWNINGS)))])]
    else:
        door = opening(door_x, 1.2, base_m, base_m + 2.3, Filling.DOOR)
        openings = without_overlap(windows(length_m, sill_m, **style), door)
        trim = [sills(openings)]
        if rng.random() < 0.3:
            trim.append(shutters(openings, finish.door))
    trim.append(stairs(door_x, 1.4, base_m))
    if len(sill_m) > 1 and rng.random() < 0.35:
        at = length_m * (0.25 if door_x > length_m / 2 else 0.75)
        trim += [balcony(at, min(2.8, length_m * 0.45), sill - 0.85, finish.door) for sill in sill_m[1:]]
    return openings, trim


def _awning(length_m: float, high_m: float, colour: tuple[int, int, int]) -> Mesh:
    """A canvas that slopes out over the pavement."""
    x0, x1 = 0.4, length_m - 0.4
    face = [[x0, -0.05, high_m + 0.4], [x1, -0.05, high_m + 0.4], [x1, -1.2, high_m], [x0, -1.2, high_m]]
    flap = [[x0, -1.2, high_m], [x1, -1.2, high_m], [x1, -1.2, high_m - 0.2], [x0, -1.2, high_m - 0.2]]
    return quads([face, flap], Surface.CANVAS, colour)


def _build_front_garden(site: Site, lot: Lot, front: Front, span_m: tuple[float, float], depth_m: float) -> None:
    """A strip behind a low wall or hedge, with a bush or bins."""
    rng = site.rng
    x0, x1 = span_m
    gate = x0 + (x1 - x0) * rng.uniform(0.3, 0.7)
    kind = draw_boundary(rng)
    if kind is not Boundary.BOARDS:
        for a, b in ((x0, gate - 0.7), (gate + 0.7, x1)):
            enclose(site, lot, front.uv_m([a, 0.3]), front.uv_m([b, 0.3]), kind)
    for _ in range(2):
        place = front.uv_m([rng.uniform(x0 + 0.8, x1 - 0.8), depth_m * 0.6])
        if not site.take(place, 0.6):
            continue
        plant = bush(rng, (0.6, 0.5, rng.uniform(0.4, 0.7)), 60) if rng.random() < 0.6 else clutter.bins(rng)
        site.stand(plant, place, front.yaw, lot.inside_m)


def _fill_yard(site: Site, lot: Lot, inset_m: float) -> None:
    """Trees, sheds and bins behind the houses."""
    rng = site.rng
    south, east, *_ = lot.fronts()
    length, depth = south.length_m - 2 * inset_m, east.length_m - 2 * inset_m
    if min(length, depth) < 4.0:
        return
    for _ in range(int(length * depth / 130.0)):
        place = south.uv_m([inset_m + rng.uniform(0, length), inset_m + rng.uniform(0, depth)])
        if not site.take(place, 1.5):
            continue
        draw = rng.random()
        thing = (
            tree(rng, 2.0, rng.uniform(1.5, 3.0), 180)
            if draw < 0.5
            else clutter.shed(rng)
            if draw < 0.7
            else clutter.container_bin(rng)
        )
        site.stand(thing, place, rng.choice(4) * np.pi / 2, lot.inside_m)
