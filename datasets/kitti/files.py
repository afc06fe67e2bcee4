"""Scans and images on disk: reading one, and listing those of a folder by frame number."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vedette.datasets.kitti.image_size import image_size_px
from vedette.errors import InvalidFrameError, MissingDataError
from vedette.frames import MAX_SWEEP_POINTS
from vedette.geometry import NDArrayFloat32, NDArrayUInt8

_POINT_BYTES: Final = 16
_IMAGE_SUFFIXES: Final = (".jpeg", ".jpg", ".png")
"""In rising order of preference: where a frame has several, the lossless one is taken."""
_IMAGE_ENDS: Final = {b"\x89PNG": b"IEND", b"\xff\xd8": b"\xff\xd9"}
"""What closes a file that opens like this; the decoder fills the rest of a truncated picture with grey, silently."""
_TAIL_BYTES: Final = 64
MAX_IMAGE_PIXELS: Final = 50_000_000
"""More than any camera of a vehicle has (8K is 33 million). A file of a few kilobytes can announce a billion, for which
the decoder would take gigabytes."""


def read_scan(path: Path) -> NDArrayFloat32:
    """Read a scan.

    Args:
        path: little-endian float32 x, y, z, intensity, one point after the other.

    Returns:
        ``(N,4) float32``; its values are not checked here.

    Raises:
        MissingDataError: no such file, or it cannot be read.
        InvalidFrameError: its length is not a whole number of points, or over the limit.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise MissingDataError(f"{path}: the scan cannot be read: {error.strerror}") from None
    if size % _POINT_BYTES:
        raise InvalidFrameError(f"{path}: {size} bytes; expected a multiple of {_POINT_BYTES} (the scan is truncated)")
    if size > MAX_SWEEP_POINTS * _POINT_BYTES:
        raise InvalidFrameError(f"{path}: {size // _POINT_BYTES} points; expected at most {MAX_SWEEP_POINTS}")
    try:
        return np.fromfile(path, dtype="<f4").astype(np.float32, copy=False).reshape(-1, 4)
    except OSError as error:
        raise MissingDataError(f"{path}: the scan cannot be read: {error.strerror}") from None


def read_image(path: Path) -> NDArrayUInt8:
    """Read an image.

    Args:
        path: a PNG or JPEG file.

    Returns:
        ``(H,W,3) uint8`` in OpenCV's order blue, green, red.

    Raises:
        MissingDataError: no such file, or it cannot be read.
        InvalidFrameError: it is neither, is truncated or too large, or cannot be decoded.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MissingDataError(f"{path}: the image cannot be read: {error.strerror}") from None
    for start, end in _IMAGE_ENDS.items():
        if data.startswith(start) and end not in data[-_TAIL_BYTES:]:
            raise InvalidFrameError(f"{path}: the image is truncated after {len(data)} bytes; expected a whole file")
    size_px = image_size_px(data)
    if size_px is None:
        raise _undecodable(path, data)
    if size_px[0] * size_px[1] > MAX_IMAGE_PIXELS:
        raise InvalidFrameError(
            f"{path}: the image is {size_px[0]}x{size_px[1]}; expected at most {MAX_IMAGE_PIXELS} pixels"
        )
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> NDArrayUInt8:
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:  # of some faults, such as too little memory, the decoder does not return None
        raise InvalidFrameError(f"{path}: the decoder refuses the image: {' '.join(error.err.split())}") from None
    if pixels is None:
        raise _undecodable(path, data)
    return np.asarray(pixels, dtype=np.uint8)


def _undecodable(path: Path, data: bytes) -> InvalidFrameError:
    return InvalidFrameError(f"{path}: {len(data)} bytes that do not decode; expected a PNG or JPEG image")


def scan_paths(folder: Path) -> dict[int, Path]:
    """The scans of a folder by frame number; empty where there is no such folder."""
    return {int(path.stem): path for path in folder.glob("*.bin") if path.stem.isdecimal()}


def image_paths(folder: Path) -> dict[int, Path]:
    """The images of a folder by frame number; empty where there is no such folder."""
    return {
        int(path.stem): path
        for suffix in _IMAGE_SUFFIXES
        for path in folder.glob(f"*{suffix}")
        if path.stem.isdecimal()
    }
