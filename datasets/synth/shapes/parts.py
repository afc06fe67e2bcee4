"""Pieces of a vehicle: triangles coloured from the vehicle's palette, blocks, mirror images, the fit into a box."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat, NDArrayInt, NDArrayUInt8

_CORNERS: Final = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
_SIDES_AND_TOP: Final = np.array(
    [[4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]
)
_BOTTOM: Final = np.array([[0, 2, 1], [0, 3, 2]])


def part(vertices_m: ArrayLike, triangles: ArrayLike, surfaces: ArrayLike, palette: NDArrayUInt8) -> Mesh:
    """Triangles in the colours that the vehicle's surfaces have.

    Args:
        vertices_m: ``(V,3)``.
        triangles: ``(T,3)`` rows of `vertices_m`.
        surfaces: ``(T,)`` values of `Surface`, or one for all.
        palette: ``(surfaces,3) uint8`` colour of each surface.
    """
    faces = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    ids = np.broadcast_to(np.asarray(surfaces, dtype=np.uint8), len(faces))
    return Mesh(np.asarray(vertices_m, dtype=np.float32).reshape(-1, 3), faces, ids, palette[ids])


def blocks(bounds_m: ArrayLike, surface: Surface, palette: NDArrayUInt8, *, closed_below: bool = False) -> Mesh:
    """Upright cuboids along the axes.

    Args:
        bounds_m: ``(N,2,3)`` least and greatest corner of each.
        surface: of all.
        palette: ``(surfaces,3) uint8``.
        closed_below: have bottoms, for what hangs above the ground and is seen from below.
    """
    low, high = np.moveaxis(np.asarray(bounds_m, dtype=np.float64).reshape(-1, 2, 3), 1, 0)
    vertices = low[:, None] + (high - low)[:, None] * _CORNERS
    faces = np.concatenate([_SIDES_AND_TOP, _BOTTOM]) if closed_below else _SIDES_AND_TOP
    triangles = np.arange(len(low))[:, None, None] * len(_CORNERS) + faces
    return part(vertices, triangles, int(surface), palette)


def plates(corners_m: ArrayLike, surface: Surface, palette: NDArrayUInt8) -> Mesh:
    """Upright rectangles across the vehicle.

    Args:
        corners_m: ``(N,2,3)`` two opposite corners of each, both at one x.
        surface: of all.
        palette: ``(surfaces,3) uint8``.
    """
    first, last = np.moveaxis(np.asarray(corners_m, dtype=np.float64).reshape(-1, 2, 3), 1, 0)
    second, third = first.copy(), first.copy()
    second[:, 1], third[:, 2] = last[:, 1], last[:, 2]
    vertices = np.stack([first, second, last, third], axis=1)
    triangles = np.arange(len(first))[:, None, None] * 4 + np.array([[0, 1, 2], [0, 2, 3]])
    return part(vertices, triangles, int(surface), palette)


def with_mirror_image(left: Mesh) -> Mesh:
    """A left half and its mirror image on the right.

    Args:
        left: any triangles, y to the left.
    """
    right = Mesh(left.vertices_m * np.array([1, -1, 1], np.float32), left.triangles, left.surfaces, left.colours_rgb)
    return Mesh.merge([left, right])


def grid_triangles(rows: int, columns: int) -> NDArrayInt:
    """``(2 (rows-1) (columns-1),3)`` triangles of a grid of vertices stored row by row, in the same order.

    Args:
        rows: of vertices.
        columns: of vertices.
    """
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1, 1)
    quads = first + np.array([0, 1, columns + 1, 0, columns + 1, columns])
    return np.asarray(quads.reshape(-1, 3))


def stitched(first_x_m: NDArrayFloat, second_x_m: NDArrayFloat) -> NDArrayInt:
    """``(N+M-2,3)`` triangles between two lines of vertices that need not have equally many.

    Args:
        first_x_m: ``(N,)`` rising positions along the first line; its vertices are 0 to N-1.
        second_x_m: ``(M,)`` of the second; its vertices are N to N+M-1.
    """
    count = len(first_x_m)
    order = np.argsort(np.concatenate([first_x_m[1:], second_x_m[1:]]), kind="stable")
    on_first = order < count - 1
    i = np.cumsum(on_first, dtype=np.int64) - on_first
    j = count + np.cumsum(~on_first, dtype=np.int64) - ~on_first
    return np.stack([i, np.where(on_first, i + 1, j + 1), j], axis=1)


def fitted(mesh: Mesh, size_m: tuple[float, float, float]) -> RigidShape:
    """A shape that fills its box exactly: centred, bottom at 0.

    Args:
        mesh: a vehicle of about that size.
        size_m: length, width and height.
    """
    low, high = mesh.vertices_m.min(axis=0), mesh.vertices_m.max(axis=0)
    anchor = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    vertices = (mesh.vertices_m - anchor) * (np.array(size_m) / (high - low))
    body = Mesh(vertices.astype(np.float32), mesh.triangles, mesh.surfaces, mesh.colours_rgb)
    return RigidShape(body, size_m)
