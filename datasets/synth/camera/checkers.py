"""Half of the pixels, as on a chessboard, tell the other half where those around one agree.

What shows in a single pixel and in none beside it is lost in half of all cases. Anything longer, however thin, is not:
of every line of pixels, the first half has a part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayInt

_NOTHING = -(2**31)
"""What a pixel has that is not asked about; equal to no value."""


@dataclass(frozen=True, eq=False)
class Board:
    """Some pixels of a picture.

    Args:
        pixels: ``(N,) int64`` ascending, row by row.
        size: H and W.
    """

    pixels: NDArrayInt
    size: tuple[int, int]

    def select(self, rows: NDArrayInt) -> Board:
        """Some of them.

        Args:
            rows: ascending indices.
        """
        return Board(self.pixels[rows], self.size)

    def first_half(self) -> NDArrayBool:
        """``(N,) bool``: those of one colour of the board, and those at the rim, which are not surrounded."""
        first = np.ones(self.size, dtype=bool)
        first[1:-1:2, 2:-1:2] = False
        first[2:-1:2, 1:-1:2] = False
        return first.ravel().take(self.pixels)

    def agreed(self, values: NDArrayInt, first: NDArrayBool) -> NDArrayBool:
        """``(N,) bool``: those of the second half that lie between four of the first of one value.

        Args:
            values: ``(N,)`` 32-bit integers, correct in the first half.
            first: ``(N,) bool`` which those are.
        """
        board = np.full(self.size, _NOTHING, dtype=np.int32)
        board.reshape(-1)[self.pixels] = values
        above, below, left, right = board[:-2, 1:-1], board[2:, 1:-1], board[1:-1, :-2], board[1:-1, 2:]
        agree = np.zeros(self.size, dtype=bool)
        agree[1:-1, 1:-1] = (above == below) & (left == right) & (above == left) & (left != _NOTHING)
        return agree.ravel()[self.pixels] & ~first

    def between(self, kinds: NDArrayInt) -> NDArrayBool:
        """``(N,) bool``: those of the second half with one of their kind on the left and one on the right.

        Args:
            kinds: ``(N,)`` integers: what has to be the same.
        """
        between = ~self.first_half()
        between[[0, -1]] = False
        next_of_kind = (np.diff(self.pixels) == 1) & (np.diff(kinds) == 0)
        between[1:-1] &= next_of_kind[:-1] & next_of_kind[1:]
        return between
