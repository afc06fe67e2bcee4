"""From points to pillars: eight numbers a point, which say where it lies in its pillar and what else stands there.

Reflectance is not used: it differs from sensor to sensor, and between our world and real ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt
from vedette.models.pillars.grid import (
    CELL_M,
    CELLS,
    COLUMNS,
    HIGHEST_Z_M,
    LEAST_X_M,
    LEAST_Y_M,
    LOWEST_Z_M,
    ROWS,
)

FEATURES: Final = 8
"""Numbers a point, scaled to about one:

0, 1  offset from the pillar's centre along x and y, in cells
2     height above -1 m, metres: about the middle of a car
3, 4  offset from the mean of the pillar's points along x and y, in cells
5     height above that mean, metres
6     logarithm of the number of points in the pillar, a third of it
7     distance from the sensor's axis, in units of 40 m
"""
_MIDDLE_Z_M: Final = -1.0
_LOG_COUNT_UNIT: Final = 3.0
_RANGE_UNIT_M: Final = 40.0
assert np.iinfo(np.uint16).max + 1 >= CELLS  # sixteen bits a cell, which numpy sorts in linear time


@dataclass(frozen=True)
class Pillars:
    """The points inside the grid, those of one pillar next to each other.

    Args:
        features: ``(N,8) float32``, see `FEATURES`.
        slots: ``(N,) int64`` which pillar a point is in, 0 to P-1, ascending.
        cells: ``(P,) int64`` where each pillar stands, ascending.
    """

    features: NDArrayFloat32
    slots: NDArrayInt
    cells: NDArrayInt


def pillarise(points_velo_m: NDArrayFloat32) -> Pillars:
    """Sort points into pillars.

    Args:
        points_velo_m: ``(N,3 or more) float32`` x, y, z in metres, velo frame; further columns are ignored.

    Returns:
        The pillars; none where no point is inside the grid.
    """
    points = np.ascontiguousarray(points_velo_m[:, :3].T, dtype=np.float32)
    column = np.floor((points[0] - np.float32(LEAST_X_M)) / np.float32(CELL_M))
    row = np.floor((points[1] - np.float32(LEAST_Y_M)) / np.float32(CELL_M))
    inside = np.flatnonzero(_inside(column, row, points[2]))
    cell = (row[inside] * COLUMNS + column[inside]).astype(np.uint16)
    order = np.argsort(cell, kind="stable")
    return _described(points[:, inside[order]], cell[order].astype(np.int64))


def _inside(column: NDArrayFloat32, row: NDArrayFloat32, z_m: NDArrayFloat32) -> NDArrayBool:
    inside: NDArrayBool = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
    inside &= (z_m >= LOWEST_Z_M) & (z_m <= HIGHEST_Z_M)
    return inside


def _described(points: NDArrayFloat32, cell: NDArrayInt) -> Pillars:
    """Pillars of ``(3,N)`` points that are sorted by their cell."""
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    counts = np.diff(starts, append=len(cell))
    slots = np.repeat(np.arange(len(starts)), counts)
    if len(cell) == 0:
        return Pillars(np.zeros((0, FEATURES), np.float32), slots, cell)
    means = (np.add.reduceat(points, starts, axis=1) / counts).astype(np.float32)
    from_mean = points - means[:, slots]
    cells = cell[starts]
    log_counts = (np.log(counts) / _LOG_COUNT_UNIT).astype(np.float32)
    features = np.empty((len(cell), FEATURES), np.float32)
    features[:, 0] = (points[0] - _centre(cells % COLUMNS, LEAST_X_M)[slots]) / CELL_M
    features[:, 1] = (points[1] - _centre(cells // COLUMNS, LEAST_Y_M)[slots]) / CELL_M
    features[:, 2] = points[2] - _MIDDLE_Z_M
    features[:, 3] = from_mean[0] / CELL_M
    features[:, 4] = from_mean[1] / CELL_M
    features[:, 5] = from_mean[2]
    features[:, 6] = log_counts[slots]
    features[:, 7] = np.hypot(points[0], points[1]) / _RANGE_UNIT_M
    return Pillars(features, slots, cells)


def _centre(index: NDArrayInt, least_m: float) -> NDArrayFloat32:
    """Middle of a column or row, metres."""
    return (least_m + (index + 0.5) * CELL_M).astype(np.float32)
