"""Width and height of a picture from its header: known before a decoder allocates memory for the pixels."""

from __future__ import annotations

import struct
from typing import Final

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8"
_FRAME_MARKERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Start-of-frame markers (ITU-T T.81, table B.1); of their range, DHT, JPG and DAC mean something else."""
_BARE_MARKERS: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length: TEM, RST0 to RST7 and SOI."""


def image_size_px(data: bytes) -> tuple[int, int] | None:
    """Width and height as the header says.

    Args:
        data: a PNG or JPEG file.

    Returns:
        None where it is neither, or ends before its size.
    """
    if data.startswith(_PNG):
        return _png_size_px(data)
    return _jpeg_size_px(data) if data.startswith(_JPEG) else None


def _png_size_px(data: bytes) -> tuple[int, int] | None:
    """IHDR is always the first chunk: length, type, width, height."""
    if len(data) < 24 or data[12:16] != b"IHDR":
        return None
    width_px, height_px = struct.unpack_from(">II", data, 16)
    return width_px, height_px


def _jpeg_size_px(data: bytes) -> tuple[int, int] | None:
    """Segments are passed over until the one that begins a frame: marker, length, precision, height, width."""
    at = len(_JPEG)
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAME_MARKERS:
            height_px, width_px = struct.unpack_from(">HH", data, at + 5)
            return width_px, height_px
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in _BARE_MARKERS:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
