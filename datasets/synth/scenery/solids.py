"""Many boxes, quads and roofs at once: what scenery is put together from, in arrays instead of one by one."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_CORNERS: Final = np.array(
    [[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0], [1, 1, 2], [1, -1, 2], [-1, -1, 2], [-1, 1, 2]]
) / 2.0  # fmt: skip
_FACES: Final = np.array(
    [
        [0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
        [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ]
)  # fmt: skip


def cuboids(bottoms_m: ArrayLike, sizes_m: ArrayLike, surface: Surface, colour: Colour) -> Mesh:
    """Boxes along the axes.

    Args:
        bottoms_m: (N, 3) centres of their bottom faces.
        sizes_m: (N, 3) or (3,): length along x, width along y, height.
        surface: of all.
        colour: of all.
    """
    bottoms = np.asarray(bottoms_m, dtype=np.float64).reshape(-1, 3)
    sizes = np.broadcast_to(np.asarray(sizes_m, dtype=np.float64), bottoms.shape)
    vertices = bottoms[:, None] + _CORNERS * sizes[:, None]
    triangles = 8 * np.arange(len(bottoms))[:, None, None] + _FACES
    return Mesh.of(vertices, triangles, surface, colour)


def quads(corners_m: ArrayLike, surface: Surface, colour: Colour) -> Mesh:
    """Four-cornered faces that share no vertices.

    Args:
        corners_m: (N, 4, 3) in order round each.
        surface: of all.
        colour: of all.
    """
    corners = np.asarray(corners_m, dtype=np.float64).reshape(-1, 4, 3)
    triangles = 4 * np.arange(len(corners))[:, None, None] + np.array([[0, 1, 2], [0, 2, 3]])
    return Mesh.of(corners, triangles, surface, colour)


def upright(start_m: NDArrayFloat, end_m: NDArrayFloat, low_m: NDArrayFloat, high_m: NDArrayFloat) -> NDArrayFloat:
    """``(N,4,3)`` corners of upright faces over lines, for `quads`.

    Args:
        start_m: (N, 2).
        end_m: (N, 2).
        low_m: (N,) height of their lower edge.
        high_m: (N,) height of their upper edge.
    """
    return np.stack(
        [
            np.column_stack([start_m, low_m]),
            np.column_stack([end_m, low_m]),
            np.column_stack([end_m, high_m]),
            np.column_stack([start_m, high_m]),
        ],
        axis=1,
    )


def gabled_roof(size_m: tuple[float, float], eaves_m: float, rise_m: float, overhang_m: float, colour: Colour) -> Mesh:
    """Two slopes whose ridge runs along x.

    Args:
        size_m: length and width of the house below, centred at the origin.
        eaves_m: height of the walls.
        rise_m: from there to the ridge.
        overhang_m: how far the slopes reach beyond the walls.
        colour: of the tiles.
    """
    x, y = size_m[0] / 2 + overhang_m, size_m[1] / 2
    low = eaves_m - rise_m * overhang_m / y
    y += overhang_m
    top = eaves_m + rise_m
    slopes = [[[-x, side * y, low], [x, side * y, low], [x, 0.0, top], [-x, 0.0, top]] for side in (-1.0, 1.0)]
    return quads(slopes, Surface.BRICK, colour)


def gables(size_m: tuple[float, float], eaves_m: float, rise_m: float, surface: Surface, colour: Colour) -> Mesh:
    """The two triangles of wall under a roof whose ridge runs along x.

    Args:
        size_m: length and width of the house, centred at the origin.
        eaves_m: height of the walls.
        rise_m: from there to the ridge.
        surface: of the wall.
        colour: of the wall.
    """
    x, y = size_m[0] / 2, size_m[1] / 2
    ends = [[[s * x, -y, eaves_m], [s * x, y, eaves_m], [s * x, 0.0, eaves_m + rise_m]] for s in (-1.0, 1.0)]
    return Mesh.of(np.reshape(ends, (-1, 3)), [[0, 1, 2], [3, 4, 5]], surface, colour)
