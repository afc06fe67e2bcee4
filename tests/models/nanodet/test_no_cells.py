"""An image on which nothing passes the threshold."""

from __future__ import annotations

import numpy as np

from vedette.models.grids import Grid
from vedette.models.nanodet.decode import decode_boxes


def test_no_cells_give_no_boxes() -> None:
    """Decoding none of the cells gives none of the boxes, for any number of bins."""
    grid = Grid(np.zeros((0, 2)), np.zeros(0))
    assert decode_boxes(grid, np.zeros((0, 32), np.float32)).shape == (0, 4)
