"""The ground: carriageways, blocks on their kerbs, and the land around.

Every part is a grid in the plan whose lines lie on all edges, fine enough to follow the terrain. Cells know their
level; where two levels meet stands a kerb.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.plan import Block, BlockUse, Street
from vedette.datasets.synth.scenery.lots import Lot
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads, upright
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

COLOURS: Final[dict[Surface, Colour]] = {
    Surface.ASPHALT: (98, 98, 100),
    Surface.PAVING: (150, 146, 140),
    Surface.KERB: (165, 163, 158),
    Surface.GRASS: (88, 116, 52),
    Surface.SOIL: (122, 100, 74),
    Surface.CONCRETE: (160, 158, 152),
}
"""Of ground."""

_INSIDE: Final[dict[BlockUse, Surface]] = {
    BlockUse.HOUSES: Surface.GRASS,
    BlockUse.TERRACES: Surface.PAVING,
    BlockUse.INDUSTRY: Surface.CONCRETE,
    BlockUse.PARK: Surface.GRASS,
    BlockUse.CAR_PARK: Surface.ASPHALT,
    BlockUse.FIELD: Surface.GRASS,
}
_FLATNESS_M: Final = 0.003  # markings are laid 8 mm above the true height and must not sink into the mesh
_STRAIGHTNESS_M: Final = 0.03
_CELL_M: Final = (2.0, 8.0)
_ROUGHNESS_M: Final = 0.02
_SKIRT_M: Final = -0.2  # kerb faces reach below the carriageway, so that no ray finds a gap
_LINING_M: Final = 0.3
_LINING_DEPTH_M: Final = 0.03
_MARGINS_M: Final = (6.0, 18.0, 45.0, 90.0, 170.0, 300.0)
_ARC_STEPS: Final = 8


def build_ground(site: Site, lots: tuple[Lot, ...]) -> None:
    """Lay all ground.

    Args:
        site: gets it.
        lots: its blocks.
    """
    cell_m = cell_size_m(site.terrain)
    _lay_base(site, cell_m)
    for lot in lots:
        _lay_block(site, lot, cell_m)


def cell_size_m(terrain: Terrain) -> float:
    """Longest edge of a triangle with which the ground is still followed within millimetres, its edges within 3 cm.

    Args:
        terrain: the shape of the ground.
    """
    # an edge of length l leaves a curve of curvature c by c·l²/8 at most
    lift = sum(abs(w.amplitude_m) * (w.kx_rad_m**2 + w.ky_rad_m**2) for w in terrain.waves)
    bend = max(abs(terrain.bend_u_m), abs(terrain.bend_v_m)) * terrain.bend_rad_m**2
    sizes = [np.sqrt(8 * limit / c) for limit, c in ((_FLATNESS_M, lift), (_STRAIGHTNESS_M, bend)) if c > 0]
    return float(np.clip(min(sizes, default=_CELL_M[1]), *_CELL_M))


def lines(low_m: float, high_m: float, marks_m: Iterable[float], cell_m: float) -> NDArrayFloat:
    """Grid lines from `low_m` to `high_m` on all marks between, and as many more as cells of a size need.

    Args:
        low_m: first line.
        high_m: last line.
        marks_m: where lines must lie; those outside are left out.
        cell_m: most between two lines.
    """
    inside = [m for m in marks_m if low_m + 0.02 < m < high_m - 0.02]
    marks = np.unique(np.round([low_m, *inside, high_m], 3))
    marks = marks[np.concatenate([[True], np.diff(marks) > 0.02])]
    pieces = [
        np.linspace(a, b, max(1, int(np.ceil((b - a) / cell_m))), endpoint=False)
        for a, b in zip(marks[:-1], marks[1:], strict=True)
    ]
    return np.concatenate([*pieces, marks[-1:]])


def cells(u_lines: NDArrayFloat, v_lines: NDArrayFloat, height_m: NDArrayFloat) -> NDArrayFloat:
    """``(nu,nv,4,3)`` corners of a grid's cells.

    Args:
        u_lines: (nu+1,).
        v_lines: (nv+1,).
        height_m: (nu+1, nv+1) of the grid's points.
    """
    points = np.stack([*np.meshgrid(u_lines, v_lines, indexing="ij"), height_m], axis=-1)
    return np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2)


def surface_at(street: Street, left_m: NDArrayFloat) -> NDArrayInt:
    """What a street is covered with.

    Args:
        street: the street.
        left_m: (...,) to the left of its middle line.
    """
    is_median = np.abs(left_m) < street.median_m / 2
    median = Surface.GRASS if street.median_m > 1.5 else Surface.CONCRETE
    return np.where(is_median, int(median), int(Surface.ASPHALT))


def _lay_base(site: Site, cell_m: float) -> None:
    """Carriageways and the land around: everything outside blocks, at carriageway level."""
    plan = site.plan
    u_marks, v_marks = _base_marks(plan.streets, plan.blocks)
    u_lines, v_lines = (_with_margins(lines(min(m), max(m), m, cell_m)) for m in (u_marks, v_marks))
    middle = np.stack(np.meshgrid(_middles(u_lines), _middles(v_lines), indexing="ij"), axis=-1)
    in_block = np.any([_within(middle, b.u0, b.v0, b.u1, b.v1) for b in plan.blocks], axis=0) if plan.blocks else False
    surfaces = np.full(middle.shape[:2], int(Surface.GRASS))
    bounds = (u_lines[0], v_lines[0], u_lines[-1], v_lines[-1])
    for street in plan.streets:
        along, left = _street_frame(street, middle)
        on = _on_street(street, along, left, bounds, (min(u_marks), min(v_marks), max(u_marks), max(v_marks)))
        is_new = on & (surfaces != int(Surface.ASPHALT))  # no median across a junction
        surfaces = np.where(is_new, surface_at(street, left), surfaces)
    corners = cells(u_lines, v_lines, np.zeros((len(u_lines), len(v_lines))))
    for surface in (Surface.ASPHALT, Surface.GRASS, Surface.CONCRETE):
        site.lay(quads(corners[(surfaces == int(surface)) & ~np.asarray(in_block)], surface, COLOURS[surface]))


def _base_marks(streets: tuple[Street, ...], blocks: tuple[Block, ...]) -> tuple[list[float], list[float]]:
    marks: dict[str, list[float]] = {"u": [], "v": []}
    for street in streets:
        right, left = street.side_m
        across = "v" if street.axis == "u" else "u"
        low, high = (right, left) if street.axis == "u" else (left, right)
        half_median = [-street.median_m / 2, street.median_m / 2] if street.median_m else []
        marks[street.axis] += [street.start_m, street.end_m]
        marks[across] += [street.at_m + side for side in (-low, high, *half_median)]
    for block in blocks:
        marks["u"] += [block.u0, block.u1]
        marks["v"] += [block.v0, block.v1]
    return marks["u"], marks["v"]


def _with_margins(inner: NDArrayFloat) -> NDArrayFloat:
    """Lines of the plan and of the land around it, wider and wider."""
    margins = np.array(_MARGINS_M)
    return np.concatenate([inner[0] - margins[::-1], inner, inner[-1] + margins])


def _street_frame(street: Street, uv_m: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Along a street's axis, and left of its middle line."""
    if street.axis == "u":
        return uv_m[..., 0], uv_m[..., 1] - street.at_m
    return uv_m[..., 1], street.at_m - uv_m[..., 0]


