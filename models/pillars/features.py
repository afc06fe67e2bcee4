"""From points to pillars: eight numbers a point, which say where it lies in its quarter and what else is there.

Reflectance is not used: it differs from sensor to sensor, and between our world and real ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt
from vedette.models.pillars.grid import (
    COLUMNS,
    HIGHEST_Z_M,
    LEAST_X_M,
    LEAST_Y_M,
    LOWEST_Z_M,
    QUARTER_M,
    QUARTERS,
    ROWS,
)

FEATURES: Final = 8
"""Numbers a point, scaled to about one:

0, 1  offset from the quarter's centre along x and y, in its widths
2     height above -1 m, metres: about the middle of a car
3, 4  offset from the mean of the quarter's points along x and y, in its widths
5     height above that mean, metres
6     logarithm of the number of points in the quarter, a third of it
7     distance from the sensor's axis, in units of 40 m
"""
_MIDDLE_Z_M: Final = -1.0
_LOG_COUNT_UNIT: Final = 3.0
_RANGE_UNIT_M: Final = 40.0


@dataclass(frozen=True)
class Pillars:
    """The points inside the grid, those of one quarter next to each other.

    Args:
        features: ``(N,8) float32``, see `FEATURES`.
        slots: ``(N,) int64`` which quarter a point is in, ascending: 4 times the number of its pillar, 0 to P-1, and
            the quarter, 0 to 3.
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
    column = np.floor((points[0] - np.float32(LEAST_X_M)) / np.float32(QUARTER_M))
    row = np.floor((points[1] - np.float32(LEAST_Y_M)) / np.float32(QUARTER_M))
    inside = np.flatnonzero(_inside(column, row, points[2]))
    place = _places(column[inside].astype(np.uint32), row[inside].astype(np.uint32))
    order = _sorting(place)
    return _described(points[:, inside[order]], place[order].astype(np.int64))


def _places(column: NDArray[np.uint32], row: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Four times the pillar's cell, and the quarter, of columns and rows of quarters."""
    cell = (row >> 1) * np.uint32(COLUMNS) + (column >> 1)
    places: NDArray[np.uint32] = cell * np.uint32(QUARTERS) + (row & 1) * np.uint32(2) + (column & 1)
    return places


def _sorting(places: NDArray[np.uint32]) -> NDArrayInt:
    """What puts places in order, equal ones as they came; sixteen bits at a time, which numpy sorts in linear time."""
    by_low = np.argsort(places.astype(np.uint16), kind="stable")
    by_high = np.argsort((places[by_low] >> 16).astype(np.uint16), kind="stable")
    order: NDArrayInt = by_low[by_high]
    return order


def _inside(column: NDArrayFloat32, row: NDArrayFloat32, z_m: NDArrayFloat32) -> NDArrayBool:
    inside: NDArrayBool = (column >= 0) & (column < 2 * COLUMNS) & (row >= 0) & (row < 2 * ROWS)
    inside &= (z_m >= LOWEST_Z_M) & (z_m <= HIGHEST_Z_M)
    return inside


def _described(points: NDArrayFloat32, place: NDArrayInt) -> Pillars:
    """Pillars of ``(3,N)`` points that are sorted by their place."""
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    counts = np.diff(starts, append=len(place))
    if len(place) == 0:
        return Pillars(np.zeros((0, FEATURES), np.float32), place, place)
    quarters = place[starts]
    cells, pillar = np.unique(quarters // QUARTERS, return_inverse=True)
    own = np.repeat(np.arange(len(starts)), counts)
    return Pillars(
        _features(points, quarters, counts, own, (np.add.reduceat(points, starts, axis=1) / counts).astype(np.float32)),
        (pillar * QUARTERS + quarters % QUARTERS)[own],
        cells,
    )


def _features(
    points: NDArrayFloat32, quarters: NDArrayInt, counts: NDArrayInt, own: NDArrayInt, means: NDArrayFloat32
) -> NDArrayFloat32:
    """Rows of `FEATURES` of ``(3,N)`` points; `own` is the quarter of each, of which the others speak."""
    from_mean = points - means[:, own]
    x_m, y_m = _middles(quarters)
    log_counts = (np.log(counts) / _LOG_COUNT_UNIT).astype(np.float32)
    features = np.empty((len(own), FEATURES), np.float32)
    features[:, 0] = (points[0] - x_m[own]) / QUARTER_M
    features[:, 1] = (points[1] - y_m[own]) / QUARTER_M
    features[:, 2] = points[2] - _MIDDLE_Z_M
    features[:, 3] = from_mean[0] / QUARTER_M
    features[:, 4] = from_mean[1] / QUARTER_M
    features[:, 5] = from_mean[2]
    features[:, 6] = log_counts[own]
    features[:, 7] = np.hypot(points[0], points[1]) / _RANGE_UNIT_M
    return features


def _middles(quarters: NDArrayInt) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Middles of quarters along x and y, metres."""
    cells, quarter = np.divmod(quarters, QUARTERS)
    columns, rows = 2 * (cells % COLUMNS) + quarter % 2, 2 * (cells // COLUMNS) + quarter // 2
    x_m = (LEAST_X_M + (columns + 0.5) * QUARTER_M).astype(np.float32)
    y_m = (LEAST_Y_M + (rows + 0.5) * QUARTER_M).astype(np.float32)
    return x_m, y_m
