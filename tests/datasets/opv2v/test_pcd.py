"""PCD files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.opv2v.pcd import read_pcd, write_pcd
from vedette.errors import FileFormatError, MissingDataError
from vedette.frames import MAX_SWEEP_POINTS

HEADER = (
    "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F {kind}\n"
    "COUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA {encoding}\n"
)
EXPECTED = np.array([[1.5, 2.25, -0.5, 128 / 255], [4, 5, 6, 1]], np.float32)


def write(folder: Path, header: str, body: bytes) -> Path:
    path = folder / "000000.pcd"
    path.write_bytes(header.encode() + body)
    return path


def as_float(colour: int) -> str:
    """A colour's four bytes read as a float, as PCL writes them."""
    return repr(struct.unpack("<f", struct.pack("<I", colour))[0])


@pytest.mark.parametrize(
    ("kind", "encoding", "body"),
    [
        ("U", "ascii", b"1.5 2.25 -0.5 8388608\n4 5 6 16711680\n"),
        ("I", "ascii", b"1.5 2.25 -0.5 8388608\n4 5 6 16711680\n"),
        ("F", "ascii", f"1.5 2.25 -0.5 {as_float(128 << 16)}\n4 5 6 {as_float(255 << 16)}\n".encode()),
        ("U", "binary", struct.pack("<3fI3fI", 1.5, 2.25, -0.5, 128 << 16, 4, 5, 6, 255 << 16)),
        ("F", "binary", struct.pack("<3fI3fI", 1.5, 2.25, -0.5, 128 << 16, 4, 5, 6, 255 << 16)),
    ],
)
def test_forms(tmp_path: Path, kind: str, encoding: str, body: bytes) -> None:
    """Text or bytes, the colour called a float or an integer: red is the intensity."""
    path = write(tmp_path, HEADER.format(kind=kind, encoding=encoding), body)
    np.testing.assert_allclose(read_pcd(path), EXPECTED, rtol=1e-7)


def test_without_intensity(tmp_path: Path) -> None:
    """A file of places alone has intensity 0; fields in another order and of other types are found."""
    header = "FIELDS z y x\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nPOINTS 1\nDATA binary\n"
    path = write(tmp_path, header, struct.pack("<3d", 3.0, 2.0, 1.0))
    np.testing.assert_array_equal(read_pcd(path), [[1.0, 2.0, 3.0, 0.0]])


def test_round_trip_is_exact(tmp_path: Path) -> None:
    """All bits of places and intensities come back."""
    points = np.random.default_rng(1).normal(size=(1000, 4)).astype(np.float32)
    points[:, 3] = np.random.default_rng(2).random(1000, np.float32)
    write_pcd(tmp_path / "000000.pcd", points)
    np.testing.assert_array_equal(read_pcd(tmp_path / "000000.pcd"), points)


def test_open3d_reads_what_opencood_takes(tmp_path: Path) -> None:
    """OpenCOOD: xyz from the points, the intensity from the first channel of the colours, to 8 bits."""
    open3d = pytest.importorskip("open3d")
    points = np.random.default_rng(1).random((100, 4), np.float32)
    write_pcd(tmp_path / "000000.pcd", points)
    cloud = open3d.io.read_point_cloud(str(tmp_path / "000000.pcd"))
    np.testing.assert_array_equal(np.asarray(cloud.points).astype(np.float32), points[:, :3])
    np.testing.assert_allclose(np.asarray(cloud.colors)[:, 0], points[:, 3], atol=0.5 / 255 + 1e-6)


@pytest.mark.parametrize(
    ("header", "body", "message"),
    [
        ("", b"", "no header"),
        ("ply\nformat ascii 1.0\n", b"", "no header"),
        (HEADER.format(kind="U", encoding="binary_compressed"), b"", "DATA binary_compressed; expected DATA ascii"),
        (HEADER.format(kind="U", encoding="binary"), b"\0" * 31, "31 bytes of points; expected 32"),
        (HEADER.format(kind="U", encoding="ascii"), b"1 2 3 4\n5 6 7\n", "7 numbers"),
        (HEADER.format(kind="U", encoding="ascii"), b"1 2 3 4\n5 6 7 red\n", "expected numbers"),
        (HEADER.format(kind="X", encoding="ascii"), b"", "F4 F4 F4 X4"),
        ("FIELDS x y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1\nPOINTS 1\nDATA ascii\n", b"1 2\n", "FIELDS x y"),
        ("FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\nPOINTS 1\nDATA ascii\n", b"1 2 3 4\n", "once each"),
        ("FIELDS x y z\nSIZE 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n", b"1 2 3\n", "with 2 types"),
        ("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 9\nPOINTS 1\nDATA ascii\n", b"1 2 3\n", "COUNT 1 1 9"),
        ("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS\nDATA ascii\n", b"1 2 3\n", "POINTS ?"),
        (
            f"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS {MAX_SWEEP_POINTS + 1}\nDATA binary\n",
            b"",
            "expected a number, at most",
        ),
    ],
)
def test_unusable_files(tmp_path: Path, header: str, body: bytes, message: str) -> None:
    """Each says what was met and what would be right."""
    with pytest.raises(FileFormatError, match=message.replace("?", r"\?")):
        read_pcd(write(tmp_path, header, body))


def test_no_file(tmp_path: Path) -> None:
    """Its path is in the message."""
    with pytest.raises(MissingDataError, match=r"absent\.pcd"):
        read_pcd(tmp_path / "absent.pcd")
