"""Bodies that are round but modelled in flat panels: normals at the panels' corners, to be blended across them."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat32, NDArrayInt

_SMOOTH: Final = [int(s) for s in (Surface.CAR_PAINT, Surface.CAR_GLASS, Surface.CLOTH, Surface.SKIN, Surface.RUBBER)]
_CREASE_COSINE = 0.85
"""Panels that meet at a sharper angle, of more than 32 degrees, keep their edge."""
_WELD_M = 2e-3
"""Corners that are nearer than this are one: panels are modelled apart."""


def smooth_triangles(mesh: Mesh) -> NDArrayInt:
    """``(K,) int64`` rows of the triangles whose shape is meant to be round.

    Args:
        mesh: any.
    """
    return np.flatnonzero(np.isin(mesh.surfaces, _SMOOTH))


def corner_normals(mesh: Mesh, normals: NDArrayFloat32, rows: NDArrayInt) -> NDArrayFloat32:
    """``(K,3,3) float32`` unit normal at each corner of some triangles: of those around it, up to creases, by area.

    Normals that point to opposite sides of a surface count as the same.

    Args:
        mesh: any.
        normals: ``(T,3) float32`` of its triangles.
        rows: ``(K,) int64`` of the triangles; only these smooth one another, and only those of one surface.
    """
    if not len(rows):
        return np.zeros((0, 3, 3), dtype=np.float32)
    corners = mesh.vertices_m[mesh.triangles[rows]]
    flat = normals[rows].repeat(3, axis=0)
    surfaces = mesh.surfaces[rows].repeat(3)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).repeat(3)
    mine, neighbours = _pairs(_welded(corners.reshape(-1, 3)))
    cosine = np.einsum("ij,ij->i", flat[mine], flat[neighbours])
    alike = (np.abs(cosine) > _CREASE_COSINE) & (surfaces[mine] == surfaces[neighbours])
    weight = np.where(alike, np.sign(cosine) * areas[neighbours], 0.0)
    total = np.stack([np.bincount(mine, weight * flat[neighbours, axis], len(flat)) for axis in range(3)], axis=1)
    lengths = np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
    return np.asarray((total / lengths).reshape(-1, 3, 3), dtype=np.float32)


def blended_normals(corners_m: NDArrayFloat32, normals: NDArrayFloat32, points_m: NDArrayFloat32) -> NDArrayFloat32:
    """``(N,3) float32`` unit normals at points of triangles, by barycentric weights.

    Args:
        corners_m: ``(N,3,3) float32`` of each point's triangle.
        normals: ``(N,3,3) float32`` at those corners.
        points_m: ``(N,3) float32``.
    """
    ab, ac, ap = corners_m[:, 1] - corners_m[:, 0], corners_m[:, 2] - corners_m[:, 0], points_m - corners_m[:, 0]
    bb, bc, cc, pb, pc = (np.einsum("ij,ij->i", a, b) for a, b in ((ab, ab), (ab, ac), (ac, ac), (ap, ab), (ap, ac)))
    area = np.maximum(bb * cc - bc * bc, np.float32(1e-20))
    b, c = (cc * pb - bc * pc) / area, (bb * pc - bc * pb) / area
    weights = np.clip(np.stack([1 - b - c, b, c], axis=1), 0.0, 1.0)
    blended = np.einsum("nk,nkj->nj", weights, normals)
    blended /= np.maximum(np.sqrt(np.einsum("ij,ij->i", blended, blended)), np.float32(1e-9))[:, None]
    return np.asarray(blended, dtype=np.float32)


def _welded(corners_m: NDArrayFloat32) -> NDArrayInt:
    """(C,) number of the place at which each corner lies."""
    cells = np.round((corners_m - corners_m.min(axis=0)) / np.float32(_WELD_M)).astype(np.int64)
    # each coordinate takes 21 bits, enough for 4 km
    keys = (cells[:, 0] << 42) | (cells[:, 1] << 21) | cells[:, 2]
    return np.unique(keys, return_inverse=True)[1]


def _pairs(places: NDArrayInt) -> tuple[NDArrayInt, NDArrayInt]:
    """Every ordered pair of corners at one place, itself included."""
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places)
    starts = np.cumsum(counts) - counts
    many = counts[places]
    mine = np.repeat(np.arange(len(places)), many)
    step = np.arange(len(mine)) - np.repeat(np.cumsum(many) - many, many)
    return mine, order[np.repeat(starts[places], many) + step]
