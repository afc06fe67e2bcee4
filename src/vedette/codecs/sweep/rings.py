"""What the points of a spinning LiDAR have in common, laser by laser, and how to find it in the points.

Each laser is fixed to a turning head: a little to one side of the axis, above or below the origin, and tilted. As the
head turns it draws a ring, whose returns at distance r over ground, with the head at angle phi, are

    in direction   phi + sideways / r          (about; seen from the origin)
    at height      upward + slope * r

and the head is read out in ticks: phi is a whole number of columns and a constant. On KITTI's scans both hold to half a
millimetre, with ticks of 0.09 degrees. So of a point's three coordinates only one, its distance, is news.

None of this needs to be true. Where it is not, as in a shuffled cloud, the codec writes how far off it is: that costs
bytes and never accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vedette.codecs.sweep.rays import COLUMNS_PER_TURN, PARTS_PER_COLUMN, SLOPE_ONE, UNITS_PER_METRE
from vedette.geometry import NDArrayFloat, NDArrayFloat32

MAX_RINGS: Final = 256
"""A sweep that seems to have more is not in the order of a spinning sensor, and is taken for one ring."""

_COLUMN_RAD: Final = 2 * np.pi / COLUMNS_PER_TURN
# Within a ring the head turns one way; by a few columns a return may still be behind the one before, where it is much
# nearer or farther.
_FALLS_BACK_COLUMNS: Final = COLUMNS_PER_TURN / 16
# An HDL-64E's lasers sit 0.026 m beside the axis. The wider the reach, the fewer steps between returns can be told from
# those of a column.
_WIDEST_SIDEWAYS_M: Final = 0.028
_NEAREST_M: Final = 0.5
_STEEPEST: Final = 2.0
_HIGHEST_M: Final = 500.0
_SAMPLES: Final = 32


@dataclass(frozen=True)
class Rings:
    """Runs of consecutive points, and where each run's rays are, in the whole numbers that `rays` reckons with.

    Args:
        counts: ``(R,) int32`` points in each run, at least 1.
        offset: ``(R,) int32`` by how much its rays are left of their columns, in `PARTS_PER_COLUMN`.
        sideways: ``(R,) int32`` how far to the left of the origin they pass, in units of length.
        upward: ``(R,) int32`` height at distance 0, in units of length.
        slope: ``(R,) int32`` height gained with distance, in `SLOPE_ONE`.
    """

    counts: NDArray[np.int32]
    offset: NDArray[np.int32]
    sideways: NDArray[np.int32]
    upward: NDArray[np.int32]
    slope: NDArray[np.int32]

    def at_points(self) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat, NDArrayFloat]:
        """For each point its run's offset, sideways, upward and slope, each ``(N,)``, the last as a ratio."""
        rows = (self.offset, self.sideways, self.upward, self.slope / SLOPE_ONE)
        offset, sideways, upward, slope = (np.repeat(row.astype(np.float64), self.counts) for row in rows)
        return offset, sideways, upward, slope

    def in_groups(self, points: int) -> Iterator[tuple[Rings, slice]]:
        """Groups of consecutive runs with so many points or, where one run alone has more, that run.

        Args:
            points: at most so many in a group.

        Yields:
            The runs of the group, and which points of the sweep they have.
        """
        ends = np.cumsum(self.counts)
        first = begin = 0
        while first < len(ends):
            last = max(first + 1, int(np.searchsorted(ends, begin + points, side="right")))
            end = int(ends[last - 1])
            rows = (self.counts, self.offset, self.sideways, self.upward, self.slope)
            yield Rings(*(row[first:last] for row in rows)), slice(begin, end)
            first, begin = last, end


