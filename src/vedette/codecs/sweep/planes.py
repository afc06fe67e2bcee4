"""Rows of whole numbers as differences, in byte planes, in one zstd frame.

Neighbours in a sweep are neighbours in the world, so the difference from one number to the next is small and its high
byte nearly always 0. Each plane begins a block of zstd's, and so gets a code of its own: when zstd puts all planes of a
small sweep into one block, the one code fits none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from vedette.errors import CorruptBlobError

MAX_WIDTH: Final = 4
"""Bytes of an int32."""

# Level 3 saves 3 to 4 % more, and encoding takes a fifth longer; measured in docs/sweep-codec.md.
_ZSTD_LEVEL: Final = 1


def difference_planes(row: NDArray[np.int32]) -> list[bytes]:
    """A row of numbers as differences, lowest byte first, without the high planes that are all 0.

    Args:
        row: ``(N,) int32``.

    Returns:
        1 to 4 planes of N bytes.
    """
    zigzag = row.copy()
    np.subtract(row[1:], row[:-1], out=zigzag[1:])
    # Small ones of either sign become small and positive: 0, -1, 1, -2 are written as 0, 1, 2, 3.
    negative = zigzag >> 31
    zigzag <<= 1
    zigzag ^= negative
    width = max(1, (int(zigzag.view(np.uint32).max()).bit_length() + 7) // 8)
    by_byte = zigzag.astype("<i4", copy=False).view(np.uint8).reshape(-1, 4)
    return [by_byte[:, byte].tobytes() for byte in range(width)]


def undo_differences(planes: NDArray[np.uint8]) -> NDArray[np.int32]:
    """The row of numbers that `difference_planes` was given.

    Args:
        planes: ``(W,N) uint8``, W of 1 to 4.
    """
    zigzag = planes[-1].astype(np.uint32)
    for plane in planes[-2::-1]:
        zigzag <<= 8
        zigzag |= plane.astype(np.uint32)
    negative = (zigzag & 1).view(np.int32)
    zigzag >>= 1
    differences = zigzag.view(np.int32)
    differences ^= np.negative(negative, out=negative)
    return np.cumsum(differences, out=differences)


def compress(planes: Sequence[bytes]) -> bytes:
    """One zstd frame, with checksum and content size, of all planes, each in blocks of its own."""
    # A compressor serves one thread at a time, and making one costs little: none is kept.
    compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True)
    writer = compressor.compressobj(size=sum(len(plane) for plane in planes))
    return b"".join(_blocks(writer, planes)) + writer.flush()


def _blocks(writer: zstandard.ZstdCompressionObj, planes: Sequence[bytes]) -> Iterable[bytes]:
    for plane in planes:
        yield writer.compress(plane)
        yield writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def decompress(frame: bytes, expected_bytes: int) -> NDArray[np.uint8]:
    """The content of a zstd frame, refused before anything is allocated when it says another size than expected.

    Args:
        frame: a frame that states its content size.
        expected_bytes: the size it must state, and have.

    Returns:
        ``(expected_bytes,) uint8``.

    Raises:
        CorruptBlobError: truncated, damaged, followed by more, or of another size.
    """
    try:
        content_bytes = zstandard.frame_content_size(frame)
        if content_bytes != expected_bytes:
            raise CorruptBlobError(f"sweep unpacks to {content_bytes} bytes; expected {expected_bytes}")
        content = zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise CorruptBlobError(f"sweep is damaged or truncated: {error}") from error
    if len(content) != expected_bytes:
        raise CorruptBlobError(f"sweep unpacked to {len(content)} bytes; expected {expected_bytes}")
    return np.frombuffer(content, np.uint8)
