"""The codec `planar`: coordinates on a grid, as differences along the sweep, in byte planes, through zstd.

Neighbours in a sweep are neighbours in the world (a laser's returns come in order of azimuth), so the difference from
one point to the next is small, its high byte nearly always 0, and zstd finds long runs in the planes of high bytes.

The grid step is a power of two of a metre, so that scaling a float32 by it is exact, and the error bound is exact too:

- x, y, z: at most half a step, 1/256 m (3.9 mm) with the default step of 1/128 m; a LiDAR's own range noise is 20 mm.
- intensity: at most 1/510 + 2**-23.

Format, version 1 (all little-endian)::

    byte 0      W: bytes of a grid coordinate, 2 (reaches +-256 m with the default step) or 4
    byte 1      E: the step is 2**-E metres
    rest        one zstd frame, content size and checksum in it, of N * (3 * W + 1) bytes:
                  W planes of 3 N bytes, lowest byte first: that byte of the zigzag differences
                    x[0], x[1] - x[0], ..., y[0], y[1] - y[0], ..., z[0], ...   (modulo 2**(8 W))
                  N bytes: round(255 * intensity)
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from vedette.codecs.sweep.blob import EncodedSweep
from vedette.errors import CodecError, CorruptBlobError
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat32

_HEADER_BYTES: Final = 2
_SIGNED: Final[dict[int, np.dtype[np.signedinteger[Any]]]] = {2: np.dtype("<i2"), 4: np.dtype("<i4")}
_UNSIGNED: Final[dict[int, np.dtype[np.unsignedinteger[Any]]]] = {2: np.dtype("<u2"), 4: np.dtype("<u4")}
_FINEST_EXPONENT: Final = 12
# Level 3 saves 3 % more and takes twice the time; measured in docs/sweep-codec.md.
_ZSTD_LEVEL: Final = 1


class PlanarCodec:
    """About 18 bits a point of a full turn at a step of 1/128 m, 20 of a camera's view (docs/sweep-codec.md).

    Args:
        step_exponent: the step is ``2**-step_exponent`` metres, 0 to 12. One more halves the error and costs about 3
            bits a point.

    Raises:
        CodecError: the exponent is out of range.
    """

    def __init__(self, step_exponent: int = 7) -> None:
        if not 0 <= step_exponent <= _FINEST_EXPONENT:
            raise CodecError(f"planar step exponent is {step_exponent}; expected 0 to {_FINEST_EXPONENT}")
        self._step_exponent = step_exponent

    @property
    def name(self) -> str:
        """As on the wire and in configuration."""
        return "planar"

    @property
    def version(self) -> int:
        """Of the format that `encode` writes."""
        return 1

    @property
    def max_position_error_m(self) -> float:
        """Half a step, along each axis."""
        return 0.5**self._step_exponent / 2

    @property
    def max_intensity_error(self) -> float:
        """Half of 1/255, and what float32 rounds."""
        return 1 / 510 + 2**-23

    def encode(self, sweep: Sweep) -> EncodedSweep:
        """Write a sweep."""
        # Rows of x, y, z, each contiguous, from here on: several times faster than walking along the points.
        grid = np.rint(np.multiply(sweep.points_velo.T[:3], np.float32(2**self._step_exponent), order="C"))
        width = 2 if np.abs(grid).max() <= np.iinfo(np.int16).max else 4
        intensities = np.rint(sweep.points_velo[:, 3] * np.float32(255)).astype(np.uint8)
        content = _planes(_zigzag_differences(grid.astype(_SIGNED[width]))) + intensities.tobytes()
        # A compressor serves one thread at a time, and making one costs little: none is kept.
        frame = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(content)
        return EncodedSweep(self.name, self.version, len(sweep), bytes((width, self._step_exponent)) + frame)

    def decode(self, encoded: EncodedSweep) -> NDArrayFloat32:
        """Read the points of a sweep, whatever step they were written with.

        Args:
            encoded: of this codec and version.

        Returns:
            ``(N,4) float32`` x, y, z, intensity, not yet checked for range.

        Raises:
            CorruptBlobError: the blob is truncated, damaged, or not of the size that its point count asks for.
        """
        width, step_exponent = _read_header(encoded.data)
        count = encoded.point_count
        content = _decompress(encoded.data[_HEADER_BYTES:], count * (3 * width + 1))
        grid = _undo_differences(content[: 3 * count * width], width, count)
        points = np.empty((count, 4), np.float32)
        for axis in range(3):
            np.multiply(grid[axis], np.float32(0.5**step_exponent), out=points[:, axis])
        np.divide(content[3 * count * width :], np.float32(255), out=points[:, 3])
        return points


def _zigzag_differences(grid: NDArray[np.signedinteger[Any]]) -> NDArray[np.signedinteger[Any]]:
    """Differences along each row, small ones of either sign made small and positive: 0, -1, 1, -2 become 0, 1, 2, 3."""
    differences = grid.copy()
    differences[:, 1:] -= grid[:, :-1]
    return (differences << 1) ^ (differences >> (8 * grid.itemsize - 1))


def _planes(values: NDArray[np.signedinteger[Any]]) -> bytes:
    return values.reshape(-1, 1).view(np.uint8).T.tobytes()


def _undo_differences(planes: NDArray[np.uint8], width: int, count: int) -> NDArray[np.signedinteger[Any]]:
    signed = _SIGNED[width]
    zigzag = np.zeros(3 * count, _UNSIGNED[width])
    for plane in planes.reshape(width, -1)[::-1]:
        zigzag <<= 8
        zigzag |= plane
    differences = ((zigzag >> 1).view(signed) ^ -(zigzag & 1).view(signed)).reshape(3, count)
    return np.cumsum(differences, axis=1, dtype=signed)


def _read_header(data: bytes) -> tuple[int, int]:
    if len(data) <= _HEADER_BYTES:
        raise CorruptBlobError(f"planar sweep has {len(data)} bytes; expected more than its header of {_HEADER_BYTES}")
    width, step_exponent = data[0], data[1]
    if width not in _SIGNED or step_exponent > _FINEST_EXPONENT:
        raise CorruptBlobError(
            f"planar sweep says coordinates of {width} bytes at a step of 2**-{step_exponent} m;"
            f" expected 2 or 4 bytes and 0 to {_FINEST_EXPONENT}"
        )
    return width, step_exponent


def _decompress(frame: bytes, expected_bytes: int) -> NDArray[np.uint8]:
    """The content of a zstd frame, refused before anything is allocated when it says another size than expected."""
    try:
        content_bytes = zstandard.frame_content_size(frame)
        if content_bytes != expected_bytes:
            raise CorruptBlobError(f"planar sweep unpacks to {content_bytes} bytes; expected {expected_bytes}")
        content = zstandard.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise CorruptBlobError(f"planar sweep is damaged or truncated: {error}") from error
    if len(content) != expected_bytes:
        raise CorruptBlobError(f"planar sweep unpacked to {len(content)} bytes; expected {expected_bytes}")
    return np.frombuffer(content, np.uint8)
