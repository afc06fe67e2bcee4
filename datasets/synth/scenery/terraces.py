"""Closed fronts along the pavement: house beside house, of many heights and colours, shops in some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.scenery import clutter
from vedette.datasets.synth.scenery.boundaries import Boundary, draw_boundary, enclose
from vedette.datasets.synth.scenery.buildings import (
    NO_OPENINGS,
    draw_finish,
    draw_tiles,
    flat_top,
    gable_top,
    on_side,
    pick,
    walls,
)
from vedette.datasets.synth.scenery.facades import (
    Filling,
    Finish,
    balcony,
    downpipe,
    dressing,
    opening,
    shutters,
    sills,
    stairs,
    windows,
    without_overlap,
)
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.plants import bush, tree
from vedette.datasets.synth.scenery.site import Site, rectangle_cover
from vedette.datasets.synth.scenery.solids import quads
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_DEPTH_M: Final = 10.5
_STOREY_M: Final = 3.0
_SILL_M: Final = 0.85
_CLOSE_BY_M: Final = 0.8
_CORNER_M: Final = 8.0
_SHORTEST_M: Final = 4.5
_SHORTER_M: Final = ((0.0, 0.0), (2.5, 0.0), (0.0, 2.5), (4.5, 0.0), (0.0, 4.5), (4.0, 4.0), (7.0, 0.0), (0.0, 7.0))
"""What may be left off at a house's two ends so that it fits in, at a corner with a free view."""
_AWNINGS: Final[tuple[Colour, ...]] = ((150, 40, 36), (40, 80, 60), (190, 170, 120), (60, 70, 110))


@dataclass(frozen=True)
class _Unit:
    """Ground of one house: a stretch of a front."""

    front: Front
    x0: float
    x1: float
    storeys: int

    @property
    def flanks(self) -> tuple[bool, bool]:
        """Whether its right and its left side look on a street: at the ends of a whole front."""
        return self.x1 > self.front.length_m - _CORNER_M, self.x0 < _CORNER_M

    def place(self, garden_m: float) -> NDArrayFloat:
        """``(2,)`` plan point in the middle of the house."""
        return self.front.uv_m([(self.x0 + self.x1) / 2, garden_m + _DEPTH_M / 2])

    def ground(self, garden_m: float) -> NDArrayFloat:
        """``(N,3)`` circles under the house; people may walk close by its front."""
        middle = self.front.uv_m([(self.x0 + self.x1) / 2, garden_m + (_DEPTH_M + _CLOSE_BY_M) / 2])
        return rectangle_cover(middle, self.front.yaw, self.x1 - self.x0, _DEPTH_M - _CLOSE_BY_M)


def build_terraces(site: Site, lot: Lot) -> None:
    """Rows along all four fronts, and a yard behind them.

    Args:
        site: gets them.
        lot: the block.
    """
    rng = site.rng
    garden_m = float(rng.choice([0.0, 0.0, 0.4, 2.2, 3.0]))
    inset = garden_m + _DEPTH_M
    south, east, north, west = lot.fronts()
    units = [
        unit
        for front, gap in ((south, 0.0), (north, 0.0), (east, inset), (west, inset))
        for unit in _split(rng, front, gap + 0.1, front.length_m - gap - 0.1)
    ]
    units = [_fitted(site, unit, garden_m) for unit in units]
    for unit, is_free in zip(units, site.take_together([unit.ground(garden_m) for unit in units]), strict=True):
        if is_free:
            size, finish = (unit.x1 - unit.x0, _DEPTH_M), draw_finish(rng)
            mesh = terrace(rng, size, unit.storeys, finish, has_garden=garden_m > 1.0, flanks=unit.flanks)
            site.stand(mesh, unit.place(garden_m), unit.front.yaw, lot.inside_m)
            if garden_m > 1.0 and unit.front.is_at_street:
                _build_front_garden(site, lot, unit, garden_m)
    _fill_yard(site, lot, inset + 2.0)


def _split(rng: np.random.Generator, front: Front, start_m: float, end_m: float) -> list[_Unit]:
    """House beside house between two places along a front, with a passage into the yard here and there."""
    units: list[_Unit] = []
    x, usual = start_m, int(rng.integers(2, 5))
    while x < end_m - 5.0:
        if rng.random() < 0.07:
            x += 3.5
            continue
        width = float(rng.uniform(7.0, 13.0))
        last = x + width > end_m - 6.0  # no sliver at the end
        x1 = end_m if last else x + width
        units.append(_Unit(front, x, x1, int(np.clip(usual + rng.integers(-1, 2), 2, 5))))
        x = x1
    return units