def fit_rings(points: NDArrayFloat32) -> tuple[Rings, NDArray[np.intp]]:
    """The rings that go best through a sweep, and the column that each point was most likely fired in.

    Args:
        points: ``(4,N) float32``, of which x, y, z (m, finite) are looked at.

    Returns:
        The rings, and ``(N,)`` columns, from a few below 0 to a few beyond a turn.
    """
    x, y, z = points[:3]
    nearness = x * x
    nearness += y * y
    np.maximum(nearness, np.float32(_NEAREST_M**2), out=nearness)
    np.reciprocal(np.sqrt(nearness, out=nearness), out=nearness)
    azimuth = _azimuth_columns(x, y)
    starts, counts = _runs(azimuth)
    samples = starts[:, None] + (counts[:, None] * np.arange(_SAMPLES)) // _SAMPLES
    sideways_m = _sideways_m(azimuth, nearness, starts)
    nearness *= np.repeat((sideways_m / _COLUMN_RAD).astype(np.float32), counts)
    azimuth -= nearness
    offset_columns = _offset_columns(azimuth[samples])
    azimuth -= np.repeat(offset_columns.astype(np.float32), counts)
    range_m = np.hypot(x[samples], y[samples], dtype=np.float64)
    upward_m, slope = _lines(range_m, z[samples].astype(np.float64))
    rings = Rings(
        counts.astype(np.int32),
        _whole(offset_columns, PARTS_PER_COLUMN),
        _whole(sideways_m, UNITS_PER_METRE),
        _whole(upward_m, UNITS_PER_METRE),
        _whole(slope, SLOPE_ONE),
    )
    return rings, np.rint(azimuth, out=azimuth).astype(np.intp)


def _azimuth_columns(x: NDArrayFloat32, y: NDArrayFloat32) -> NDArrayFloat32:
    """Directions seen from the origin, in columns from +x counter-clockwise, 0 to `COLUMNS_PER_TURN`."""
    azimuth = np.arctan2(-y, -x)
    azimuth += np.float32(np.pi)
    azimuth *= np.float32(1 / _COLUMN_RAD)
    return azimuth


def _runs(azimuth: NDArrayFloat32) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First points ``(R,)`` and numbers of points ``(R,)`` of the runs in which the head turns the sweep's way."""
    turned = azimuth[1:] - azimuth[:-1]
    if 2 * np.count_nonzero(turned < 0) > len(turned):
        np.negative(turned, out=turned)
    ends = np.flatnonzero(turned < -_FALLS_BACK_COLUMNS)
    starts = np.append(0, ends + 1 if len(ends) < MAX_RINGS else ends[:0])
    return starts, np.diff(starts, append=len(azimuth))


def _whole(values: NDArrayFloat, per_one: int) -> NDArray[np.int32]:
    return np.rint(values * per_one).astype(np.int32)


def _sideways_m(azimuth: NDArrayFloat32, nearness: NDArrayFloat32, starts: NDArray[np.int64]) -> NDArrayFloat:
    """How far beside the origin the rays of each ring pass.

    From one return to the next the head turns by whole columns; what is left of the step in azimuth is sideways times
    the step in nearness. Least squares over the steps that leave less than half a column.
    """
    step = azimuth[1:] - azimuth[:-1]
    step -= np.rint(step)
    nearer = nearness[1:] - nearness[:-1]
    nearer *= np.abs(nearer) < _COLUMN_RAD / 2 / _WIDEST_SIDEWAYS_M
    nearer[starts[1:] - 1] = 0
    # The step before a ring's first point is none of its own and counts nothing; so each has as many steps as points.
    step *= nearer
    nearer *= nearer
    along = np.add.reduceat(np.append(np.float32(0), step), starts)
    weight = np.add.reduceat(np.append(np.float32(0), nearer), starts)
    metres = along.astype(np.float64) * _COLUMN_RAD / np.maximum(weight, np.finfo(np.float32).tiny)
    return np.clip(metres, -_WIDEST_SIDEWAYS_M, _WIDEST_SIDEWAYS_M)


def _offset_columns(azimuth: NDArrayFloat32) -> NDArrayFloat:
    """By how much of a column ``(R,)`` the azimuths ``(R,S)`` are left of whole ones: their mean on the circle."""
    turn = np.float32(2 * np.pi) * (azimuth - np.rint(azimuth))
    sine, cosine = np.sin(turn).mean(axis=1, dtype=np.float64), np.cos(turn).mean(axis=1, dtype=np.float64)
    mean: NDArrayFloat = np.arctan2(sine, cosine) / (2 * np.pi)
    return mean


def _lines(range_m: NDArrayFloat, height_m: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Height at distance 0 and slope, each ``(R,)``, of the best line through each row of ``(R,S)``, within limits."""
    mean_range = range_m.mean(axis=1)
    from_mean = range_m - mean_range[:, None]
    spread = np.maximum((from_mean**2).sum(axis=1), np.finfo(np.float64).tiny)
    slope = np.clip((from_mean * height_m).sum(axis=1) / spread, -_STEEPEST, _STEEPEST)
    return np.clip(height_m.mean(axis=1) - slope * mean_range, -_HIGHEST_M, _HIGHEST_M), slope
