"""Array types used across the project, and the one check of an array's shape that geometry makes."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

NDArrayFloat: TypeAlias = NDArray[np.float64]
NDArrayFloat32: TypeAlias = NDArray[np.float32]
NDArrayInt: TypeAlias = NDArray[np.int64]
NDArrayBool: TypeAlias = NDArray[np.bool_]
NDArrayUInt8: TypeAlias = NDArray[np.uint8]


def finite_rows(values: ArrayLike, columns: int, name: str) -> NDArrayFloat:
    """Return `values` as a float64 table with a fixed number of columns, all finite.

    Args:
        values: anything numpy can read as a table of numbers; an empty one needs the shape (0, columns).
        columns: how many columns the table must have.
        name: what the table is, for the message.

    Returns:
        (N, columns) float64; the input itself where it already is one.

    Raises:
        ValueError: wrong shape, or a value that is NaN or infinite.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"{name}: expected shape (N, {columns}), got {table.shape}")
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise ValueError(f"{name}: expected finite values, row {row} is {table[row].tolist()}")
    return table


def frozen_array(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArrayFloat:
    """Return a read-only float64 copy of `values`, for a frozen dataclass to hold.

    Args:
        values: numbers of the given shape.
        shape: the shape they must have.
        name: what they are, for the message.

    Returns:
        float64 array of that shape which refuses to be written.

    Raises:
        ValueError: wrong shape, or a value that is NaN or infinite.
    """
    array = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, got {array.shape}")
    # a dozen plain numbers are checked faster than an array of a dozen
    if not all(map(math.isfinite, array.ravel().tolist())):
        raise ValueError(f"{name}: expected finite values, got {array.tolist()}")
    array.setflags(write=False)
    return array
