"""Where the pillars stand, and the cells in which the network answers.

    y 40.96 ┌──────────────┐ row 255
            │              │
    sensor  ►              │      x, columns →
            │              │
     -40.96 └──────────────┘ row 0
            0          71.68

Cells are numbered row-major, `row * COLUMNS + column`. Both sides are multiples of 8, so that halving them twice and
doubling them again comes out even. Each pillar has four quarters, in which its points are summed up apart:

    y  ┌───┬───┐
    ▲  │ 2 │ 3 │
    │  ├───┼───┤
    │  │ 0 │ 1 │
       └───┴───┘ ► x

The network answers in cells as wide as a pillar, or twice as wide: its *stride*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CELL_M: Final = 0.32
COLUMNS: Final = 224
ROWS: Final = 256
CELLS: Final = ROWS * COLUMNS
QUARTERS: Final = 4
"""Of a pillar."""
QUARTER_M: Final = CELL_M / 2
LEAST_X_M: Final = 0.0
LEAST_Y_M: Final = -40.96
LOWEST_Z_M: Final = -3.5
HIGHEST_Z_M: Final = 1.5
"""Points below or above are left out: the ground drops little more than this, and no car reaches higher."""


@dataclass(frozen=True)
class AnswerGrid:
    """The cells in which a network answers.

    Args:
        stride: width of a cell in pillars.
    """

    stride: int

    @property
    def cell_m(self) -> float:
        """Width of a cell."""
        return self.stride * CELL_M

    @property
    def columns(self) -> int:
        """Cells along x."""
        return COLUMNS // self.stride

    @property
    def rows(self) -> int:
        """Cells along y."""
        return ROWS // self.stride

    @property
    def cells(self) -> int:
        """All of them."""
        return self.rows * self.columns


ANSWER_GRIDS: Final = (AnswerGrid(1), AnswerGrid(2))
"""Those that networks of this family have."""
