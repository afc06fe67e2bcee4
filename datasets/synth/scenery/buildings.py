"""Bodies of buildings: four walls, a roof, and the parts of each in its place.

A building's frame: the origin on the ground in the middle, x along its front, the front towards -y.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.scenery.facades import Finish, wall
from vedette.datasets.synth.scenery.solids import cuboids, gabled_roof, gables, quads
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

FOOT_M: Final = -1.2
"""Walls reach this far below the ground, which may fall under a building."""

NO_OPENINGS: Final = np.zeros((0, 5))
_TURNS: Final = (((1, 0), (0, 1)), ((0, -1), (1, 0)), ((-1, 0), (0, -1)), ((0, 1), (-1, 0)))
_TILES: Final[tuple[Colour, ...]] = (
    (128, 62, 46),
    (112, 54, 44),
    (142, 78, 54),
    (84, 78, 78),
    (70, 66, 70),
    (120, 84, 66),
)
_PLASTERS: Final[tuple[Colour, ...]] = (
    (226, 220, 204), (214, 200, 168), (232, 228, 222), (206, 190, 172), (196, 204, 204),
    (222, 196, 160), (188, 178, 168), (216, 206, 150), (200, 160, 140),
)  # fmt: skip
_BRICKS: Final[tuple[Colour, ...]] = ((150, 84, 64), (164, 104, 80), (134, 92, 80))
_DOORS: Final[tuple[Colour, ...]] = ((96, 62, 40), (230, 230, 226), (60, 80, 66), (70, 74, 84), (120, 40, 40))


def pick(rng: np.random.Generator, colours: Sequence[Colour]) -> Colour:
    """One of several colours.

    Args:
        rng: draws it.
        colours: one or more.
    """
    return colours[int(rng.integers(len(colours)))]


def draw_finish(rng: np.random.Generator) -> Finish:
    """Walls of a dwelling.

    Args:
        rng: draws them.
    """
    if rng.random() < 0.14:
        return Finish(Surface.BRICK, pick(rng, _BRICKS), pick(rng, _DOORS))
    return Finish(Surface.PLASTER, pick(rng, _PLASTERS), pick(rng, _DOORS))


def draw_tiles(rng: np.random.Generator) -> Colour:
    """Colour of a roof.

    Args:
        rng: draws it.
    """
    return pick(rng, _TILES)


def on_side(mesh: Mesh, side: int, size_m: tuple[float, float]) -> Mesh:
    """Something in a wall's frame, at one side of a building.

    Args:
        mesh: in the frame of `facades`.
        side: 0 front, 1 right, 2 back, 3 left, seen from above.
        size_m: length and width of the building.
    """
    length, width = size_m if side % 2 == 0 else size_m[::-1]
    local = mesh.vertices_m + np.array([-length / 2, -width / 2, 0.0])
    turn = np.array(_TURNS[side], dtype=np.float64)
    vertices = np.column_stack([local[:, :2] @ turn.T, local[:, 2]]).astype(np.float32)
    return Mesh(vertices, mesh.triangles, mesh.surfaces, mesh.colours_rgb)


def walls(size_m: tuple[float, float], height_m: float, openings: Sequence[NDArrayFloat], finish: Finish) -> Mesh:
    """Four walls.

    Args:
        size_m: length and width.
        height_m: of all.
        openings: of the front, right, back and left wall, (N, 5) each.
        finish: what they are made of.
    """
    return Mesh.merge(
        [on_side(wall(size_m[side % 2], FOOT_M, height_m, openings[side], finish), side, size_m) for side in range(4)]
    )


def gable_top(
    size_m: tuple[float, float], eaves_m: float, rise_m: float, finish: Finish, tiles: Colour, *, across: bool = False
) -> Mesh:
    """Gables and a roof over them.

    Args:
        size_m: length and width.
        eaves_m: height of the walls.
        rise_m: of the ridge above them.
        finish: of the gables.
        tiles: colour of the roof.
        across: the ridge runs from front to back.
    """
    length, width = size_m[::-1] if across else size_m
    top = Mesh.merge(
        [
            gables((length, width), eaves_m, rise_m, finish.surface, finish.colour),
            gabled_roof((length, width), eaves_m, rise_m, 0.4, tiles),
        ]
    )
    if not across:
        return top
    vertices = top.vertices_m[:, [1, 0, 2]] * np.array([-1, 1, 1], dtype=np.float32)
    return Mesh(vertices, top.triangles, top.surfaces, top.colours_rgb)


def flat_top(size_m: tuple[float, float], height_m: float, colour: Colour) -> Mesh:
    """A flat roof with an edge that stands out a little.

    Args:
        size_m: length and width.
        height_m: of the walls.
        colour: of the edge.
    """
    x, y = size_m[0] / 2, size_m[1] / 2
    top = quads(
        [[[-x, -y, height_m], [x, -y, height_m], [x, y, height_m], [-x, y, height_m]]], Surface.CONCRETE, colour
    )
    thick = 0.3
    rim = cuboids(
        [[0, -y, height_m - 0.1], [0, y, height_m - 0.1], [-x, 0, height_m - 0.1], [x, 0, height_m - 0.1]],
        [[2 * x, thick, thick], [2 * x, thick, thick], [thick, 2 * y, thick], [thick, 2 * y, thick]],
        Surface.METAL,
        colour,
    )
    return Mesh.merge([top, rim])
