"""The cells of a dense detector's output rows: grids of falling resolution, one after the other, row-major each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayInt


@dataclass(frozen=True)
class Grid:
    """Where cells are.

    Args:
        points_px: ``(N,2) float64`` x, y of each cell's upper left corner, in pixels of the model's input.
        strides_px: ``(N,) float64`` side of each cell.
    """

    points_px: NDArrayFloat
    strides_px: NDArrayFloat

    @classmethod
    def of_strides(cls, width_px: int, height_px: int, strides_px: Sequence[int]) -> Grid:
        """All cells of an input size; a side that is no multiple of a stride has a last cell that sticks out.

        Args:
            width_px: of the model's input.
            height_px: of the model's input.
            strides_px: of the grids, in the output's order.
        """
        points, strides = [], []
        for stride in strides_px:
            columns, rows = -(-width_px // stride), -(-height_px // stride)
            cell = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
            points.append(cell * float(stride))
            strides.append(np.full(len(cell), float(stride)))
        return cls(np.concatenate(points), np.concatenate(strides))

    @classmethod
    def fitting(cls, width_px: int, height_px: int, cell_count: object, choices: Sequence[Sequence[int]]) -> Grid:
        """The first choice of strides that gives so many cells; where none does, the first choice.

        Args:
            width_px: of the model's input.
            height_px: of the model's input.
            cell_count: of the model's output; a word where that is no number.
            choices: strides of the grids, in the output's order, the usual ones first.
        """
        grids = [cls.of_strides(width_px, height_px, strides) for strides in choices]
        return next((grid for grid in grids if len(grid) == cell_count), grids[0])

    def __len__(self) -> int:
        return len(self.points_px)

    def select(self, cells: NDArrayInt) -> Grid:
        """Some of the cells.

        Args:
            cells: ``(K,) int64`` rows.
        """
        return Grid(self.points_px[cells], self.strides_px[cells])
