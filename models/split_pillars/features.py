"""From points to decorated pillars: a fixed number of rows for each, those without a point zero.

Where there is too much, what stays does not depend on chance: of a pillar the points that come first in the sweep, of
the pillars those nearest to the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillar_keys import PillarGrid, SplitPillars


@dataclass(frozen=True)
class Pillars:
    """The encoder's input.

    Args:
        features: ``(P,max_points,F) float32``, columns as the card says.
        cells: ``(P,) int64`` row times columns plus column of each pillar, ascending.
        points_left_out: how many points were too many for their pillars.
        pillars_left_out: how many pillars were too many.
    """

    features: NDArrayFloat32
    cells: NDArrayInt
    points_left_out: int
    pillars_left_out: int


@dataclass(frozen=True)
class _Sorted:
    """Points inside the grid, those of one pillar next to each other, in the sweep's order."""

    points: NDArrayFloat32
    cells: NDArrayInt
    starts: NDArrayInt

    @property
    def counts(self) -> NDArrayInt:
        """Points of each pillar."""
        return np.diff(self.starts, append=len(self.points))

    @property
    def owners(self) -> NDArrayInt:
        """Each point's pillar."""
        return np.repeat(np.arange(len(self.starts)), self.counts)

    @property
    def ranks(self) -> NDArrayInt:
        """Each point's place in its pillar."""
        ranks: NDArrayInt = np.arange(len(self.points)) - self.starts[self.owners]
        return ranks

    def select(self, keep: NDArrayBool) -> _Sorted:
        """Some of the points."""
        cells = self.cells[self.owners[keep]]
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        return _Sorted(self.points[keep], cells[starts], starts)


def pillarise(points_m: NDArrayFloat32, keys: SplitPillars) -> Pillars:
    """Sort points into pillars and decorate them.

    Args:
        points_m: ``(N,4) float32`` x, y, z in metres, network's frame; intensity in [0, 1].
        keys: grid and features.

    Returns:
        The pillars; none where no point is inside the grid.
    """
    met = _sorted(points_m, keys.grid)
    near = met.select(_nearest(met, keys.grid)[met.owners])
    kept = near.select(near.ranks < keys.grid.max_points)
    features = np.zeros((len(kept.cells), keys.grid.max_points, len(keys.features)), np.float32)
    features[kept.owners, kept.ranks] = _decorated(kept, keys)
    return Pillars(features, kept.cells, len(near.points) - len(kept.points), len(met.cells) - len(near.cells))


def _sorted(points_m: NDArrayFloat32, grid: PillarGrid) -> _Sorted:
    least, size = np.array(grid.range_m[:3], np.float32), np.array(grid.pillar_m, np.float32)
    column, row, level = np.floor((points_m[:, :3] - least) / size).T  # in float32, as in the projects' own runtimes
    inside = (column >= 0) & (column < grid.columns) & (row >= 0) & (row < grid.rows) & (level == 0)
    cells = row[inside].astype(np.int64) * grid.columns + column[inside].astype(np.int64)
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    return _Sorted(points_m[inside][order], cells[starts], starts)


def _nearest(met: _Sorted, grid: PillarGrid) -> NDArrayBool:
    """Which pillars stay: those whose centres are nearest to the origin, seen from above; of equal ones the first."""
    stay = np.zeros(len(met.cells), dtype=np.bool_)
    distances = np.hypot(*_centres(met.cells, grid)[:, :2].T)
    stay[np.argsort(distances, kind="stable")[: grid.max_pillars]] = True
    return stay


def _centres(cells: NDArrayInt, grid: PillarGrid) -> NDArrayFloat:
    """``(P,3)`` centres of pillars, metres."""
    row, column = np.divmod(cells, grid.columns)
    places = np.column_stack([column, row, np.zeros_like(row)]) + 0.5
    centres: NDArrayFloat = np.array(grid.range_m[:3]) + places * grid.pillar_m
    return centres


def _decorated(kept: _Sorted, keys: SplitPillars) -> NDArrayFloat32:
    """``(N,F)`` the features of every point."""
    if len(kept.points) == 0:
        return np.zeros((0, len(keys.features)), np.float32)
    points, owners = kept.points.astype(np.float64), kept.owners
    means = np.add.reduceat(points[:, :3], kept.starts) / kept.counts[:, None]
    from_mean = points[:, :3] - means[owners]
    from_centre = points[:, :3] - _centres(kept.cells, keys.grid)[owners]
    columns = {
        **dict(zip("xyz", points[:, :3].T, strict=True)),
        **{f"from_mean_{axis}": column for axis, column in zip("xyz", from_mean.T, strict=True)},
        **{f"from_centre_{axis}": column for axis, column in zip("xyz", from_centre.T, strict=True)},
        "intensity": points[:, 3] * keys.intensity_scale,
        "time": np.zeros(len(points)),
        "distance": np.linalg.norm(points[:, :3], axis=1),
    }
    return np.column_stack([columns[name] for name in keys.features]).astype(np.float32)
