"""The codec `polar`: which column, how far, and what the geometry of a spinning sensor misses, through zstd.

Once it is known which laser sent a point, and in which column (`rings`), its distance is all that is news. So a point
is four whole numbers, the last two of them nearly always 0:

- column: where the head faced;
- forward: its coordinate along the axis of its quarter (`rays`), on a grid of one step;
- across: how many steps it is beside where its ring's ray is at that distance;
- up: how many steps it is above its ring at that place.

The reader reckons ray and ring from what it has read, and comes to the same values on every machine. Whatever they are,
each coordinate is the nearest of values that are one step apart. So for any points, in any order, the error is at most

- x, y, z: half a step, 1/256 m (3.9 mm) with the default step of 1/128 m; a LiDAR's own range noise is 20 mm.
- intensity: 1/510 + 2**-23.

Format, version 1 (all little-endian)::

    byte 0      E: the step is 2**-E metres
    byte 1      R - 1, with R the number of rings: runs of points that share the parameters below
    byte 2-5    W: bytes of a number, each 1 to 4, for column, forward, across, up
    rest        one zstd frame, content size and checksum in it:
                  20 planes of R bytes: the four bytes, lowest first, of each of
                    points in the ring, offset, sideways, upward, slope (`Rings`)
                  W[0] + W[1] + W[2] + W[3] planes of N bytes: the W[i] bytes, lowest first, of the zigzag differences
                    v[0], v[1] - v[0], ... (modulo 2**32) of columns, then forward, across, up
                  N bytes: round(255 * intensity)

A coordinate that comes out beyond 500 m, by no more than half a step, is one at 500 m (`MAX_RANGE_M`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vedette.codecs.sweep.blob import EncodedSweep
from vedette.codecs.sweep.planes import MAX_WIDTH, compress, decompress, difference_planes, undo_differences
from vedette.codecs.sweep.rays import COLUMNS_PER_TURN, UNITS_PER_METRE, across_at, height_at, quarter_axes
from vedette.codecs.sweep.rings import Rings, fit_rings
from vedette.errors import CodecError, CorruptBlobError
from vedette.frames import MAX_RANGE_M, Sweep
from vedette.geometry import NDArrayFloat, NDArrayFloat32

_HEADER_BYTES: Final = 6
_RING_NUMBERS: Final = 5
_FINEST_EXPONENT: Final = 12
_FARTHEST_UNITS: Final = int(MAX_RANGE_M) * UNITS_PER_METRE
# `rays` brings columns into one turn by going round and round.
_FARTHEST_COLUMN: Final = 4 * COLUMNS_PER_TURN
# What is reckoned of so many points at a time stays in a core's cache; a whole sweep at once takes a tenth longer.
_POINTS_AT_A_TIME: Final = 1 << 14


class PolarCodec:
    """About 11 bits a point of a full turn at a step of 1/128 m, 12 of a camera's view (docs/sweep-codec.md).

    Args:
        step_exponent: the step is ``2**-step_exponent`` metres, 0 to 12. One more halves the error and costs about
            1 bit a point.

    Raises:
        CodecError: the exponent is out of range.
    """

    def __init__(self, step_exponent: int = 7) -> None:
        if not 0 <= step_exponent <= _FINEST_EXPONENT:
            raise CodecError(f"polar step exponent is {step_exponent}; expected 0 to {_FINEST_EXPONENT}")
        self._step_exponent = step_exponent

    @property
    def name(self) -> str:
        """As on the wire and in configuration."""
        return "polar"

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
        # Rows of x, y, z, intensity, each contiguous: several times faster than walking along the points.
        points = np.ascontiguousarray(sweep.points_velo.T)
        rings, columns = fit_rings(points)
        numbers = np.empty((4, len(sweep)), np.int32)
        numbers[0] = columns
        for group, span in rings.in_groups(_POINTS_AT_A_TIME):
            _lay_out(points[:, span], columns[span], group, self._step_exponent, numbers[1:, span])
        rows = [difference_planes(row) for row in numbers]
        header = bytes((self._step_exponent, len(rings.counts) - 1, *map(len, rows)))
        intensities = np.rint(points[3] * np.float32(255)).astype(np.uint8)
        frame = compress([_ring_bytes(rings), *chain.from_iterable(rows), intensities.tobytes()])
        return EncodedSweep(self.name, self.version, len(sweep), header + frame)

    def decode(self, encoded: EncodedSweep) -> NDArrayFloat32:
        """Read the points of a sweep, whatever step they were written with.

        Args:
            encoded: of this codec and version.

        Returns:
            ``(N,4) float32`` x, y, z, intensity, within the range of a `Sweep`.

        Raises:
            CorruptBlobError: the blob is truncated, damaged, not of the size that its point count asks for, or says
                what no encoder writes.
        """
        header, count = _read_header(encoded.data), encoded.point_count
        ring_bytes = 4 * _RING_NUMBERS * header.rings
        content = decompress(encoded.data[_HEADER_BYTES:], ring_bytes + count * (sum(header.widths) + 1))
        rings = _read_rings(content[:ring_bytes], count)
        planes = content[ring_bytes:].reshape(-1, count)
        numbers = np.stack([undo_differences(row) for row in np.split(planes[:-1], np.cumsum(header.widths)[:-1])])
        if numbers[0].min() < -_FARTHEST_COLUMN or numbers[0].max() > _FARTHEST_COLUMN:
            raise CorruptBlobError(f"polar sweep has a column beyond {_FARTHEST_COLUMN}; expected one of a turn")
        points = np.empty((count, 4), np.float32)
        for group, span in rings.in_groups(_POINTS_AT_A_TIME):
            _put_back(numbers[:, span], group, header.step_exponent, points[span])
        np.divide(planes[-1], np.float32(255), out=points[:, 3])
        return points


@dataclass(frozen=True)
class _Header:
    step_exponent: int
    rings: int
    widths: tuple[int, ...]


def _read_header(data: bytes) -> _Header:
    if len(data) <= _HEADER_BYTES:
        raise CorruptBlobError(f"polar sweep has {len(data)} bytes; expected more than its header of {_HEADER_BYTES}")
    header = _Header(data[0], data[1] + 1, tuple(data[2:_HEADER_BYTES]))
    if header.step_exponent > _FINEST_EXPONENT or not all(1 <= width <= MAX_WIDTH for width in header.widths):
        raise CorruptBlobError(
            f"polar sweep says numbers of {', '.join(map(str, header.widths))} bytes at a step of"
            f" 2**-{header.step_exponent} m; expected 1 to {MAX_WIDTH} bytes and 0 to {_FINEST_EXPONENT}"
        )
    return header


def _ring_bytes(rings: Rings) -> bytes:
    table = np.stack([rings.counts, rings.offset, rings.sideways, rings.upward, rings.slope]).astype("<i4")
    return table.view(np.uint8).reshape(_RING_NUMBERS, -1, 4).transpose(0, 2, 1).tobytes()


def _read_rings(content: NDArray[np.uint8], count: int) -> Rings:
    by_byte = content.reshape(_RING_NUMBERS, 4, -1).transpose(0, 2, 1)
    rings = Rings(*np.ascontiguousarray(by_byte).view("<i4")[..., 0].astype(np.int32))
    if rings.counts.min() < 1 or rings.counts.sum(dtype=np.int64) != count:
        raise CorruptBlobError(
            f"polar sweep has rings of {rings.counts.min()} points and more, {rings.counts.sum(dtype=np.int64)} in all;"
            f" expected at least 1 in each and {count} in all"
        )
    return rings


def _lay_out(
    points: NDArrayFloat32,
    columns: NDArray[np.intp],
    rings: Rings,
    step_exponent: int,
    numbers: NDArray[np.int32],
) -> None:
    """Write ``forward``, ``across`` and ``up`` of the points ``(4,N)`` of some rings into ``numbers (3,N)``."""
    offset, sideways, upward, slope = rings.at_points()
    step = UNITS_PER_METRE >> step_exponent
    x, y, z = points[:3]
    axis_x, axis_y = quarter_axes(columns)
    steps_forward = np.rint((x * axis_x + y * axis_y) * np.float32(1 << step_exponent))
    numbers[0] = steps_forward
    forward = steps_forward.astype(np.float64)
    forward *= step
    across = across_at(forward, columns, offset, sideways)
    numbers[1] = _approach(across, y * axis_x - x * axis_y, step)
    numbers[2] = _approach(height_at(forward, across, upward, slope), z, step)


def _approach(place: NDArrayFloat, metres: NDArrayFloat32, step: int) -> NDArrayFloat:
    """Move each of ``place`` (units) by whole steps as near to ``metres`` as can be; returns the steps."""
    steps = metres.astype(np.float64)
    steps *= UNITS_PER_METRE
    steps -= place
    steps *= 1 / step
    np.rint(steps, out=steps)
    place += steps * step
    return steps


def _hold_to_range(row: NDArrayFloat, step: int) -> None:
    """Coordinates (units) that rounding to a step has put beyond where a `Sweep` ends, put back to its end."""
    farthest = max(row.max(), -row.min())
    if farthest > _FARTHEST_UNITS + step // 2:
        raise CorruptBlobError(
            f"polar sweep has a point at {farthest / UNITS_PER_METRE:.2f} m; expected at most {MAX_RANGE_M:.0f} m"
        )
    np.clip(row, -_FARTHEST_UNITS, _FARTHEST_UNITS, out=row)


def _put_back(numbers: NDArray[np.int32], rings: Rings, step_exponent: int, points: NDArrayFloat32) -> None:
    """Write x, y, z of the points of some rings into ``points (N,4)``, from their columns and what `_lay_out` wrote."""
    offset, sideways, upward, slope = rings.at_points()
    columns = numbers[0].astype(np.intp)
    step = UNITS_PER_METRE >> step_exponent
    forward, across, up = numbers[1:].astype(np.float64) * step
    across += across_at(forward, columns, offset, sideways)
    up += height_at(forward, across, upward, slope)
    for row in (forward, across, up):
        _hold_to_range(row, step)
    axis_x, axis_y = quarter_axes(columns)
    for axis, row in enumerate((forward * axis_x - across * axis_y, forward * axis_y + across * axis_x, up)):
        np.multiply(row, 1 / UNITS_PER_METRE, out=points[:, axis], casting="same_kind")
