"""Grids in the plan whose lines lie on all edges and are close enough to follow the terrain."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import numpy as np

from vedette.datasets.synth.terrain import Terrain
from vedette.geometry import NDArrayBool, NDArrayFloat

_FLATNESS_M: Final = 0.003  # markings are laid 8 mm above the true height and must not sink into the mesh
_STRAIGHTNESS_M: Final = 0.03
_CELL_M: Final = (2.0, 8.0)


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
    pieces = [np.linspace(a, b, max(1, int(np.ceil((b - a) / cell_m))), endpoint=False) for a, b in pairwise(marks)]
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


def within(uv_m: NDArrayFloat, u0: float, v0: float, u1: float, v1: float) -> NDArrayBool:
    """Whether points lie in a rectangle.

    Args:
        uv_m: (..., 2).
        u0: its west edge.
        v0: its south edge.
        u1: its east edge.
        v1: its north edge.
    """
    u, v = uv_m[..., 0], uv_m[..., 1]
    return np.asarray((u > u0) & (u < u1) & (v > v0) & (v < v1))


def middles(values: NDArrayFloat) -> NDArrayFloat:
    """Half-way points.

    Args:
        values: (N+1,).
    """
    return np.asarray((values[:-1] + values[1:]) / 2)
