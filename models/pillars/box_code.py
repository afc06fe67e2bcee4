"""A box as the ten numbers that the network gives for a cell of its answer.

0, 1  centre, from the cell's middle, in pillars along x and y
2     height of the centre above -1 m, metres
3-5   logarithms of length, width and height in sizes of a usual car
6, 7  sine and cosine of twice the yaw
8, 9  sine and cosine of the yaw

A LiDAR sees of a car an outline that hardly tells front from rear: a network that must choose gets many of them wrong,
and with a yaw of its own those between one choice and the other come out sideways. So the *axis* is told by twice the
angle, which has no front, and the yaw itself only chooses between the axis' two directions.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt, wrap_pi
from vedette.models.pillars.grid import CELL_M, LEAST_X_M, LEAST_Y_M, AnswerGrid

CODE_LENGTH: Final = 10
MIRRORED_SIGNS: Final = np.array([1, -1, 1, 1, 1, 1, -1, 1, -1, 1], np.float32)
"""Times these, a code speaks about the scene with left and right swapped."""
_USUAL_SIZE_M: Final = np.array([3.9, 1.63, 1.53])
_MIDDLE_Z_M: Final = -1.0
_MAX_LOG_SIZE: Final = 3.0  # 20 cars long, or a twentieth of one; keeps sizes positive and finite on a broken output


def encode_boxes(boxes_velo: NDArrayFloat, cells: NDArrayInt, grid: AnswerGrid) -> NDArrayFloat32:
    """Boxes as seen from cells.

    Args:
        boxes_velo: ``(N,7)`` boxes, velo frame, sizes above 0.
        cells: ``(N,) int64`` cell of the answer that each is told from.
        grid: of the answer.

    Returns:
        ``(N,10) float32``.
    """
    offsets = (boxes_velo[:, :2] - _cell_middles(cells, grid)) / CELL_M
    sizes = np.log(boxes_velo[:, 3:6] / _USUAL_SIZE_M)
    yaw = boxes_velo[:, 6]
    angles = [np.sin(2.0 * yaw), np.cos(2.0 * yaw), np.sin(yaw), np.cos(yaw)]
    code = np.column_stack([offsets, boxes_velo[:, 2] - _MIDDLE_Z_M, sizes, *angles])
    return code.astype(np.float32)


def decode_boxes(code: NDArrayFloat32, cells: NDArrayInt, grid: AnswerGrid) -> NDArrayFloat:
    """The boxes that were told.

    Args:
        code: ``(N,10) float32``, finite.
        cells: ``(N,) int64`` cell of the answer that each is told from.
        grid: of the answer.

    Returns:
        ``(N,7) float64`` boxes, velo frame, yaw in [-pi, pi).
    """
    numbers = code.astype(np.float64)
    centres = _cell_middles(cells, grid) + numbers[:, :2] * CELL_M
    sizes = _USUAL_SIZE_M * np.exp(np.clip(numbers[:, 3:6], -_MAX_LOG_SIZE, _MAX_LOG_SIZE))
    axis = np.arctan2(numbers[:, 6], numbers[:, 7]) / 2.0
    backwards = np.sin(axis) * numbers[:, 8] + np.cos(axis) * numbers[:, 9] < 0
    yaws = wrap_pi(axis + np.pi * backwards)
    return np.column_stack([centres, numbers[:, 2] + _MIDDLE_Z_M, sizes, yaws])


def _cell_middles(cells: NDArrayInt, grid: AnswerGrid) -> NDArrayFloat:
    """``(N,2)`` x and y, metres."""
    row, column = np.divmod(cells, grid.columns)
    middles: NDArrayFloat = (LEAST_X_M, LEAST_Y_M) + (np.column_stack([column, row]) + 0.5) * grid.cell_m
    return middles