def _fitted(site: Site, unit: _Unit, garden_m: float) -> _Unit:
    """As much of a unit as is free, a few metres off one end or both; all of it if nothing is."""
    shorter = (replace(unit, x0=unit.x0 + a, x1=unit.x1 - b) for a, b in _SHORTER_M)
    fits = (one for one in shorter if one.x1 - one.x0 >= _SHORTEST_M and site.are_free(one.ground(garden_m)).all())
    return next(fits, unit)


def terrace(
    rng: np.random.Generator,
    size_m: tuple[float, float],
    storeys: int,
    finish: Finish,
    *,
    has_garden: bool,
    flanks: tuple[bool, bool] = (False, False),
) -> Mesh:
    """One house of a row.

    Args:
        rng: of its form.
        size_m: length and width.
        storeys: above each other.
        finish: of its walls.
        has_garden: there is room for stairs before it; without, the door is level with the pavement.
        flanks: whether its right and left side have windows.
    """
    base = float(rng.uniform(0.1, 0.6)) if has_garden else 0.02
    eaves = base + storeys * _STOREY_M + 0.3
    style = {"pitch_m": rng.uniform(1.9, 2.8), "width_m": rng.uniform(0.9, 1.3), "height_m": rng.uniform(1.4, 1.8)}
    sill = base + _SILL_M + _STOREY_M * np.arange(storeys, dtype=np.float64)
    door_x = size_m[0] * rng.uniform(0.2, 0.8)
    front, trim = _street_side(rng, size_m[0], sill, style, opening(door_x, 1.2, base, base + 2.25, Filling.DOOR))
    if has_garden:
        trim.append(stairs(door_x, 1.4, base))
    if storeys > 1 and rng.random() < 0.35:
        at = size_m[0] * (0.25 if door_x > size_m[0] / 2 else 0.75)
        width = min(2.8, size_m[0] * 0.45)
        trim += [balcony(at, width, base + k * _STOREY_M, finish.door) for k in range(1, storeys)]
    if rng.random() < 0.75:
        top = gable_top(size_m, eaves, size_m[1] / 2 * rng.uniform(0.5, 0.9), finish, draw_tiles(rng))
    else:
        top = flat_top(size_m, eaves, (140, 138, 134))
    right, left = (windows(size_m[1], sill, **style) if has_windows else NO_OPENINGS for has_windows in flanks)
    body = walls(size_m, eaves, (front, right, NO_OPENINGS, left), finish)
    return Mesh.merge([body, top, on_side(Mesh.merge([*trim, downpipe(0.12, eaves)]), 0, size_m)])


def _street_side(
    rng: np.random.Generator, length_m: float, sill_m: NDArrayFloat, style: dict[str, float], door: NDArrayFloat
) -> tuple[NDArrayFloat, list[Mesh]]:
    """Openings of the street front, and the sills, shutters or awning at them."""
    if rng.random() < 0.2:
        above = windows(length_m, sill_m[1:], **style)
        low = sill_m[0] - _SILL_M
        shop = windows(length_m, np.array([low + 0.4]), pitch_m=2.8, width_m=2.3, height_m=2.0)
        awning = _awning(length_m, low + 2.55, pick(rng, _AWNINGS))
        return without_overlap(np.concatenate([above, shop]), door), [sills(above), dressing(rng, above), awning]
    openings = without_overlap(windows(length_m, sill_m, **style), door)
    trim = [sills(openings), dressing(rng, openings)]
    if rng.random() < 0.3:
        trim.append(shutters(openings, pick(rng, _AWNINGS)))
    return openings, trim


def _awning(length_m: float, high_m: float, colour: Colour) -> Mesh:
    """A canvas that slopes out over the pavement."""
    x0, x1 = 0.4, length_m - 0.4
    face = [[x0, -0.05, high_m + 0.4], [x1, -0.05, high_m + 0.4], [x1, -1.2, high_m], [x0, -1.2, high_m]]
    flap = [[x0, -1.2, high_m], [x1, -1.2, high_m], [x1, -1.2, high_m - 0.2], [x0, -1.2, high_m - 0.2]]
    return quads([face, flap], Surface.CANVAS, colour)


def _build_front_garden(site: Site, lot: Lot, unit: _Unit, depth_m: float) -> None:
    """A strip behind a low wall or hedge, with a bush or bins."""
    rng, front = site.rng, unit.front
    x0, x1 = unit.x0, unit.x1
    gate = x0 + (x1 - x0) * rng.uniform(0.3, 0.7)
    kind = draw_boundary(rng)
    if kind is not Boundary.BOARDS:
        for a, b in ((x0, gate - 0.7), (gate + 0.7, x1)):
            enclose(site, lot, (front.uv_m([a, 0.3]), front.uv_m([b, 0.3])), kind)
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
