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
_PLANE_POINTS: Final = 1500
_MIN_PLANE_POINTS: Final = 60
_MODE_BIN_M: Final = 0.2
_GRID_REACH_M: Final = 1.2
_BAND_M: Final = 0.15
_MIN_CELL_POINTS: Final = 4
_MAX_STEP_M: Final = 0.2
# for every cell the places of its neighbours and itself in a flat grid with a rim of one cell
_CORNERS: Final = np.add.outer(np.arange(_COLUMNS) * (_ROWS + 2), np.arange(_ROWS)).reshape(-1, 1)
_NEIGHBOURHOODS: Final = _CORNERS + np.add.outer(np.arange(3) * (_ROWS + 2), np.arange(3)).ravel()


@dataclass(frozen=True)
class Ground:
    """The ground before the sensor.

    Args:
        plane: ``(3,)`` a, b, c of z = a x + b y + c, velo frame.
        offsets_m: ``(columns, rows)`` height of the ground over the plane at the cells' centres.
    """

    plane: NDArrayFloat
    offsets_m: NDArrayFloat

    def height_m(self, x: NDArrayFloat32, y: NDArrayFloat32) -> NDArrayFloat32:
        """Height of the ground, interpolated between cells and held constant beyond the grid.

        Args:
            x: ``(N,) float32`` metres, velo frame.
            y: ``(N,)`` likewise.

        Returns:
            ``(N,) float32`` z of the ground in the velo frame.
        """
        along = (x / _CELL_M - 0.5).clip(0.0, _COLUMNS - 1.001)
        across = ((y + _ASIDE_M) / _CELL_M - 0.5).clip(0.0, _ROWS - 1.001)
        column, row = along.astype(np.int32), across.astype(np.int32)
        along -= column
        across -= row
        flat, offsets = column * _ROWS + row, self.offsets_m.astype(np.float32).ravel()
        near, near_next = offsets.take(flat), offsets[1:].take(flat)
        far, far_next = offsets[_ROWS:].take(flat), offsets[_ROWS + 1 :].take(flat)
        near += across * (near_next - near)
        far += across * (far_next - far)
        a, b, c = self.plane.tolist()
        height: NDArrayFloat32 = x * a + y * b + c + near + along * (far - near)
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


def fit_ground(xyz_velo: NDArrayFloat32) -> Ground:
    """Find the ground in a sweep or in the part of it that the camera sees.

    Args:
        xyz_velo: ``(3,N) float32`` metres; may be empty, then the ground is the plane z = 0.

    Returns:
        The ground; with few points just a level plane at their lowest height.
    """
    plane = _fit_plane(xyz_velo)
    a, b, c = plane.tolist()
    x, y, z = xyz_velo
    return Ground(plane, _fit_offsets(x, y, z - (a * x + b * y + c)))


def _fit_plane(xyz_velo: NDArrayFloat32) -> NDArrayFloat:
    """Least squares over an ever narrower band, starting level at the height where most points are."""
    near = np.flatnonzero((np.abs(xyz_velo[0]) < _PLANE_RANGE_M) & (np.abs(xyz_velo[1]) < _PLANE_RANGE_M))
    near = near[:: len(near) // _PLANE_POINTS + 1]
    if len(near) < _MIN_PLANE_POINTS:
        return np.array([0.0, 0.0, float(xyz_velo[2].min(initial=0.0))])
    x, y, z = xyz_velo.take(near, axis=1).astype(np.float64)
    equations = np.stack([x, y, np.ones(len(near)), z])
    plane = np.array([0.0, 0.0, _commonest_height_m(z)])
    for band_m in _PLANE_BANDS_M:
        ground = np.flatnonzero(np.abs(z - plane @ equations[:3]) < band_m)
        if len(ground) < _MIN_PLANE_POINTS:
            break
        rows = equations.take(ground, axis=1)
        moments = rows @ rows.T
        plane = np.linalg.solve(moments[:3, :3] + 1e-6 * np.eye(3), moments[:3, 3])
    return plane


def _commonest_height_m(heights_m: NDArrayFloat) -> float:
    bins = np.floor(heights_m / _MODE_BIN_M).astype(np.int64)
    lowest = int(bins.min())
    return (lowest + int(np.bincount(bins - lowest).argmax()) + 0.5) * _MODE_BIN_M


def _fit_offsets(x: NDArrayFloat32, y: NDArrayFloat32, above_m: NDArrayFloat32) -> NDArrayFloat:
    """``(columns, rows)`` ground over the plane."""
    kept = np.flatnonzero((np.abs(above_m) < _GRID_REACH_M) & (x >= 0) & (x < _AHEAD_M) & (np.abs(y) < _ASIDE_M))
    cells = _cells(x.take(kept), y.take(kept))
    # numpy finds minima by place 20 times as fast in double precision
    above = above_m.take(kept).astype(np.float64)
    lowest = np.full(_COLUMNS * _ROWS, np.inf)
    np.minimum.at(lowest, cells, above)
    in_band = np.flatnonzero(above < lowest.take(cells) + _BAND_M)
    cells = cells.take(in_band)
    count = np.bincount(cells, minlength=lowest.size)
    total = np.bincount(cells, weights=above.take(in_band), minlength=lowest.size)
    offsets = np.where(count >= _MIN_CELL_POINTS, total / np.maximum(count, 1), np.nan)
    return _smoothed(offsets.reshape(_COLUMNS, _ROWS))


def _cells(x: NDArrayFloat32, y: NDArrayFloat32) -> NDArrayInt:
    return (x / _CELL_M).astype(np.int64) * _ROWS + ((y + _ASIDE_M) / _CELL_M).astype(np.int64)


def _smoothed(offsets_m: NDArrayFloat) -> NDArrayFloat:
    """Cells that are unseen or stand out take the median of their neighbourhood; 0, the plane, where there is none."""
    padded = np.full((_COLUMNS + 2, _ROWS + 2), np.nan)
    padded[1:-1, 1:-1] = offsets_m
    ordered = np.sort(padded.ravel().take(_NEIGHBOURHOODS), axis=1)  # unseen ones, NaN, come last
    count = 9 - np.isnan(ordered).sum(axis=1)
    cell = np.arange(offsets_m.size)
    median = (ordered[cell, np.maximum(count - 1, 0) // 2] + ordered[cell, count // 2]) / 2
    median = np.where(count > 0, median, 0.0).reshape(offsets_m.shape)
    # false for unseen ones too
    agrees = np.abs(offsets_m - median) <= _MAX_STEP_M
    return np.where(agrees, offsets_m, median)
