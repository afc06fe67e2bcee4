"""How YOLOX writes boxes: an offset from the cell in strides, and the logarithm of the size in strides.

Source: Megvii-BaseDetection/YOLOX, `demo_utils.py` (`demo_postprocess`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32
from vedette.models.grids import Grid

STRIDE_CHOICES_PX: Final = ((8, 16, 32), (8, 16, 32, 64))
"""One grid of cells each, in this order in the output; the longer one for exports with a fourth level."""
BOX_COLUMNS: Final = 5
"""x, y, width, height, objectness; the class scores follow."""
_MAX_LOG_SIZE: Final = 10.0  # e^10 strides is beyond every image; keeps exp finite on a broken output


def decode_boxes(grid: Grid, rows: NDArrayFloat32) -> NDArrayFloat:
    """Boxes of some cells.

    Args:
        grid: upper left corners and strides of the cells, in pixels of the model's input.
        rows: ``(N,4) float32`` x, y offset and log width, height, all in strides.

    Returns:
        ``(N,4) float64`` x1, y1, x2, y2 in pixels of the model's input.
    """
    raw = rows.astype(np.float64)
    strides = grid.strides_px[:, None]
    centre_px = raw[:, :2] * strides + grid.points_px
    half_px = np.exp(np.minimum(raw[:, 2:], _MAX_LOG_SIZE)) * strides / 2.0
    return np.concatenate([centre_px - half_px, centre_px + half_px], axis=1)
