"""What encloses gardens and yards: hedges, fences and walls along lines, broken where ground is taken."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.scenery.lots import Lot
from vedette.datasets.synth.scenery.plants import hedge
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads, upright
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_PIECE_M: Final = 1.6
_HALF_WIDTH_M: Final = 0.35
_LEAVES_PER_M: Final = 10.0
_WOODS: Final[tuple[Colour, ...]] = ((120, 92, 62), (150, 126, 92), (200, 196, 188), (96, 80, 64))
_STONES: Final[tuple[Colour, ...]] = ((176, 168, 154), (206, 200, 188), (150, 142, 132))
_STEEL: Final[Colour] = (92, 98, 96)


class Boundary(IntEnum):
    """What stands along a line."""

    HEDGE = 0
    PICKETS = 1
    BOARDS = 2
    WALL = 3
    WALL_AND_HEDGE = 4
    RAILING = 5
    MESH_FENCE = 6
    HOARDING = 7


def draw_boundary(rng: np.random.Generator) -> Boundary:
    """What stands before a garden.

    Args:
        rng: draws it.
    """
    kinds = [
        Boundary.HEDGE,
        Boundary.PICKETS,
        Boundary.BOARDS,
        Boundary.WALL,
        Boundary.WALL_AND_HEDGE,
        Boundary.RAILING,
    ]
    return kinds[int(rng.choice(len(kinds), p=[0.40, 0.09, 0.09, 0.16, 0.17, 0.09]))]


def enclose(
    site: Site, lot: Lot, ends_uv_m: tuple[NDArrayFloat, NDArrayFloat], kind: Boundary, *, is_hidden: bool = False
) -> None:
    """Build along a line.

    Args:
        site: gets it.
        lot: the block in which the line lies.
        ends_uv_m: (2,) plan metres each.
        kind: what to build.
        is_hidden: seen from no street but through gaps, so fewer leaves and bars will do.
    """
    start_uv_m, end_uv_m = ends_uv_m
    length = float(np.linalg.norm(end_uv_m - start_uv_m))
    if length < 0.6:
        return
    count = int(np.ceil(length / _PIECE_M))
    points = start_uv_m + np.linspace(0.0, 1.0, count + 1)[:, None] * (end_uv_m - start_uv_m)
    middle = (points[:-1] + points[1:]) / 2
    quarters = np.stack([(points[:-1] + middle) / 2, (middle + points[1:]) / 2], axis=1)
    radius = np.full((count, 2, 1), np.hypot(length / count / 4, _HALF_WIDTH_M))
    free = site.take_each(np.concatenate([quarters, radius], axis=-1))
    if free.any():
        pieces = np.stack([points[:-1], points[1:]], axis=1)[free]
        low = lot.inside_m + lot.relief_m(middle[free])
        site.lay(_build(site.rng, kind, pieces, low, 0.4 if is_hidden else 1.0))


def _build(
    rng: np.random.Generator, kind: Boundary, pieces_uv_m: NDArrayFloat, low_m: NDArrayFloat, detail: float
) -> Mesh:
    """Build along pieces; detail, up to 1, thins leaves and bars."""
    wood = _WOODS[int(rng.integers(len(_WOODS)))]
    stone = _STONES[int(rng.integers(len(_STONES)))]
    base = (pieces_uv_m, low_m)
    match kind:
        case Boundary.HEDGE:
            mesh = hedge(
                rng, *base, (rng.uniform(0.9, 2.0), rng.uniform(0.5, 0.9)), leaves_per_m=_LEAVES_PER_M * detail
            )
        case Boundary.PICKETS:
            mesh = _pickets(*base, rng.uniform(0.8, 1.1), wood)
        case Boundary.BOARDS:
            mesh = _slab(*base, (0.05, rng.uniform(1.5, 1.9)), 0.06, surface=Surface.WOOD, colour=wood)
        case Boundary.WALL:
            mesh = _slab(*base, (0.0, rng.uniform(0.5, 1.7)), 0.24, surface=Surface.PLASTER, colour=stone)
        case Boundary.WALL_AND_HEDGE:
            high = rng.uniform(0.35, 0.7)
            foot = _slab(*base, (0.0, high), 0.5, surface=Surface.CONCRETE, colour=stone)
            mesh = Mesh.merge(
                [
                    foot,
                    hedge(
                        rng,
                        pieces_uv_m,
                        low_m + high,
                        (rng.uniform(0.5, 1.0), 0.6),
                        leaves_per_m=_LEAVES_PER_M * detail,
                    ),
                ]
            )
        case Boundary.RAILING:
            foot = _slab(*base, (0.0, 0.3), 0.2, surface=Surface.CONCRETE, colour=stone)
            mesh = Mesh.merge([foot, _bars(pieces_uv_m, low_m + 0.3, rng.uniform(0.7, 1.0), round(10 * detail))])
        case Boundary.MESH_FENCE:
            mesh = _bars(*base, rng.uniform(1.6, 2.2), round(8 * detail))
        case Boundary.HOARDING:
            mesh = _slab(*base, (0.1, 2.1), 0.08, surface=Surface.WOOD, colour=(214, 212, 204))
    return mesh


def _slab(
    pieces_uv_m: NDArrayFloat,
    low_m: NDArrayFloat,
    span_m: tuple[float, float],
    thick_m: float,
    *,
    surface: Surface,
    colour: Colour,
) -> Mesh:
    """Upright slabs between two heights above the ground; those without a gap reach into it."""
    gap_m, high_m = span_m
    start, end = pieces_uv_m[:, 0], pieces_uv_m[:, 1]
    half = _across(start, end) * thick_m / 2
    bottom = low_m + (gap_m if gap_m > 0 else -0.3)
    sides = [upright(start + s * half, end + s * half, bottom, low_m + high_m) for s in (-1.0, 1.0)]
    lid = np.stack([sides[0][:, 3], sides[0][:, 2], sides[1][:, 2], sides[1][:, 3]], axis=1)
    ends = [
        np.stack([sides[0][:, k], sides[1][:, k], sides[1][:, m], sides[0][:, m]], axis=1) for k, m in ((0, 3), (1, 2))
    ]
    return quads(np.concatenate([*sides, lid, *ends]), surface, colour)


def _pickets(pieces_uv_m: NDArrayFloat, low_m: NDArrayFloat, high_m: float, colour: Colour) -> Mesh:
    """Upright boards with gaps between, on two rails."""
    share = (np.arange(8)[:, None] + np.array([0.2, 0.8])) / 8
    board = _along(pieces_uv_m, share)
    low = np.repeat(low_m, 8)
    boards = upright(board[:, 0], board[:, 1], low + 0.08, low + high_m)
    rails = [
        upright(pieces_uv_m[:, 0], pieces_uv_m[:, 1], low_m + at * high_m, low_m + at * high_m + 0.09)
        for at in (0.25, 0.75)
    ]
    return quads(np.concatenate([boards, *rails]), Surface.WOOD, colour)


def _bars(pieces_uv_m: NDArrayFloat, low_m: NDArrayFloat, high_m: float, count: int) -> Mesh:
    """Posts, two rails, and thin upright bars."""
    share = np.arange(count)[:, None] / count + np.array([0.0, 0.012])
    share[0] = [0.0, 0.04]
    bar = _along(pieces_uv_m, share)
    low = np.repeat(low_m, count)
    bars = upright(bar[:, 0], bar[:, 1], low, low + high_m)
    rails = [
        upright(pieces_uv_m[:, 0], pieces_uv_m[:, 1], low_m + at * high_m, low_m + at * high_m + 0.05)
        for at in (0.1, 0.93)
    ]
    return quads(np.concatenate([bars, *rails]), Surface.METAL, _STEEL)


def _along(pieces_uv_m: NDArrayFloat, shares: NDArrayFloat) -> NDArrayFloat:
    """``(N*K,2,2)`` the parts of each piece between two shares of its length."""
    start, end = pieces_uv_m[:, None, None, 0], pieces_uv_m[:, None, None, 1]
    return np.asarray((start + shares[None, :, :, None] * (end - start)).reshape(-1, 2, 2))


def _across(start_uv_m: NDArrayFloat, end_uv_m: NDArrayFloat) -> NDArrayFloat:
    """``(N,2)`` unit vectors to the left of lines."""
    along = (end_uv_m - start_uv_m) / np.linalg.norm(end_uv_m - start_uv_m, axis=1, keepdims=True)
    return np.stack([-along[:, 1], along[:, 0]], axis=1)
