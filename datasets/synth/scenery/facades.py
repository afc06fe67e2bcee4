"""Walls with windows and doors set into them, and what sticks out: sills, shutters, balconies, pipes.

A wall's own frame: x along it from 0, z up, its outside towards -y. Windows lie behind it, so that a beam that meets
a facade finds edges and depth as on a real one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.scenery.solids import cuboids, quads
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat, NDArrayInt

_RECESS_M: Final = 0.16
_FRAME_M: Final = 0.04
_FRAME: Final[Colour] = (214, 212, 206)
_CURTAIN: Final[Colour] = (176, 176, 172)
_BLIND: Final[Colour] = (196, 192, 182)
_PANE: Final[Colour] = (70, 84, 98)
_STONE: Final[Colour] = (188, 184, 176)
_STEEL: Final[Colour] = (120, 124, 128)


class Filling(IntEnum):
    """What closes an opening."""

    PANE = 0
    DOOR = 1
    SHUTTER = 2  # a garage's or a hall's


@dataclass(frozen=True)
class Finish:
    """What a building's walls are made of.

    Args:
        surface: of the walls.
        colour: of the walls.
        door: colour of doors and gates.
    """

    surface: Surface
    colour: Colour
    door: Colour


def windows(length_m: float, floors_m: ArrayLike, *, pitch_m: float, width_m: float, height_m: float) -> NDArrayFloat:
    """Rows of windows, evenly spread.

    Args:
        length_m: of the wall.
        floors_m: (F,) heights of their lower edges.
        pitch_m: about how far from one to the next.
        width_m: of a window.
        height_m: of a window.

    Returns:
        ``(N,5)`` x0, x1, z0, z1 and `Filling` of each.
    """
    count = int((length_m - 0.6) / max(pitch_m, width_m + 0.3))
    x = (np.arange(count) + 0.5) * length_m / max(count, 1) - width_m / 2
    z, x = (values.ravel() for values in np.meshgrid(np.asarray(floors_m, dtype=np.float64), x, indexing="ij"))
    return np.stack([x, x + width_m, z, z + height_m, np.full_like(x, Filling.PANE)], axis=1)


def opening(middle_m: float, width_m: float, low_m: float, high_m: float, filling: Filling) -> NDArrayFloat:
    """``(1,5)`` one opening, as `windows` gives many.

    Args:
        middle_m: along the wall.
        width_m: of the opening.
        low_m: its lower edge.
        high_m: its upper edge.
        filling: what closes it.
    """
    return np.array([[middle_m - width_m / 2, middle_m + width_m / 2, low_m, high_m, float(filling)]])


def without_overlap(openings: NDArrayFloat, other: NDArrayFloat) -> NDArrayFloat:
    """Those openings that keep 0.2 m from another, followed by the other.

    Args:
        openings: (N, 5).
        other: (1, 5).
    """
    x0, x1, z0, z1 = other[0, :4] + np.array([-0.2, 0.2, -0.2, 0.2])
    apart = (openings[:, 1] < x0) | (openings[:, 0] > x1) | (openings[:, 3] < z0) | (openings[:, 2] > z1)
    return np.concatenate([openings[apart], other])


def wall(length_m: float, low_m: float, high_m: float, openings: NDArrayFloat, finish: Finish) -> Mesh:
    """A wall with its openings.

    Args:
        length_m: along x.
        low_m: height of its lower edge, which may lie below the ground.
        high_m: height of its upper edge.
        openings: (N, 5) from `windows` and `opening`, apart from one another and inside the wall.
        finish: what it is made of.
    """
    if len(openings) == 0:
        corners = [[0.0, 0.0, low_m], [length_m, 0.0, low_m], [length_m, 0.0, high_m], [0.0, 0.0, high_m]]
        return quads([corners], finish.surface, finish.colour)
    x_lines = np.unique(np.concatenate([[0.0, length_m], openings[:, 0], openings[:, 1]]))
    z_lines = np.unique(np.concatenate([[low_m, high_m], openings[:, 2], openings[:, 3]]))
    x, z = (x_lines[:-1] + x_lines[1:]) / 2, (z_lines[:-1] + z_lines[1:]) / 2
    in_x = (x[:, None] > openings[:, 0]) & (x[:, None] < openings[:, 1])
    in_z = (z[:, None] > openings[:, 2]) & (z[:, None] < openings[:, 3])
    is_open = (in_z.astype(np.int64) @ in_x.T.astype(np.int64)) > 0
    row, first, last = _runs(~is_open)
    solid = _panels(x_lines[first], x_lines[last], z_lines[row], z_lines[row + 1])
    meshes = [quads(solid, finish.surface, finish.colour), quads(_reveals(openings), finish.surface, finish.colour)]
    looks = {
        Filling.PANE: (Surface.WINDOW, _PANE),
        Filling.DOOR: (Surface.WOOD, finish.door),
        Filling.SHUTTER: (Surface.METAL, finish.door),
    }
    for filling, (surface, colour) in looks.items():
        x0, x1, z0, z1 = openings[openings[:, 4] == filling, :4].T
        meshes.append(quads(_panels(x0, x1, z0, z1, _RECESS_M), surface, colour))
    return Mesh.merge(meshes)


def sills(openings: NDArrayFloat) -> Mesh:
    """Stone sills below windows.

    Args:
        openings: (N, 5); only panes get one.
    """
    x0, x1, z0, _ = openings[openings[:, 4] == Filling.PANE, :4].T
    x0, x1, out, wall_y = x0 - 0.08, x1 + 0.08, np.full_like(x0, -0.12), np.zeros_like(x0)
    top = [(x0, out, z0), (x1, out, z0), (x1, wall_y, z0), (x0, wall_y, z0)]
    front = [(x0, out, z0 - 0.07), (x1, out, z0 - 0.07), (x1, out, z0), (x0, out, z0)]
    faces = [np.stack([np.stack(corner, axis=1) for corner in face], axis=1) for face in (top, front)]
    return quads(np.concatenate(faces), Surface.CONCRETE, _STONE)


def dressing(rng: np.random.Generator, openings: NDArrayFloat) -> Mesh:
    """Frames of windows, and the blinds and curtains of most: bare panes return no shot.

    Args:
        rng: how far each blind is let down and each curtain is drawn.
        openings: (N, 5); only panes get some.
    """
    x0, x1, z0, z1 = openings[openings[:, 4] == Filling.PANE, :4].T
    middle = (x0 + x1) / 2
    down = np.clip(rng.uniform(-0.4, 1.3, len(x0)), 0.0, 0.95)
    bars = _panels(middle - _FRAME_M, middle + _FRAME_M, z0, z1, _RECESS_M - 0.02)
    rails = _panels(x0, x1, z0, z0 + 2 * _FRAME_M, _RECESS_M - 0.02)
    blinds = _panels(x0, x1, z1 - down * (z1 - z0), z1, _RECESS_M - 0.04)[down > 0]
    drawn = rng.uniform(0.05, 0.35, (2, len(x0))) * (x1 - x0)
    curtains = [_panels(*x, z0, z1, _RECESS_M - 0.01) for x in ((x0, x0 + drawn[0]), (x1 - drawn[1], x1))]
    frames = quads(np.concatenate([bars, rails]), Surface.WOOD, _FRAME)
    cloth = quads(np.concatenate(curtains), Surface.CLOTH, _CURTAIN)
    return Mesh.merge([frames, cloth, quads(blinds, Surface.PLASTER, _BLIND)])


def shutters(openings: NDArrayFloat, colour: Colour) -> Mesh:
    """Wooden shutters at both sides of windows, folded back against the wall.

    Args:
        openings: (N, 5); only panes get some.
        colour: of all.
    """
    x0, x1, z0, z1 = openings[openings[:, 4] == Filling.PANE, :4].T
    width = 0.38 * (x1 - x0)
    x = np.concatenate([x0 - width / 2, x1 + width / 2])
    bottoms = np.stack([x, np.full_like(x, -0.03), np.tile(z0, 2)], axis=1)
    sizes = np.stack([np.tile(width, 2), np.full_like(x, 0.05), np.tile(z1 - z0, 2)], axis=1)
    return cuboids(bottoms, sizes, Surface.WOOD, colour)


def balcony(middle_m: float, width_m: float, floor_m: float, colour: Colour) -> Mesh:
    """A slab with a parapet.

    Args:
        middle_m: along the wall.
        width_m: of the slab.
        floor_m: height of the slab.
        colour: of the parapet.
    """
    depth = 1.3
    slab = cuboids([middle_m, -depth / 2, floor_m - 0.18], [width_m, depth, 0.18], Surface.CONCRETE, _STONE)
    rail = cuboids(
        [
            [middle_m, -depth, floor_m + 0.1],
            [middle_m - width_m / 2, -depth / 2, floor_m + 0.1],
            [middle_m + width_m / 2, -depth / 2, floor_m + 0.1],
        ],
        [[width_m, 0.04, 0.9], [0.04, depth, 0.9], [0.04, depth, 0.9]],
        Surface.METAL,
        colour,
    )
    return Mesh.merge([slab, rail])


def downpipe(at_m: float, eaves_m: float) -> Mesh:
    """A rain pipe.

    Args:
        at_m: along the wall.
        eaves_m: its upper end.
    """
    return cuboids([at_m, -0.08, 0.0], [0.1, 0.1, eaves_m], Surface.METAL, _STEEL)


def stairs(middle_m: float, width_m: float, top_m: float) -> Mesh:
    """Steps up to a door.

    Args:
        middle_m: along the wall.
        width_m: of the steps.
        top_m: height of the door's threshold, 0.1 or more.
    """
    count = max(1, round(top_m / 0.17))
    k = np.arange(count)
    run = 0.3 * (count - k) + 0.7  # the lowest step reaches out farthest
    bottoms = np.stack([np.full(count, middle_m), -run / 2, np.full(count, -0.3)], axis=1)
    sizes = np.stack([np.full(count, width_m), run, 0.3 + (k + 1) * top_m / count], axis=1)
    return cuboids(bottoms, sizes, Surface.CONCRETE, _STONE)


def _runs(solid: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> tuple[NDArrayInt, NDArrayInt, NDArrayInt]:
    """Row, first and one past the last column of every run of solid cells."""
    edges = np.diff(np.pad(solid.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(edges == 1)
    return row, first, np.nonzero(edges == -1)[1]


def _panels(x0: NDArrayFloat, x1: NDArrayFloat, z0: NDArrayFloat, z1: NDArrayFloat, y_m: float = 0.0) -> NDArrayFloat:
    """``(N,4,3)`` rectangles in the wall's plane or behind it."""
    y = np.full_like(x0, y_m)
    return np.stack([np.stack(p, axis=1) for p in ((x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1))], axis=1)


def _reveals(openings: NDArrayFloat) -> NDArrayFloat:
    """``(3N,4,3)`` the sides and the top of every opening; sills cover the bottom."""
    front = _panels(*openings[:, :4].T)
    back = front + np.array([0.0, _RECESS_M, 0.0])
    sides = [np.stack([front[:, a], front[:, b], back[:, b], back[:, a]], axis=1) for a, b in _EDGES]
    return np.concatenate(sides)


_EDGES: Final = ((1, 2), (2, 3), (3, 0))
