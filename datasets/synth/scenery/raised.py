"""Blocks on their kerbs: pavement, bays that are cut in, and the ground inside.

A block is a grid whose cells know their level; where two levels meet stands a kerb.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Block, BlockUse
from vedette.datasets.synth.scenery.grids import cell_size_m, cells, lines, middles, within
from vedette.datasets.synth.scenery.ground import COLOURS
from vedette.datasets.synth.scenery.lots import Lot
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads, upright
from vedette.datasets.synth.scenery.streets import street_frame
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

_INSIDE: Final[dict[BlockUse, Surface]] = {
    BlockUse.HOUSES: Surface.GRASS,
    BlockUse.TERRACES: Surface.PAVING,
    BlockUse.INDUSTRY: Surface.CONCRETE,
    BlockUse.PARK: Surface.GRASS,
    BlockUse.CAR_PARK: Surface.ASPHALT,
    BlockUse.FIELD: Surface.GRASS,
}
_COARSER: Final = 1.25  # than carriageways: nothing drives here, and nothing is painted
_ROUGHNESS_M: Final = 0.02
_SKIRT_M: Final = -0.2  # kerb faces reach below the carriageway, so that no ray finds a gap
_LINING_M: Final = 0.2
_LINING_DEPTH_M: Final = 0.012  # below the carriageway's triangles, which are up to 8 mm off
_ARC_STEPS: Final = 8


def build_block(site: Site, lot: Lot) -> None:
    """Lay a block's pavement, bays and inside, with its kerbs.

    Args:
        site: gets them.
        lot: the block.
    """
    block, cell_m = lot.block, _COARSER * cell_size_m(site.terrain)
    u_marks, v_marks = lot.marks()
    u_lines, v_lines = lines(block.u0, block.u1, u_marks, cell_m), lines(block.v0, block.v1, v_marks, cell_m)
    grid = np.stack(np.meshgrid(u_lines, v_lines, indexing="ij"), axis=-1)
    middle = np.stack(np.meshgrid(middles(u_lines), middles(v_lines), indexing="ij"), axis=-1)
    surfaces, level = _cover(lot, middle)
    relief = lot.relief_m(grid) + _roughness(site.rng, surfaces)
    corners = cells(u_lines, v_lines, relief)
    corners[..., 2] += level[:, :, None]
    is_corner = _is_corner(lot, middle)
    for surface in np.unique(surfaces):
        chosen = (surfaces == surface) & ~is_corner
        site.lay(quads(corners[chosen], Surface(surface), COLOURS[Surface(surface)]))
    site.lay(quads(_inner_kerbs(u_lines, v_lines, level), Surface.KERB, COLOURS[Surface.KERB]))
    site.lay(quads(_outer_kerbs(u_lines, v_lines, level, is_corner), Surface.KERB, COLOURS[Surface.KERB]))
    site.lay(quads(_linings(u_lines, v_lines), Surface.ASPHALT, COLOURS[Surface.ASPHALT]))
    _lay_corners(site, lot)


def _cover(lot: Lot, middle_uv_m: NDArrayFloat) -> tuple[NDArrayInt, NDArrayFloat]:
    """Surface and level of a block's cells."""
    block = lot.block
    is_bay = np.zeros(middle_uv_m.shape[:2], dtype=bool)
    depth = _depth(middle_uv_m, block)
    for strip in lot.bays:
        rectangle = strip.rectangle
        is_bay |= within(middle_uv_m, *rectangle)
        depth = np.minimum(depth, _distance(middle_uv_m, *rectangle))
    is_pavement = ((depth < block.pavement_m) & ~is_bay) | _is_corner(lot, middle_uv_m)
    level = np.where(is_bay, 0.0, np.where(is_pavement, block.kerb_m, lot.inside_m))
    edge = Surface.PAVING if block.pavement_m > 0 else _INSIDE[block.use]
    surfaces = np.where(is_pavement, int(edge), int(_INSIDE[block.use]))
    return np.where(is_bay, int(Surface.ASPHALT), surfaces), level


def _roughness(rng: np.random.Generator, surfaces: NDArrayInt) -> NDArrayFloat:
    """Height of a grid's points that lie amid grass."""
    is_grass = np.pad(surfaces == int(Surface.GRASS), 1)
    amid = is_grass[:-1, :-1] & is_grass[1:, :-1] & is_grass[:-1, 1:] & is_grass[1:, 1:]
    return np.where(amid, rng.normal(0.0, _ROUGHNESS_M, amid.shape), 0.0)


def _inner_kerbs(u_lines: NDArrayFloat, v_lines: NDArrayFloat, level_m: NDArrayFloat) -> NDArrayFloat:
    """Upright faces between cells of one block that lie at different levels."""
    faces = []
    for axis in (0, 1):
        before, after = (level_m[:-1], level_m[1:]) if axis == 0 else (level_m[:, :-1], level_m[:, 1:])
        i, j = np.nonzero(before != after)
        if axis == 0:
            start, end = np.stack([u_lines[i + 1], v_lines[j]], 1), np.stack([u_lines[i + 1], v_lines[j + 1]], 1)
        else:
            start, end = np.stack([u_lines[i], v_lines[j + 1]], 1), np.stack([u_lines[i + 1], v_lines[j + 1]], 1)
        faces.append(upright(start, end, np.minimum(before, after)[i, j], np.maximum(before, after)[i, j]))
    return np.concatenate(faces)


