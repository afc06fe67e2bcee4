"""Scans and images as bytes on disk."""

from __future__ import annotations

import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from vedette.datasets.kitti.files import MAX_IMAGE_PIXELS, image_paths, read_image, read_scan, scan_paths
from vedette.errors import InvalidFrameError, MissingDataError
from vedette.frames import MAX_SWEEP_POINTS


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_scan_of_any_length(tmp_path: Path, count: int) -> None:
    """Points come back as they were written."""
    points = np.arange(count * 4, dtype="<f4").reshape(-1, 4)
    path = tmp_path / "scan.bin"
    path.write_bytes(points.tobytes())
    assert np.array_equal(read_scan(path), points)
    assert read_scan(path).dtype == np.float32


@pytest.mark.parametrize("size", [1, 15, 17, 1604])
def test_truncated_scan(tmp_path: Path, size: int) -> None:
    """A point has 16 bytes."""
    path = tmp_path / "scan.bin"
    path.write_bytes(b"\0" * size)
    with pytest.raises(InvalidFrameError, match=rf"scan\.bin: {size} bytes; expected a multiple of 16"):
        read_scan(path)


def test_huge_scan_is_not_even_read(tmp_path: Path) -> None:
    """A sparse file of more points than any turn has."""
    path = tmp_path / "scan.bin"
    with path.open("wb") as file:
        file.truncate((MAX_SWEEP_POINTS + 1) * 16)
    with pytest.raises(InvalidFrameError, match=f"expected at most {MAX_SWEEP_POINTS}"):
        read_scan(path)


def test_absent_files(tmp_path: Path) -> None:
    """Say which, as does a folder in a file's place."""
    for read in (read_scan, read_image):
        with pytest.raises(MissingDataError, match="absent"):
            read(tmp_path / "absent")
    (tmp_path / "folder").mkdir()
    with pytest.raises(MissingDataError, match="folder"):
        read_image(tmp_path / "folder")


def encoded(suffix: str) -> bytes:
    """A picture with some texture, so that half of its bytes are not all of it."""
    pixels = np.random.default_rng(0).integers(0, 256, (32, 48, 3), dtype=np.uint8)
    ok, data = cv2.imencode(suffix, pixels)
    assert ok
    return data.tobytes()


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_image_formats(tmp_path: Path, suffix: str) -> None:
    """Height, width and three colours."""
    path = tmp_path / f"picture{suffix}"
    path.write_bytes(encoded(suffix))
    assert read_image(path).shape == (32, 48, 3)


def test_grey_png_becomes_colour(tmp_path: Path) -> None:
    """Consumers always get three channels."""
    path = tmp_path / "picture.png"
    assert cv2.imwrite(str(path), np.zeros((4, 6), np.uint8))
    assert read_image(path).shape == (4, 6, 3)


@pytest.mark.parametrize("suffix", [".png", ".jpg"])
def test_truncated_image(tmp_path: Path, suffix: str) -> None:
    """The decoder alone would fill the rest with grey and say nothing."""
    path = tmp_path / f"picture{suffix}"
    data = encoded(suffix)
    path.write_bytes(data[: len(data) * 3 // 4])
    with pytest.raises(InvalidFrameError, match="the image is truncated"):
        read_image(path)


@pytest.mark.parametrize("data", [b"", b"not an image", b"\0" * 100])
def test_undecodable_image(tmp_path: Path, data: bytes) -> None:
    """Says how many bytes were met."""
    path = tmp_path / "picture.png"
    path.write_bytes(data)
    with pytest.raises(InvalidFrameError, match=f"{len(data)} bytes that do not decode"):
        read_image(path)


def with_png_size(width_px: int, height_px: int) -> bytes:
    """A small PNG whose header announces another size, with the header's checksum made right."""
    data = bytearray(encoded(".png"))
    data[16:24] = width_px.to_bytes(4, "big") + height_px.to_bytes(4, "big")
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize("size_px", [(20_000, 20_000), (MAX_IMAGE_PIXELS + 1, 1), (60_000, 60_000)])
def test_a_huge_image_is_not_even_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_px: tuple[int, int]
) -> None:
    """Three kilobytes may announce more pixels than there is memory for."""
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("decoded"))
    path = tmp_path / "picture.png"
    path.write_bytes(with_png_size(*size_px))
    with pytest.raises(InvalidFrameError, match=rf"picture\.png: the image is {size_px[0]}x{size_px[1]}; expected at"):
        read_image(path)


def test_an_image_that_makes_the_decoder_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of some faults the decoder raises an error of its own; that one frame is bad, and not the run."""
    decode = cv2.imdecode
    monkeypatch.setattr(cv2, "imdecode", lambda data, flags: decode(data[:0], flags))  # it raises for an empty buffer
    path = tmp_path / "picture.png"
    path.write_bytes(encoded(".png"))
    with pytest.raises(InvalidFrameError, match=r"picture\.png: the decoder refuses the image: "):
        read_image(path)


def test_listing(tmp_path: Path) -> None:
    """By number; the lossless picture is preferred, other names are ignored, an absent folder is empty."""
    for name in ("000000.bin", "000010.bin", "notes.bin", "000001.jpg", "000001.png", "000002.jpg", "cover.png"):
        (tmp_path / name).touch()
    assert {number: path.name for number, path in scan_paths(tmp_path).items()} == {0: "000000.bin", 10: "000010.bin"}
    assert {number: path.name for number, path in image_paths(tmp_path).items()} == {1: "000001.png", 2: "000002.jpg"}
    assert scan_paths(tmp_path / "absent") == image_paths(tmp_path / "absent") == {}
