"""Where the pillars stand, and the cells in which the network answers.

    y 40.96 ┌──────────────┐ row 255
            │              │
    sensor  ►              │      x, columns →
            │              │
     -40.96 └──────────────┘ row 0
            0          71.68

Cells are numbered row-major, `row * COLUMNS + column`. Both sides are multiples of 8, so that halving them twice and
doubling them again comes out even. The answer's cells are twice as wide.
"""

from __future__ import annotations

from typing import Final

CELL_M: Final = 0.32
COLUMNS: Final = 224
ROWS: Final = 256
CELLS: Final = ROWS * COLUMNS
LEAST_X_M: Final = 0.0
LEAST_Y_M: Final = -40.96
LOWEST_Z_M: Final = -3.5
HIGHEST_Z_M: Final = 1.5
"""Points below or above are left out: the ground drops little more than this, and no car reaches higher."""

ANSWER_CELL_M: Final = 2 * CELL_M
ANSWER_COLUMNS: Final = COLUMNS // 2
ANSWER_ROWS: Final = ROWS // 2
ANSWER_CELLS: Final = ANSWER_ROWS * ANSWER_COLUMNS
