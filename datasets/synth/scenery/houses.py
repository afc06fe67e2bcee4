"""Detached houses in their gardens, side by side behind the pavement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
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
    dressing,
    opening,
    shutters,
    sills,
    stairs,
    windows,
    without_overlap,
)
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.paving import pave
from vedette.datasets.synth.scenery.plants import bush, conifer, tree
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.scenery.undergrowth import grow
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_DEPTH_M: Final = 24.0
_STOREY_M: Final = 2.8
_GARAGE_M: Final = (3.2, 6.2)
_DRIVE_M: Final = 3.4
_PORCH_M: Final = 1.6
"""Before a house: stairs, a canopy, a balcony."""
_CLUTTER: Final[tuple[tuple[Callable[[np.random.Generator], Mesh], float, float], ...]] = (
    (clutter.bins, 0.5, 1.2),
    (clutter.heap, 0.15, 1.2),
    (clutter.shed, 0.15, 1.7),
    (clutter.skip, 0.03, 2.1),
)
"""What, how likely, and the radius of its ground."""


@dataclass(frozen=True)
class Plot:
    """A piece of land along a front, with a house and a drive beside it.

    Args:
        lot: the block.
        front: of the block.
        x0: where it begins along the front.
        x1: where it ends.
        depth_m: into the block.
        size_m: length and width of the house.
        setback_m: from the pavement to the house.
        drive_right: the drive is at the end `x1`, else at `x0`.
    """

    lot: Lot
    front: Front
    x0: float
    x1: float
    depth_m: float
    size_m: tuple[float, float]
    setback_m: float
    drive_right: bool

    @property
    def x_house(self) -> float:
        """Middle of the house along the front."""
        slack = self.x1 - self.x0 - _DRIVE_M - self.size_m[0]
        return self.x0 + 0.6 * slack + self.size_m[0] / 2 + (0.0 if self.drive_right else _DRIVE_M)

    @property
    def x_drive(self) -> float:
        """Middle of the drive along the front."""
        return self.x1 - 0.2 - _DRIVE_M / 2 if self.drive_right else self.x0 + 0.2 + _DRIVE_M / 2


def build_houses(site: Site, lot: Lot) -> None:
    """Plots along all fronts: whole length in south and north, what is left between in east and west.

    Args:
        site: gets them.
        lot: the block.
    """
    south, east, north, west = lot.fronts()
    depth = min(_DEPTH_M, 0.5 * east.length_m)
    plots = [
        _draw_plot(site.rng, lot, front, span, min(depth, 0.5 * south.length_m))
        for front, inset in ((south, 0.0), (north, 0.0), (east, depth), (west, depth))
        for span in _split(site.rng, inset, front.length_m - inset)
    ]
    built = [_build_house(site, plot) for plot in plots]
    for plot in built:  # gardens take what the houses leave
        _pave_ways(site, plot)
        _enclose_plot(site, plot)
        _leave_clutter(site, plot)
        _plant_garden(site, plot)
        for x0, x1 in _beds(plot):
            grow(site, plot.lot, plot.front, (x0, 0.8), (x1, plot.setback_m + 0.5))


def _split(rng: np.random.Generator, start_m: float, end_m: float) -> list[tuple[float, float]]:
    """Plots of 13 to 20 m along a front."""
    length = end_m - start_m
    if length < 11.0:
        return []
    widths = rng.uniform(13.0, 20.0, max(1, round(length / 16.5)))
    edges = start_m + np.concatenate([[0.0], np.cumsum(widths)]) * length / widths.sum()
    return [(float(a), float(b)) for a, b in pairwise(edges)]


def _draw_plot(rng: np.random.Generator, lot: Lot, front: Front, span_m: tuple[float, float], depth_m: float) -> Plot:
    x0, x1 = span_m
    size = (float(min(rng.uniform(8.5, 12.0), x1 - x0 - _DRIVE_M - 1.0)), float(rng.uniform(8.0, 10.5)))
    return Plot(lot, front, x0, x1, depth_m, size, float(rng.uniform(3.0, 6.5)), bool(rng.random() < 0.5))


def _build_house(site: Site, plot: Plot) -> Plot:
    """A house and most often a garage where the ground is free; farther back if it is taken before.

    Args:
        site: gets them.
        plot: where.

    Returns:
        The plot with the house where it is built.
    """
    finish = draw_finish(site.rng)
    length, width = plot.size_m
    for back_m in (0.0, 2.5, 5.0):
        moved = replace(plot, setback_m=plot.setback_m + back_m)
        ground = plot.front.uv_m([plot.x_house, moved.setback_m + (width - _PORCH_M) / 2])
        if site.take_rectangle(ground, plot.front.yaw, length, width + _PORCH_M):
            place = plot.front.uv_m([plot.x_house, moved.setback_m + width / 2])
            site.stand(house(site.rng, plot.size_m, finish), place, plot.front.yaw, plot.lot.inside_m)
            _build_garage(site, moved, finish)
            return moved
    return plot


def _build_garage(site: Site, plot: Plot, finish: Finish) -> None:
    """A garage at the end of the drive, in most plots."""
    back = plot.setback_m + site.rng.uniform(0.0, 3.0)
    beside = plot.front.uv_m([plot.x_drive, back + _GARAGE_M[1] / 2])
    room = (_GARAGE_M[0] - 0.9, _GARAGE_M[1] - 0.5)  # it may touch the house
    if site.rng.random() < 0.6 and site.take_rectangle(beside, plot.front.yaw, *room):
        site.stand(garage(finish), beside, plot.front.yaw, plot.lot.inside_m)


def house(rng: np.random.Generator, size_m: tuple[float, float], finish: Finish) -> Mesh:
    """A house with a gabled roof.

    Args:
        rng: of its form.
        size_m: length and width.
        finish: of its walls.
    """
    storeys = int(rng.choice(3, p=[0.2, 0.5, 0.3])) + 1
    base = float(rng.uniform(0.2, 1.0))
    eaves = base + storeys * _STOREY_M + rng.uniform(0.0, 0.5)
    sill = base + 0.9 + _STOREY_M * np.arange(storeys)
    style = {"pitch_m": rng.uniform(2.2, 3.2), "width_m": rng.uniform(1.0, 1.5), "height_m": rng.uniform(1.2, 1.45)}
    door_x = size_m[0] * rng.uniform(0.3, 0.7)
    door = opening(door_x, 1.1, base, base + 2.1, Filling.DOOR)
    front = without_overlap(windows(size_m[0], sill, **style), door)
    side = windows(size_m[1], sill, **style)
    across = bool(rng.random() < 0.4)
    rise = (size_m[0] if across else size_m[1]) / 2 * rng.uniform(0.6, 1.0)
    trim = [sills(front), dressing(rng, front), downpipe(0.15, eaves), stairs(door_x, 1.6, base)]
    if rng.random() < 0.4:
        trim.append(shutters(front, finish.door))
    if storeys > 1 and rng.random() < 0.4:
        trim.append(balcony(size_m[0] - 2.2, 3.0, base + _STOREY_M, finish.door))
    if rng.random() < 0.5:
        trim.append(cuboids([door_x, -0.7, base + 2.35], [2.0, 1.4, 0.12], Surface.WOOD, finish.door))
    plinth = cuboids(
        [0.0, 0.0, -0.8], [size_m[0] + 0.08, size_m[1] + 0.08, 0.6 + base], Surface.CONCRETE, (150, 146, 140)
    )
    chimney = cuboids([size_m[0] * 0.2, 0.6, eaves], [0.6, 0.6, rise + 0.6], Surface.BRICK, (120, 76, 60))
    return Mesh.merge(
        [
            walls(size_m, eaves, (front, side, NO_OPENINGS, side), finish),
            gable_top(size_m, eaves, rise, finish, draw_tiles(rng), across=across),
            on_side(Mesh.merge(trim), 0, size_m),
            plinth,
            chimney,
        ]
    )


def garage(finish: Finish) -> Mesh:
    """A single garage.

    Args:
        finish: of its walls.
    """
    door = opening(_GARAGE_M[0] / 2, 2.4, 0.0, 2.1, Filling.SHUTTER)
    bare = (door, NO_OPENINGS, NO_OPENINGS, NO_OPENINGS)
    return Mesh.merge([walls(_GARAGE_M, 2.6, bare, finish), flat_top(_GARAGE_M, 2.6, (120, 118, 114))])


def _pave_ways(site: Site, plot: Plot) -> None:
    """The drive and the path to the door."""
    for x, half, y in ((plot.x_drive, 1.4, plot.setback_m + 3.0), (plot.x_house, 0.7, plot.setback_m)):
        pave(site, plot.lot, plot.front, (x - half, 0.0), (x + half, y))


def _enclose_plot(site: Site, plot: Plot) -> None:
    """Before the garden, with gaps for drive and path; between this plot and the next."""
    rng, front = site.rng, plot.front
    y = 0.35
    kind = draw_boundary(rng)
    for x0, x1 in _beds(plot):
        ends = front.uv_m([x0, y]), front.uv_m([x1, y])
        enclose(site, plot.lot, ends, kind, is_hidden=not front.is_at_street)
    between = (Boundary.HEDGE, Boundary.BOARDS, Boundary.MESH_FENCE)[int(rng.integers(3))]
    x = plot.x1 - 0.05 if plot.drive_right else plot.x0 + 0.05
    enclose(site, plot.lot, (front.uv_m([x, 0.9]), front.uv_m([x, plot.depth_m - 1.0])), between, is_hidden=True)


def _beds(plot: Plot) -> list[tuple[float, float]]:
    """Parts of a plot's front beside its drive and path."""
    gaps = sorted([(plot.x_drive - 1.5, plot.x_drive + 1.5), (plot.x_house - 0.7, plot.x_house + 0.7)])
    edges = [plot.x0, *(edge for gap in gaps for edge in gap), plot.x1]
    return [(x0, max(x0, x1)) for x0, x1 in zip(edges[::2], edges[1::2], strict=True)]


