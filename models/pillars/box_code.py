"""A box as the eight numbers that the network gives for a cell of its answer.

0, 1  centre, from the cell's middle, in cells along x and y
2     height of the centre above -1 m, metres
3-5   logarithms of length, width and height in sizes of a usual car
6, 7  sine and cosine of twice the yaw

Twice, because a car's outline seen by a LiDAR hardly tells front from rear: a network that must choose gets half of
them wrong, and those at the seam from one choice to the other come out sideways. So the yaw that comes back is that of
the *axis*, in [-pi/2, pi/2); which end is the front is for a tracker to learn from the motion.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt, wrap_half_pi
from vedette.models.pillars.grid import ANSWER_CELL_M, ANSWER_COLUMNS, LEAST_X_M, LEAST_Y_M

CODE_LENGTH: Final = 8
_USUAL_SIZE_M: Final = np.array([3.9, 1.63, 1.53])
_MIDDLE_Z_M: Final = -1.0
_MAX_LOG_SIZE: Final = 3.0  # 20 cars long, or a twentieth of one; keeps sizes positive and finite on a broken output


def encode_boxes(boxes_velo: NDArrayFloat, cells: NDArrayInt) -> NDArrayFloat32:
    """Boxes as seen from cells.

    Args:
        boxes_velo: ``(N,7)`` boxes, velo frame, sizes above 0.
        cells: ``(N,) int64`` cell of the answer that each is told from.

    Returns:
        ``(N,8) float32``.
    """
    offsets = (boxes_velo[:, :2] - _cell_middles(cells)) / ANSWER_CELL_M
    sizes = np.log(boxes_velo[:, 3:6] / _USUAL_SIZE_M)
    doubled = 2.0 * boxes_velo[:, 6]
    code = np.column_stack([offsets, boxes_velo[:, 2] - _MIDDLE_Z_M, sizes, np.sin(doubled), np.cos(doubled)])
    return code.astype(np.float32)


def decode_boxes(code: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
    """The boxes that were told.

    Args:
        code: ``(N,8) float32``, finite.
        cells: ``(N,) int64`` cell of the answer that each is told from.

    Returns:
        ``(N,7) float64`` boxes, velo frame, yaw in [-pi/2, pi/2).
    """
    numbers = code.astype(np.float64)
    centres = _cell_middles(cells) + numbers[:, :2] * ANSWER_CELL_M
    sizes = _USUAL_SIZE_M * np.exp(np.clip(numbers[:, 3:6], -_MAX_LOG_SIZE, _MAX_LOG_SIZE))
    yaws = wrap_half_pi(np.arctan2(numbers[:, 6], numbers[:, 7]) / 2.0)
    return np.column_stack([centres, numbers[:, 2] + _MIDDLE_Z_M, sizes, yaws])


def _cell_middles(cells: NDArrayInt) -> NDArrayFloat:
    """``(N,2)`` x and y, metres."""
    row, column = np.divmod(cells, ANSWER_COLUMNS)
    middles: NDArrayFloat = (LEAST_X_M, LEAST_Y_M) + (np.column_stack([column, row]) + 0.5) * ANSWER_CELL_M
    return middles
