"""Height of the ground, place by place: a robust plane, and a coarse grid of what the plane misses.

The plane takes the slope out, so that the cells of the grid may be large enough to hold ground points even between
parked cars. A cell's ground is the mean of its lowest band of points; a cell that sees only an object's roof, or a
stray return from below, differs from its neighbours and takes their median.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt

_CELL_M: Final = 4.0
_AHEAD_M: Final = 80.0
_ASIDE_M: Final = 48.0
_COLUMNS: Final = int(_AHEAD_M / _CELL_M)
_ROWS: Final = int(2 * _ASIDE_M / _CELL_M)
_PLANE_RANGE_M: Final = 35.0
_PLANE_BANDS_M: Final = (0.6, 0.35, 0.2, 0.15)
_PLANE_POINTS: Final = 3000
_MIN_PLANE_POINTS: Final = 60
_MODE_BIN_M: Final = 0.2
_GRID_REACH_M: Final = 1.2
_BAND_M: Final = 0.15
_MIN_CELL_POINTS: Final = 4
_MAX_STEP_M: Final = 0.2


@dataclass(frozen=True)
class Ground:
    """The ground before the sensor.

    Args:
        plane: ``(3,)`` a, b, c of z = a x + b y + c, velo frame.
        offsets_m: ``(columns, rows)`` height of the ground over the plane at the cells' centres.
    """

    plane: NDArrayFloat
    offsets_m: NDArrayFloat

    def height_m(self, xy_velo: NDArrayFloat | NDArrayFloat32) -> NDArrayFloat:
        """Height of the ground, interpolated between cells and held constant beyond the grid.

        Args:
            xy_velo: ``(N,2)`` metres.

        Returns:
            ``(N,)`` z of the ground in the velo frame.
        """
        column = np.clip(xy_velo[:, 0] / _CELL_M - 0.5, 0.0, _COLUMNS - 1.001)
        row = np.clip((xy_velo[:, 1] + _ASIDE_M) / _CELL_M - 0.5, 0.0, _ROWS - 1.001)
        left, low = column.astype(np.int64), row.astype(np.int64)
        along, across = column - left, row - low
        flat, offsets = left * _ROWS + low, self.offsets_m.ravel()
        near = (1 - across) * offsets[flat] + across * offsets[flat + 1]
        far = (1 - across) * offsets[flat + _ROWS] + across * offsets[flat + _ROWS + 1]
        plane_z: NDArrayFloat = xy_velo[:, 0] * self.plane[0] + xy_velo[:, 1] * self.plane[1] + self.plane[2]
        height: NDArrayFloat = plane_z + (1 - along) * near + along * far
        return height

    def height_at(self, x: float, y: float) -> float:
        """The same for one place; a tenth of the time."""
        column = min(max(x / _CELL_M - 0.5, 0.0), _COLUMNS - 1.001)
        row = min(max((y + _ASIDE_M) / _CELL_M - 0.5, 0.0), _ROWS - 1.001)
        left, low = int(column), int(row)
        along, across = column - left, row - low
        near = (1 - across) * self.offsets_m.item(left, low) + across * self.offsets_m.item(left, low + 1)
        far = (1 - across) * self.offsets_m.item(left + 1, low) + across * self.offsets_m.item(left + 1, low + 1)
        plane_z = x * self.plane.item(0) + y * self.plane.item(1) + self.plane.item(2)
        return plane_z + (1 - along) * near + along * far


def fit_ground(points_velo: NDArrayFloat32) -> Ground:
    """Find the ground in a sweep or in the part of it that the camera sees.

    Args:
        points_velo: ``(N,3 or more) float32`` metres; may be empty, then the ground is the plane z = 0.

    Returns:
        The ground; with few points just a level plane at their lowest height.
    """
    x, y, z = (np.ascontiguousarray(points_velo[:, axis]) for axis in range(3))
    plane = _fit_plane(x, y, z)
    above = z - (plane[0] * x + plane[1] * y + plane[2]).astype(np.float32)
    return Ground(plane, _fit_offsets(x, y, above))


def _fit_plane(x: NDArrayFloat32, y: NDArrayFloat32, z: NDArrayFloat32) -> NDArrayFloat:
    """Least squares over an ever narrower band, starting level at the height where most points are."""
    near = np.flatnonzero((np.abs(x) < _PLANE_RANGE_M) & (np.abs(y) < _PLANE_RANGE_M))
    near = near[:: len(near) // _PLANE_POINTS + 1]
    if len(near) < _MIN_PLANE_POINTS:
        return np.array([0.0, 0.0, float(z.min(initial=0.0))])
    design = np.stack([x[near], y[near], np.ones(len(near), np.float32)], axis=1).astype(np.float64)
    height = z[near].astype(np.float64)
    plane = np.array([0.0, 0.0, _commonest_height_m(height)])
    for band_m in _PLANE_BANDS_M:
        ground = np.abs(height - design @ plane) < band_m
        if ground.sum() < _MIN_PLANE_POINTS:
            break
        rows = design[ground]
        plane = np.linalg.solve(rows.T @ rows + 1e-6 * np.eye(3), rows.T @ height[ground])
    return plane


def _commonest_height_m(heights_m: NDArrayFloat) -> float:
    bins = np.floor(heights_m / _MODE_BIN_M).astype(np.int64)
    lowest = int(bins.min())
    return (lowest + int(np.bincount(bins - lowest).argmax()) + 0.5) * _MODE_BIN_M


def _fit_offsets(x: NDArrayFloat32, y: NDArrayFloat32, above_m: NDArrayFloat32) -> NDArrayFloat:
    """``(columns, rows)`` ground over the plane."""
    kept = (np.abs(above_m) < _GRID_REACH_M) & (x >= 0) & (x < _AHEAD_M) & (np.abs(y) < _ASIDE_M)
    cells = _cells(x[kept], y[kept])
    above = above_m[kept].astype(np.float64)
    lowest = np.full(_COLUMNS * _ROWS, np.inf)
    np.minimum.at(lowest, cells, above)
    in_band = above < lowest[cells] + _BAND_M
    count = np.bincount(cells[in_band], minlength=lowest.size)
    total = np.bincount(cells[in_band], weights=above[in_band], minlength=lowest.size)
    seen = count >= _MIN_CELL_POINTS
    offsets = np.where(seen, total / np.maximum(count, 1), np.nan).reshape(_COLUMNS, _ROWS)
    return _smoothed(offsets)


def _cells(x: NDArrayFloat32, y: NDArrayFloat32) -> NDArrayInt:
    return (x / _CELL_M).astype(np.int64) * _ROWS + ((y + np.float32(_ASIDE_M)) / _CELL_M).astype(np.int64)


def _smoothed(offsets_m: NDArrayFloat) -> NDArrayFloat:
    """Cells that are unseen or stand out take the median of their neighbourhood; 0, the plane, where there is none."""
    padded = np.pad(offsets_m, 1, constant_values=np.nan)
    around = np.stack([padded[i : i + _COLUMNS, j : j + _ROWS] for i in range(3) for j in range(3)])
    seen = np.isfinite(around)
    ordered = np.sort(around, axis=0)
    count = seen.sum(axis=0)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0)[None] // 2, axis=0)[0]
    high = np.take_along_axis(ordered, (count // 2)[None], axis=0)[0]
    median = np.where(count > 0, (low + np.where(count > 0, high, low)) / 2, 0.0)
    known = np.isfinite(offsets_m)
    stands_out = known & (np.abs(np.where(known, offsets_m, 0.0) - median) > _MAX_STEP_M)
    return np.where(known & ~stands_out, offsets_m, median)