def _on_street(
    street: Street,
    along_m: NDArrayFloat,
    left_m: NDArrayFloat,
    land: tuple[float, float, float, float],
    plan: tuple[float, float, float, float],
) -> NDArrayBool:
    """Whether points lie on a carriageway; one that leaves the plan goes on to the end of the land."""
    k = 0 if street.axis == "u" else 1
    start = land[k] if street.start_m < plan[k] + 1.0 else street.start_m
    end = land[k + 2] if street.end_m > plan[k + 2] - 1.0 else street.end_m
    right, left = street.side_m
    return np.asarray((along_m > start) & (along_m < end) & (left_m > -right) & (left_m < left))


def _lay_block(site: Site, lot: Lot, cell_m: float) -> None:
    """A block's pavement, bays and inside, with its kerbs."""
    block = lot.block
    u_marks, v_marks = lot.marks()
    u_lines, v_lines = lines(block.u0, block.u1, u_marks, cell_m), lines(block.v0, block.v1, v_marks, cell_m)
    grid = np.stack(np.meshgrid(u_lines, v_lines, indexing="ij"), axis=-1)
    middle = np.stack(np.meshgrid(_middles(u_lines), _middles(v_lines), indexing="ij"), axis=-1)
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
    site.lay(quads(_linings(u_lines, v_lines), Surface.SOIL, COLOURS[Surface.SOIL]))
    _lay_corners(site, lot)


def _cover(lot: Lot, middle_uv_m: NDArrayFloat) -> tuple[NDArrayInt, NDArrayFloat]:
    """Surface and level of a block's cells."""
    block = lot.block
    is_bay = np.zeros(middle_uv_m.shape[:2], dtype=bool)
    depth = _depth(middle_uv_m, block)
    for strip in lot.bays:
        rectangle = strip.rectangle
        is_bay |= _within(middle_uv_m, *rectangle)
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
    """Strips just below a block's edges: where they bend, the block's pieces and the carriageway's do not quite meet."""
    faces = []
    low, high = v_lines[:-1], v_lines[1:]
    for u in (u_lines[0], u_lines[-1]):
        faces.append(_strip(u - _LINING_M, low, u + _LINING_M, high))
    low, high = u_lines[:-1], u_lines[1:]
    for v in (v_lines[0], v_lines[-1]):
        faces.append(_strip(low, v - _LINING_M, high, v + _LINING_M))
    return np.concatenate(faces)


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
        along, left = _street_frame(street, uv_m)
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


def _within(uv_m: NDArrayFloat, u0: float, v0: float, u1: float, v1: float) -> NDArrayBool:
    """Whether points lie in a rectangle."""
    u, v = uv_m[..., 0], uv_m[..., 1]
    return np.asarray((u > u0) & (u < u1) & (v > v0) & (v < v1))


def _middles(values: NDArrayFloat) -> NDArrayFloat:
    """Half-way points."""
    return np.asarray((values[:-1] + values[1:]) / 2)