def _plant_garden(site: Site, plot: Plot) -> None:
    """Trees and bushes, some of the size of a car."""
    rng = site.rng
    for _ in range(int(rng.integers(2, 6))):
        place = _free_place(site, plot, (1.6, plot.depth_m - 1.0), 0.5)
        if place is not None:
            slim = rng.random() < 0.3
            crown = rng.uniform(1.2, 2.8)
            plant = conifer(rng, rng.uniform(3.0, 9.0)) if slim else tree(rng, rng.uniform(1.4, 2.4), crown)
            site.stand(plant, place, 0.0, plot.lot.inside_m)
    largest = [1.1] * int(rng.integers(2, 7)) + [2.0] * int(rng.random() < 0.45)
    for most in largest:
        radius = float(rng.uniform(0.45 * most, most))
        place = _free_place(site, plot, (0.8 + radius, plot.setback_m + 2.0 + radius), radius)
        if place is not None:
            radii = (radius, radius * rng.uniform(0.6, 1.0), rng.uniform(0.4, 0.9))
            site.stand(bush(rng, radii, int(80 * (0.4 + radius))), place, rng.uniform(0, np.pi), plot.lot.inside_m)


def _leave_clutter(site: Site, plot: Plot) -> None:
    """Bins, a shed, something heaped up, seldom a skip; now and then a trailer on the drive."""
    rng = site.rng
    yaw = plot.front.yaw
    drive = plot.front.uv_m([plot.x_drive, plot.setback_m - 0.5])
    if rng.random() < 0.12 and site.take_rectangle(drive, yaw + np.pi / 2, 3.6, 1.8):
        site.stand(clutter.trailer(rng), drive, yaw + np.pi / 2, plot.lot.inside_m)
    for make, chance, radius in _CLUTTER:
        if rng.random() < chance:
            place = _free_place(site, plot, (0.9 + radius, 2.0 + radius + plot.setback_m / 2), radius)
            if place is not None:
                site.stand(make(rng), place, yaw, plot.lot.inside_m)


def _free_place(site: Site, plot: Plot, y_m: tuple[float, float], radius_m: float) -> NDArrayFloat | None:
    """``(2,)`` plan point of a circle between two depths that was free, and is taken now; None if it was not."""
    x = site.rng.uniform(plot.x0 + radius_m, plot.x1 - radius_m)
    place = plot.front.uv_m([x, site.rng.uniform(*y_m)])
    return place if site.take(place, radius_m) else None