def _outer_kerbs(
    u_lines: NDArrayFloat, v_lines: NDArrayFloat, level_m: NDArrayFloat, is_corner: NDArrayBool
) -> NDArrayFloat:
    """Upright faces round a block, its corners left out."""
    faces = []
    for i, u in ((0, u_lines[0]), (-1, u_lines[-1])):
        start, end = (np.stack([np.full(len(v), u), v], axis=1) for v in (v_lines[:-1], v_lines[1:]))
        faces.append(upright(start, end, np.full(len(start), _SKIRT_M), level_m[i])[~is_corner[i]])
    for j, v in ((0, v_lines[0]), (-1, v_lines[-1])):
        start, end = (np.stack([u, np.full(len(u), v)], axis=1) for u in (u_lines[:-1], u_lines[1:]))
        faces.append(upright(start, end, np.full(len(start), _SKIRT_M), level_m[:, j])[~is_corner[:, j]])
    return np.concatenate(faces)


def _linings(u_lines: NDArrayFloat, v_lines: NDArrayFloat) -> NDArrayFloat:
    """Strips just below a block's edges, where its pieces and the carriageway's do not quite meet in a bend."""
    across = [_strip(u - _LINING_M, v_lines[:-1], u + _LINING_M, v_lines[1:]) for u in (u_lines[0], u_lines[-1])]
    along = [_strip(u_lines[:-1], v - _LINING_M, u_lines[1:], v + _LINING_M) for v in (v_lines[0], v_lines[-1])]
    return np.concatenate([*across, *along])


def _strip(u0: ArrayLike, v0: ArrayLike, u1: ArrayLike, v1: ArrayLike) -> NDArrayFloat:
    """``(N,4,3)`` level rectangles just below the ground."""
    a, b, c, d, z = np.broadcast_arrays(u0, v0, u1, v1, -_LINING_DEPTH_M)
    points = [np.stack([u, v, z], axis=-1) for u, v in ((a, b), (c, b), (c, d), (a, d))]
    return np.stack(points, axis=1)


def _lay_corners(site: Site, lot: Lot) -> None:
    """Round corners: the quarter disc, its kerb, and the carriageway between the arc and the square corner."""
    block, radius = lot.block, lot.corner_m
    if radius == 0:
        return
    surface = Surface.PAVING if block.pavement_m > 0 else _INSIDE[block.use]
    angles = np.linspace(0.0, np.pi / 2, _ARC_STEPS + 1)
    for u, du in ((block.u0, -1.0), (block.u1, 1.0)):
        for v, dv in ((block.v0, -1.0), (block.v1, 1.0)):
            centre = np.array([u - du * radius, v - dv * radius])
            arc = centre + radius * np.stack([du * np.cos(angles), dv * np.sin(angles)], axis=1)
            low = np.full(_ARC_STEPS, _SKIRT_M)
            site.lay(_fan(centre, arc, block.kerb_m, surface))
            site.lay(_fan(np.array([u, v]), arc, 0.0, _outside(site, np.array([u + du * 0.3, v + dv * 0.3]))))
            site.lay(
                quads(
                    upright(arc[:-1], arc[1:], low, low + block.kerb_m - _SKIRT_M), Surface.KERB, COLOURS[Surface.KERB]
                )
            )


def _fan(tip_uv_m: NDArrayFloat, arc_uv_m: NDArrayFloat, height_m: float, surface: Surface) -> Mesh:
    """Level triangles from a point to each piece of an arc."""
    points = np.concatenate([tip_uv_m[None], arc_uv_m])
    i = np.arange(1, len(arc_uv_m))
    vertices = np.column_stack([points, np.full(len(points), height_m)])
    return Mesh.of(vertices, np.stack([np.zeros_like(i), i, i + 1], axis=1), surface, COLOURS[surface])


def _outside(site: Site, uv_m: NDArrayFloat) -> Surface:
    """What lies beyond a block's corner."""
    for street in site.plan.streets:
        along, left = street_frame(street, uv_m)
        right_m, left_m = street.side_m
        if street.start_m - 1 < along < street.end_m + 1 and -right_m - 1 < left < left_m + 1:
            return Surface.ASPHALT
    return Surface.GRASS


def _is_corner(lot: Lot, uv_m: NDArrayFloat) -> NDArrayBool:
    """Whether points lie in the squares whose corners are rounded."""
    block, radius = lot.block, lot.corner_m
    near_u = np.minimum(uv_m[..., 0] - block.u0, block.u1 - uv_m[..., 0]) < radius
    near_v = np.minimum(uv_m[..., 1] - block.v0, block.v1 - uv_m[..., 1]) < radius
    return np.asarray(near_u & near_v)


def _depth(uv_m: NDArrayFloat, block: Block) -> NDArrayFloat:
    """From a block's edge inwards."""
    u, v = uv_m[..., 0], uv_m[..., 1]
    return np.asarray(np.minimum.reduce([u - block.u0, block.u1 - u, v - block.v0, block.v1 - v]))


def _distance(uv_m: NDArrayFloat, u0: float, v0: float, u1: float, v1: float) -> NDArrayFloat:
    """From a rectangle outwards, along the axis in which a point is farther; 0 within."""
    u, v = uv_m[..., 0], uv_m[..., 1]
    return np.asarray(np.maximum.reduce([u0 - u, u - u1, v0 - v, v - v1, np.zeros_like(u)]))
