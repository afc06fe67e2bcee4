"""Smooth random values on a plane, from one table that is looked up: what all natural patterns are made of."""

from __future__ import annotations

import cv2
import numpy as np

from vedette.geometry import NDArrayFloat32

_CELLS = 128
_SAMPLES_PER_CELL = 8
_SIDE = _CELLS * _SAMPLES_PER_CELL


class ValueNoise:
    """Value noise that repeats after 128 cells: random values at the corners of a grid, smooth between.

    Args:
        rng: draws the values.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        corners = rng.uniform(-1.0, 1.0, (_CELLS, _CELLS)).astype(np.float32)
        wrapped = np.pad(corners, 2, mode="wrap")
        side = (_CELLS + 4) * _SAMPLES_PER_CELL
        fine = cv2.resize(wrapped, (side, side), interpolation=cv2.INTER_CUBIC)
        margin = 2 * _SAMPLES_PER_CELL
        self._smooth: NDArrayFloat32 = np.asarray(fine[margin:-margin, margin:-margin], dtype=np.float32).ravel()
        self._corners = corners.ravel()

    def smooth(self, u: NDArrayFloat32, v: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,) float32`` -1 to 1 with mean 0, varying over a length of 1.

        Args:
            u: ``(N,) float32``.
            v: ``(N,) float32``.
        """
        return self._smooth.take(_index(u * _SAMPLES_PER_CELL, v * _SAMPLES_PER_CELL, _SIDE))

    def of_cell(self, u: NDArrayFloat32, v: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,) float32`` -1 to 1, one value for each unit square.

        Args:
            u: ``(N,) float32``.
            v: ``(N,) float32``.
        """
        return self._corners.take(_index(u, v, _CELLS))


def _index(u: NDArrayFloat32, v: NDArrayFloat32, side: int) -> np.ndarray:
    # a side is a power of two, so that & wraps; floor and not a cast, which would mirror at 0
    column = np.floor(u).astype(np.int32) & (side - 1)
    row = np.floor(v).astype(np.int32) & (side - 1)
    return row * side + column
