"""The codec `raw`: float32 as it is, for those who need every bit and have the bandwidth.

Format, version 1: point after point, x, y, z, intensity as little-endian float32; 16 bytes a point.
"""

from __future__ import annotations

import numpy as np

from vedette.codecs.sweep.blob import EncodedSweep
from vedette.errors import CorruptBlobError
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat32

_BYTES_PER_POINT = 16


class RawCodec:
    """Exact, 128 bits a point."""

    @property
    def name(self) -> str:
        """As on the wire and in configuration."""
        return "raw"

    @property
    def version(self) -> int:
        """Of the format that `encode` writes."""
        return 1

    @property
    def max_position_error_m(self) -> float:
        """Nothing is lost."""
        return 0.0

    @property
    def max_intensity_error(self) -> float:
        """Nothing is lost."""
        return 0.0

    def encode(self, sweep: Sweep) -> EncodedSweep:
        """Write a sweep."""
        data = np.ascontiguousarray(sweep.points_velo, dtype="<f4").tobytes()
        return EncodedSweep(self.name, self.version, len(sweep), data)

    def decode(self, encoded: EncodedSweep) -> NDArrayFloat32:
        """Read the points of a sweep.

        Args:
            encoded: of this codec and version.

        Returns:
            ``(N,4) float32`` x, y, z, intensity, not yet checked for range and finiteness.

        Raises:
            CorruptBlobError: the blob is not 16 bytes a point.
        """
        expected_bytes = encoded.point_count * _BYTES_PER_POINT
        if len(encoded.data) != expected_bytes:
            raise CorruptBlobError(
                f"raw sweep has {len(encoded.data)} bytes; expected {expected_bytes} for {encoded.point_count} points"
            )
        return np.frombuffer(encoded.data, dtype="<f4").reshape(-1, 4).astype(np.float32, copy=False)
