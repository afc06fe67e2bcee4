"""How NanoDet writes boxes: distances from a cell's point to the four sides, each a distribution over whole strides.

The point is the cell's upper left corner in NanoDet-Plus, and the cell's centre in NanoDet before it.

Source: RangiLyu/nanodet, `nanodet_plus_head.py` (`get_single_level_center_priors`, `Integral`), `gfl_head.py`
(`get_single_level_center_point`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32
from vedette.models.grids import Grid

STRIDE_CHOICES_PX: Final = ((8, 16, 32, 64), (8, 16, 32))
"""One grid of cells each, in this order in the output: NanoDet-Plus as published has four, NanoDet three."""


def decode_boxes(grid: Grid, logits: NDArrayFloat32) -> NDArrayFloat:
    """Boxes of some cells.

    Args:
        grid: points ``(N,2)`` and strides ``(N,)`` of the cells, in pixels of the model's input.
        logits: ``(N,4B) float32``, for left, top, right, bottom in turn a logit for each distance of 0, 1 ... B-1
            strides.

    Returns:
        ``(N,4) float64`` x1, y1, x2, y2 in pixels of the model's input.
    """
    bins = logits.reshape(len(logits), 4, logits.shape[1] // 4).astype(np.float64)
    weights = np.exp(bins - bins.max(axis=2, keepdims=True))
    expected = (weights @ np.arange(bins.shape[2])) / weights.sum(axis=2)
    distances_px = expected * grid.strides_px[:, None]
    return np.concatenate([grid.points_px - distances_px[:, :2], grid.points_px + distances_px[:, 2:]], axis=1)
