"""Halls in yards, behind fences and hoardings, amid containers, trailers and stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.scenery import clutter
from vedette.datasets.synth.scenery.boundaries import Boundary, enclose
from vedette.datasets.synth.scenery.buildings import NO_OPENINGS, flat_top, on_side, pick, walls
from vedette.datasets.synth.scenery.facades import Filling, Finish, opening, windows, without_overlap
from vedette.datasets.synth.scenery.lots import Lot
from vedette.datasets.synth.scenery.plants import tree
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_CLADDINGS: Final[tuple[Colour, ...]] = (
    (176, 182, 186), (120, 140, 160), (190, 186, 172), (110, 130, 112), (150, 150, 152)
)  # fmt: skip
_BOUNDARIES: Final = (Boundary.HOARDING, Boundary.MESH_FENCE, Boundary.WALL)
_DOCK_M: Final = 1.6
_TRIES: Final = 4
_YARD: Final[tuple[tuple[Callable[[np.random.Generator], Mesh], float, float, float], ...]] = (
    # what, length, width, share
    (clutter.sea_container, 6.2, 2.6, 0.2),
    (clutter.lorry_trailer, 12.2, 2.7, 0.12),
    (clutter.skip, 3.8, 2.0, 0.14),
    (clutter.trailer, 4.2, 1.8, 0.1),
    (clutter.pallets, 1.3, 0.9, 0.28),
    (clutter.container_bin, 1.4, 1.0, 0.16),
)


def build_industry(site: Site, lot: Lot) -> None:
    """A few halls, the yard between them, and what encloses it.

    Args:
        site: gets them.
        lot: the block.
    """
    south, east, north, west = lot.fronts()
    if min(south.length_m, east.length_m) < 16.0:
        return
    rng = site.rng
    for _ in range(max(1, int(south.length_m * east.length_m / 1400.0))):
        _build_hall(site, lot)
    _fill_yard(site, lot)
    for front in (south, east, north, west):
        kind = _BOUNDARIES[int(rng.choice(len(_BOUNDARIES), p=[0.3, 0.3, 0.4]))]
        gate = front.length_m * rng.uniform(0.3, 0.7)
        for a, b in ((0.3, gate - 4.0), (gate + 4.0, front.length_m - 0.3)):
            if b > a:
                enclose(site, lot, (front.uv_m([a, 0.5]), front.uv_m([b, 0.5])), kind)


def _build_hall(site: Site, lot: Lot) -> None:
    """A hall where there is room, sought a few times."""
    south, east, *_ = lot.fronts()
    room = np.array([south.length_m, east.length_m])
    length, width = np.minimum(site.rng.uniform((16.0, 12.0), (34.0, 20.0)), room - 8.0)
    half = np.array([length, width]) / 2 + _DOCK_M + 1.0
    for _ in range(_TRIES):
        place = south.uv_m(site.rng.uniform(half, np.maximum(room - half, half)))
        if site.take_rectangle(place, 0.0, length + 2 * _DOCK_M, width + 1.0):
            site.stand(hall(site.rng, (float(length), float(width))), place, 0.0, lot.inside_m)
            return


def hall(rng: np.random.Generator, size_m: tuple[float, float]) -> Mesh:
    """A hall with gates, a band of windows, and ribs on its cladding.

    Args:
        rng: of its form.
        size_m: length and width.
    """
    height = float(rng.uniform(5.0, 9.0))
    finish = Finish(Surface.CLADDING, pick(rng, _CLADDINGS), pick(rng, _CLADDINGS))
    band = windows(size_m[0], np.array([height - 1.8]), pitch_m=3.0, width_m=2.2, height_m=1.0)
    front = band
    for at in np.arange(4.0, size_m[0] - 3.0, 7.0):
        front = without_overlap(front, opening(float(at), 3.6, 0.0, 3.8, Filling.SHUTTER))
    ribs = []
    for side in range(4):
        x = np.arange(0.0, size_m[side % 2] + 0.1, 2.0)
        bottoms = np.stack([x, np.full_like(x, -0.05), np.zeros_like(x)], axis=1)
        pieces = cuboids(bottoms, [0.12, 0.1, height], finish.surface, finish.colour)
        ribs.append(on_side(pieces, side, size_m) if side else on_side(_clear_of(pieces, front), side, size_m))
    body = walls(size_m, height, (front, NO_OPENINGS, band, NO_OPENINGS), finish)
    dock = cuboids([size_m[1] / 2, -_DOCK_M / 2, -0.3], [3.0, _DOCK_M, 1.3], Surface.CONCRETE, (150, 148, 142))
    return Mesh.merge([body, flat_top(size_m, height, finish.door), *ribs, on_side(dock, 1, size_m)])


def _clear_of(ribs: Mesh, openings: NDArrayFloat) -> Mesh:
    """The ribs that stand before no opening."""
    x = ribs.vertices_m[ribs.triangles].mean(axis=1)[:, 0]
    covered = ((x[:, None] > openings[:, 0] - 0.2) & (x[:, None] < openings[:, 1] + 0.2)).any(axis=1)
    return ribs.select(~covered)


def _fill_yard(site: Site, lot: Lot) -> None:
    """What stands about, in rows along the axes, and a few trees."""
    rng = site.rng
    south, east, *_ = lot.fronts()
    shares = np.array([share for *_, share in _YARD])
    for _ in range(int(south.length_m * east.length_m / 160.0)):
        make, length, width, _ = _YARD[int(rng.choice(len(_YARD), p=shares / shares.sum()))]
        yaw = float(rng.choice(2)) * np.pi / 2 + rng.normal(0.0, 0.04)
        place = south.uv_m(rng.uniform(3.0, [south.length_m - 3.0, east.length_m - 3.0]))
        if _is_inside(lot, place, max(length, width) / 2) and site.take_rectangle(
            place, yaw, length + 0.4, width + 0.4
        ):
            site.stand(make(rng), place, yaw, lot.inside_m)
    for _ in range(6):
        place = south.uv_m([rng.uniform(1.5, south.length_m - 1.5), rng.choice([1.8, east.length_m - 1.8])])
        if site.take(place, 0.6):
            site.stand(tree(rng, 2.5, rng.uniform(1.2, 1.7), 160), place, 0.0, lot.inside_m)


def _is_inside(lot: Lot, place_uv_m: NDArrayFloat, reach_m: float) -> bool:
    """Whether something keeps a metre from the pavement."""
    block, edge = lot.block, lot.block.pavement_m + reach_m + 1.0
    u, v = place_uv_m
    return bool(block.u0 + edge < u < block.u1 - edge and block.v0 + edge < v < block.v1 - edge)
