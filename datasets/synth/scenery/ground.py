"""Carriageways and the land around them: one grid in the plan, at carriageway level, open where blocks lie."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour
from vedette.datasets.synth.plan import Block, Street
from vedette.datasets.synth.scenery.grids import cell_size_m, cells, lines, middles, within
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads
from vedette.datasets.synth.scenery.streets import street_frame
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

COLOURS: Final[dict[Surface, Colour]] = {
    Surface.ASPHALT: (98, 98, 100),
    Surface.PAVING: (150, 146, 140),
    Surface.KERB: (165, 163, 158),
    Surface.GRASS: (94, 110, 58),
    Surface.SOIL: (122, 100, 74),
    Surface.CONCRETE: (160, 158, 152),
}
"""Of ground."""

_MARGINS_M: Final = (6.0, 18.0, 45.0, 90.0, 170.0, 300.0)


def build_ground(site: Site) -> None:
    """Lay carriageways and the land around: everything outside blocks, at carriageway level.

    Args:
        site: gets it.
    """
    plan, cell_m = site.plan, cell_size_m(site.terrain)
    u_marks, v_marks = _base_marks(plan.streets, plan.blocks)
    u_lines, v_lines = (_with_margins(lines(min(m), max(m), m, cell_m)) for m in (u_marks, v_marks))
    middle = np.stack(np.meshgrid(middles(u_lines), middles(v_lines), indexing="ij"), axis=-1)
    in_block = np.any([within(middle, b.u0, b.v0, b.u1, b.v1) for b in plan.blocks], axis=0) if plan.blocks else False
    surfaces = np.full(middle.shape[:2], int(Surface.GRASS))
    bounds = (u_lines[0], v_lines[0], u_lines[-1], v_lines[-1])
    for street in plan.streets:
        along, left = street_frame(street, middle)
        on = _on_street(street, along, left, bounds, (min(u_marks), min(v_marks), max(u_marks), max(v_marks)))
        is_new = on & (surfaces != int(Surface.ASPHALT))  # no median across a junction
        surfaces = np.where(is_new, surface_at(street, left), surfaces)
    corners = cells(u_lines, v_lines, np.zeros((len(u_lines), len(v_lines))))
    for surface in (Surface.ASPHALT, Surface.GRASS, Surface.CONCRETE):
        site.lay(quads(corners[(surfaces == int(surface)) & ~np.asarray(in_block)], surface, COLOURS[surface]))


def surface_at(street: Street, left_m: NDArrayFloat) -> NDArrayInt:
    """What a street is covered with.

    Args:
        street: the street.
        left_m: (...,) to the left of its middle line.
    """
    is_median = np.abs(left_m) < street.median_m / 2
    median = Surface.GRASS if street.median_m > 1.5 else Surface.CONCRETE
    return np.where(is_median, int(median), int(Surface.ASPHALT))


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
