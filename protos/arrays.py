"""numpy arrays on the wire: bytes with dtype and shape, checked on arrival."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vedette.errors import InvalidMessageError
from vedette.protos.v1alpha1 import common_pb2

# little-endian by definition of the wire, whatever this machine is
_DTYPES: Final[dict[common_pb2.ElementType.ValueType, np.dtype[Any]]] = {
    common_pb2.ELEMENT_TYPE_UINT8: np.dtype("u1"),
    common_pb2.ELEMENT_TYPE_INT16: np.dtype("<i2"),
    common_pb2.ELEMENT_TYPE_UINT16: np.dtype("<u2"),
    common_pb2.ELEMENT_TYPE_INT32: np.dtype("<i4"),
    common_pb2.ELEMENT_TYPE_INT64: np.dtype("<i8"),
    common_pb2.ELEMENT_TYPE_FLOAT32: np.dtype("<f4"),
    common_pb2.ELEMENT_TYPE_FLOAT64: np.dtype("<f8"),
}
_ELEMENT_TYPES: Final = {dtype: element_type for element_type, dtype in _DTYPES.items()}
_MAX_DIMENSIONS: Final = 4


def array_to_proto(array: NDArray[Any]) -> common_pb2.Array:
    """Write an array.

    Args:
        array: of 1 to 4 dimensions and one of the wire's dtypes.

    Raises:
        InvalidMessageError: another dtype or number of dimensions.
    """
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _ELEMENT_TYPES or not 1 <= array.ndim <= _MAX_DIMENSIONS:
        raise InvalidMessageError(
            f"array has dtype {array.dtype} and {array.ndim} dimensions; expected one of"
            f" {', '.join(str(known) for known in _ELEMENT_TYPES)} and 1 to {_MAX_DIMENSIONS} dimensions"
        )
    data = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return common_pb2.Array(data=data, dtype=_ELEMENT_TYPES[dtype], shape=array.shape)


def array_from_proto(message: common_pb2.Array, name: str, dtype: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Read an array that must have a certain dtype and shape.

    Args:
        message: as it came.
        name: of the field, for errors.
        dtype: numpy's name of the dtype it must have, for example ``float64``.
        shape: the shape it must have; None stands for any length.

    Returns:
        A read-only view of the message's bytes, in this machine's byte order.

    Raises:
        InvalidMessageError: dtype, shape or number of bytes is another.
    """
    met = _DTYPES.get(message.dtype)
    if met is None or met != np.dtype(dtype).newbyteorder("<"):
        raise InvalidMessageError(f"{name} has dtype {met or message.dtype}; expected {dtype}")
    lengths = tuple(message.shape)
    fits = len(lengths) == len(shape) and all(
        want is None or length == want for length, want in zip(lengths, shape, strict=True)
    )
    if not fits:
        raise InvalidMessageError(f"{name} has shape {lengths}; expected {_show(shape)}")
    expected_bytes = math.prod(lengths) * met.itemsize
    if len(message.data) != expected_bytes:
        raise InvalidMessageError(
            f"{name} has {len(message.data)} bytes; expected {expected_bytes} for shape {lengths} of {dtype}"
        )
    array: NDArray[Any] = np.frombuffer(message.data, dtype=met).reshape(lengths).astype(dtype, copy=False)
    return array


def _show(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('any' if length is None else str(length) for length in shape)})"
