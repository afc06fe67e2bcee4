"""An encoded sweep, and the seam of everything that writes and reads one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vedette.errors import CorruptBlobError
from vedette.frames import MAX_SWEEP_POINTS, Sweep
from vedette.geometry import NDArrayFloat32


@dataclass(frozen=True)
class EncodedSweep:
    """The points of a sweep as a codec wrote them; the times travel beside it.

    Args:
        codec: name of the codec.
        version: of the codec's format, 1 or more.
        point_count: points in the blob, 1 to `MAX_SWEEP_POINTS`; decoding never allocates for more.
        data: the blob.

    Raises:
        CorruptBlobError: the number of points is out of range.
    """

    codec: str
    version: int
    point_count: int
    data: bytes

    def __post_init__(self) -> None:
        if not 1 <= self.point_count <= MAX_SWEEP_POINTS:
            raise CorruptBlobError(
                f"encoded sweep says it has {self.point_count} points; expected 1 to {MAX_SWEEP_POINTS}"
            )


class SweepCodec(Protocol):
    """Writes and reads sweeps in one format; keeps the order of the points."""

    @property
    def name(self) -> str:
        """As on the wire and in configuration."""
        ...

    @property
    def version(self) -> int:
        """Of the format that `encode` writes."""
        ...

    @property
    def max_position_error_m(self) -> float:
        """Largest difference between a decoded and an original coordinate, along each axis."""
        ...

    @property
    def max_intensity_error(self) -> float:
        """Largest difference between a decoded and an original intensity."""
        ...

    def encode(self, sweep: Sweep) -> EncodedSweep:
        """Write a sweep."""
        ...

    def decode(self, encoded: EncodedSweep) -> NDArrayFloat32:
        """Read the points of a sweep.

        Args:
            encoded: of this codec and version.

        Returns:
            ``(N,4) float32`` x, y, z, intensity, not yet checked for range and finiteness.

        Raises:
            CorruptBlobError: the blob is truncated, damaged, or not of the size that its point count asks for.
        """
        ...
