"""How the network writes objects, a row for each cell: class scores, box, mask coefficients.

    columns   C scores | left, top, right, bottom | mask coefficients (module `masks`)

A side is the logarithm of its distance from the cell's centre, in strides of the cell's grid:

    +-----------------+
    |      | top      |
    |      |          |
    |--left+---right--|      + centre of the cell, which need not be the centre of the box
    |      | bottom   |
    +-----------------+
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32
from vedette.models.grids import Grid

STRIDES_PX: Final = (8, 16)
"""One grid of cells each, in this order in the output: small objects on the first, large ones on the second."""
BOX_COLUMNS: Final = 4
PIXEL_CENTRE: Final = 0.5
"""Where a pixel's centre is when resizing, which takes the first pixel to reach from 0 to 1. Cameras and labels count
from the first pixel's centre instead."""
MAX_LOG_DISTANCE: Final = 6.0
"""e^6 strides is beyond every image; keeps exp finite on a broken output."""


def cell_centres(grid: Grid) -> NDArrayFloat:
    """Where distances are measured from.

    Args:
        grid: N cells.

    Returns:
        ``(N,2) float64`` x, y in pixels of the model's input.
    """
    return grid.points_px + grid.strides_px[:, None] / 2.0


def decode_boxes(grid: Grid, log_distances: NDArrayFloat32) -> NDArrayFloat:
    """Boxes of some cells.

    Args:
        grid: N cells, in pixels of the model's input.
        log_distances: ``(N,4) float32`` of left, top, right and bottom side.

    Returns:
        ``(N,4) float64`` x1, y1, x2, y2 in pixels of the model's input.
    """
    bounded = np.minimum(log_distances.astype(np.float64), MAX_LOG_DISTANCE)
    distances_px = np.exp(bounded) * grid.strides_px[:, None]
    centres = cell_centres(grid)
    return np.concatenate([centres - distances_px[:, :2], centres + distances_px[:, 2:]], axis=1)


def encode_boxes(grid: Grid, boxes_px: NDArrayFloat) -> NDArrayFloat32:
    """The inverse of `decode_boxes`, for boxes that hold their cell's centre.

    Args:
        grid: N cells, in pixels of the model's input.
        boxes_px: ``(N,4)`` x1, y1, x2, y2 likewise.

    Returns:
        ``(N,4) float32`` logarithms of distances in strides.
    """
    centres = cell_centres(grid)
    distances_px = np.concatenate([centres - boxes_px[:, :2], boxes_px[:, 2:] - centres], axis=1)
    return np.log(distances_px / grid.strides_px[:, None]).astype(np.float32)
