from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.checkers import Board

SIZE = (12, 17)
WHOLE = Board(np.arange(12 * 17), SIZE)


def told(values: np.ndarray) -> np.ndarray:
    """(H,W) bool: pixels that the others tell."""
    return WHOLE.agreed(values.ravel(), WHOLE.first_half()).reshape(SIZE)


def test_what_is_even_all_over_needs_half_and_the_rim() -> None:
    first = WHOLE.first_half().reshape(SIZE)
    assert np.array_equal(told(np.zeros(SIZE, dtype=int)), ~first)
    assert first[0].all()
    assert first[:, -1].all()
    assert first[1:-1, 1:-1].mean() == 0.5
    assert np.array_equal(first[1, 1:5], [True, False, True, False])
    assert np.array_equal(first[2, 1:5], [False, True, False, True])


def test_a_line_of_one_pixel_is_never_told_away() -> None:
    """Whether upright, level or slanting; the second half is left unknown."""
    for line in (np.s_[:, 7], np.s_[5], (np.arange(12), np.arange(12))):
        values = np.zeros(SIZE, dtype=int)
        values[line] = 3
        seen = np.where(WHOLE.first_half().reshape(SIZE), values, -9)
        one_of_line = np.zeros(SIZE, dtype=bool)
        one_of_line[line] = True
        assert not (told(seen) & one_of_line).any()


def test_pixels_that_are_not_asked_about_tell_nothing() -> None:
    """A hole of one pixel: the four beside it have to be found out."""
    board = Board(np.delete(WHOLE.pixels, 5 * 17 + 9), SIZE)
    agreed = board.agreed(np.zeros(len(board.pixels), dtype=int), board.first_half())
    beside = np.isin(board.pixels, [4 * 17 + 9, 6 * 17 + 9, 5 * 17 + 8, 5 * 17 + 10])
    assert not agreed[beside].any()
    assert agreed.sum() == told(np.zeros(SIZE, dtype=int)).sum() - 4


def test_between_two_of_one_kind() -> None:
    """Columns 7 and 8 are of two kinds, so that neither lies between two of its own."""
    kinds = np.repeat([[0, 1]], (8, 9), axis=1).repeat(12, axis=0)
    expected = ~WHOLE.first_half().reshape(SIZE)
    expected[:, [7, 8]] = False
    assert np.array_equal(WHOLE.between(kinds.ravel()).reshape(SIZE), expected)
