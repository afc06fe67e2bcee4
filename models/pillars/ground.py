"""The road as a plane, so that a sweep can be put level: as if the sensor stood upright, `USUAL_HEIGHT_M` above it.

A network that has learnt where the road is misjudges every height when a sensor looks down by half a degree (KITTI's
does) or stands higher. What is fitted are the lowest points round about, by least squares that count a point the less
the farther it is off (Geman and McClure's weights), those above the plane least: there stand the cars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32

USUAL_HEIGHT_M: Final = 1.73
"""Of the sensor in a level sweep, above the road."""
_REACH_M: Final = 40.0  # of the points fitted; roads bend
_EVERY: Final = 2  # points; half of them say where the road is as well as all
_CELL_M: Final = 2.0
_CELLS: Final = 2 * int(_REACH_M / _CELL_M)
_LOWEST_SHARE: Final = 0.1  # of a cell's points: mirror images lie below the road
_MIN_CELLS: Final = 12
_ROUNDS: Final = 12
_SCALES_M: Final = (0.1, 0.05)  # below the plane, above it
_WIDEST_M: Final = 1.0  # scales of the first round; they narrow from round to round
_STIFFNESS: Final = 0.1  # a slope of 1 counts as much as so many points that are off by the reach
_LOW_Z_M: Final = (-4.0, 0.5)
_STEEPEST: Final = 0.15


@dataclass(frozen=True)
class Plane:
    """z = slope_x * x + slope_y * y + z_m, velo frame."""

    slope_x: float
    slope_y: float
    z_m: float

    def height_m(self, points: NDArrayFloat | NDArrayFloat32) -> NDArrayFloat:
        """How far places lie above the level in which the road is at -`USUAL_HEIGHT_M`: to add to level heights.

        Args:
            points: ``(N,2 or more)`` x and y, metres.

        Returns:
            ``(N,)`` metres.
        """
        height: NDArrayFloat = self.slope_x * points[:, 0] + self.slope_y * points[:, 1] + (self.z_m + USUAL_HEIGHT_M)
        return height


def levelled(points_velo_m: NDArrayFloat32, plane: Plane) -> NDArrayFloat32:
    """Points as a level sensor would have them.

    Args:
        points_velo_m: ``(N,3 or more)`` velo frame; further columns are dropped.
        plane: the road.

    Returns:
        ``(N,3) float32``.
    """
    points = points_velo_m[:, :3].astype(np.float32, copy=True)
    points[:, 2] -= plane.height_m(points).astype(np.float32)
    return points


def unlevelled(boxes: NDArrayFloat, plane: Plane) -> NDArrayFloat:
    """Boxes found in a level sweep, where they are in the sweep as it came; they stay upright.

    Args:
        boxes: ``(N,7)``.
        plane: the road.
    """
    raised = boxes.copy()
    raised[:, 2] += plane.height_m(boxes)
    return raised


LEVEL: Final = Plane(0.0, 0.0, -USUAL_HEIGHT_M)


def road_plane(points_velo_m: NDArrayFloat32) -> Plane:
    """The plane that fits the road best; a level one where too little of it is seen.

    Args:
        points_velo_m: ``(N,3 or more)`` velo frame; may be one view or the full circle.
    """
    low = _lowest(points_velo_m)
    if len(low) < _MIN_CELLS:
        return LEVEL
    middle = float(np.median(low[np.argsort(np.hypot(low[:, 0], low[:, 1]))[:_MIN_CELLS], 2]))
    plane = np.array([0.0, 0.0, middle])
    terms = np.column_stack([low[:, :2], np.ones(len(low))])
    stiffness = np.diag([_STIFFNESS * _REACH_M**2, _STIFFNESS * _REACH_M**2, 0.0])
    for scale_m in np.geomspace(_WIDEST_M, _SCALES_M[0], _ROUNDS) / _SCALES_M[0]:
        off = low[:, 2] - terms @ plane
        width = scale_m * np.where(off > 0, _SCALES_M[1], _SCALES_M[0])
        weighted = terms * (1.0 / (1.0 + (off / width) ** 2) ** 2)[:, None]
        plane = np.linalg.solve(weighted.T @ terms + stiffness, weighted.T @ low[:, 2])
    if np.abs(plane[:2]).max() > _STEEPEST:
        return LEVEL
    return Plane(*plane.tolist())


def _lowest(points_velo_m: NDArrayFloat32) -> NDArrayFloat:
    """``(M,3)`` a low point of each cell near by."""
    points = points_velo_m[::_EVERY, :3]
    z_m = points[:, 2]
    near = (np.abs(points[:, :2]) < _REACH_M).all(axis=1) & (z_m > _LOW_Z_M[0]) & (z_m < _LOW_Z_M[1])
    points = points[near]
    places = ((points[:, :2] + _REACH_M) / _CELL_M).astype(np.int64)
    cell = places[:, 1] * _CELLS + places[:, 0]
    order = np.lexsort((points[:, 2], cell))
    starts = np.flatnonzero(np.diff(cell[order], prepend=-1))
    counts = np.diff(starts, append=len(cell))
    chosen = order[starts + (_LOWEST_SHARE * counts).astype(np.int64)]
    lowest: NDArrayFloat = points[chosen].astype(np.float64)
    return lowest
