"""Sweeps as PCD files (Point Cloud Library, version 0.7), in the forms that OPV2V and Open3D write.

OpenCOOD takes the intensity from the red channel of a point's colour, where it has 8 bits. We write that channel, and
beside it a field `intensity` that keeps all bits; OpenCOOD and Open3D pass over it, and our reader prefers it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vedette.errors import FileFormatError, MissingDataError
from vedette.frames import MAX_SWEEP_POINTS
from vedette.geometry import NDArrayFloat, NDArrayFloat32

_MAX_HEADER_BYTES: Final = 4096
_TYPES: Final = {
    ("F", 4): "<f4", ("F", 8): "<f8", ("U", 1): "u1", ("U", 2): "<u2", ("U", 4): "<u4", ("I", 1): "i1",
    ("I", 2): "<i2", ("I", 4): "<i4",
}  # fmt: skip
_COLOUR_FIELDS: Final = ("rgb", "rgba")
_ROW: Final = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("rgb", "<u4"), ("intensity", "<f4")])


@dataclass(frozen=True)
class _Header:
    fields: tuple[str, ...]
    dtypes: tuple[str, ...]
    count: int
    encoding: str
    body: int

    @property
    def row(self) -> np.dtype[np.void]:
        """Layout of a point."""
        return np.dtype(list(zip(self.fields, self.dtypes, strict=True)))


def read_pcd(path: Path) -> NDArrayFloat32:
    """Read a point cloud.

    Args:
        path: a PCD file with the fields x, y, z and, for the intensity, `intensity` or a colour whose red channel
            holds it; without either it is 0. Its data is ascii or binary.

    Returns:
        ``(N,4) float32`` x, y, z, intensity in [0, 1], in the file's axes; its values are not checked here.

    Raises:
        MissingDataError: no such file, or it cannot be read.
        FileFormatError: not a PCD file of that kind, truncated, or over the limit of points.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MissingDataError(f"{path}: the sweep cannot be read: {error.strerror}") from None
    header = _read_header(data, path)
    rows = _ascii_rows(data, header, path) if header.encoding == "ascii" else _binary_rows(data, header, path)
    points = np.empty((len(rows), 4), dtype=np.float32)
    for column, name in enumerate(("x", "y", "z")):
        points[:, column] = rows[name]
    points[:, 3] = _intensity(rows)
    return points


def write_pcd(path: Path, points: NDArrayFloat32) -> None:
    """Write a point cloud as a binary PCD file.

    Args:
        path: the file.
        points: ``(N,4) float32`` x, y, z, intensity in [0, 1], in the axes that the file shall have.

    Raises:
        OSError: it cannot be written.
    """
    rows = np.empty(len(points), dtype=_ROW)
    for column, name in enumerate(("x", "y", "z")):
        rows[name] = points[:, column]
    rows["intensity"] = points[:, 3]
    rows["rgb"] = np.round(points[:, 3] * 255.0).astype(np.uint32) << 16
    header = (
        "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb intensity\nSIZE 4 4 4 4 4\n"
        f"TYPE F F F U F\nCOUNT 1 1 1 1 1\nWIDTH {len(points)}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
        f"POINTS {len(points)}\nDATA binary\n"
    )
    path.write_bytes(header.encode("ascii") + rows.tobytes())


def _read_header(data: bytes, path: Path) -> _Header:
    entries: dict[str, list[str]] = {}
    at = 0
    while "DATA" not in entries:
        end = data.find(b"\n", at, _MAX_HEADER_BYTES)
        if end < 0:
            raise FileFormatError(path, met="no header that ends in DATA", expected="a PCD file")
        words = data[at:end].decode("latin-1").split()
        if words and not words[0].startswith("#"):
            entries[words[0]] = words[1:]
        at = end + 1
    return _checked_header(entries, at, path)


def _checked_header(entries: dict[str, list[str]], body: int, path: Path) -> _Header:
    fields = tuple(entries.get("FIELDS", ()))
    kinds = list(zip(entries.get("TYPE", ()), entries.get("SIZE", ()), strict=False))
    dtypes = tuple(_TYPES.get((kind, int(size) if size.isdecimal() else 0), "") for kind, size in kinds)
    if not {"x", "y", "z"} <= set(fields) or len(set(fields)) != len(fields) or len(dtypes) != len(fields):
        met = f"FIELDS {' '.join(fields)} with {len(dtypes)} types"
        raise FileFormatError(path, met=met, expected="x, y, z once each, and a TYPE and SIZE for each field")
    if not all(dtypes) or any(count != "1" for count in entries.get("COUNT", ())):
        met = " ".join(f"{kind}{size}" for kind, size in kinds) + f", COUNT {' '.join(entries.get('COUNT', ()))}"
        raise FileFormatError(path, met=met, expected="numbers of 1 to 8 bytes, one of each a point")
    (count,) = entries.get("POINTS", ["?"])[:1] or ["?"]
    if not count.isdecimal() or int(count) > MAX_SWEEP_POINTS:
        raise FileFormatError(path, met=f"POINTS {count[:20]}", expected=f"a number, at most {MAX_SWEEP_POINTS}")
    encoding = " ".join(entries["DATA"])
    if encoding not in {"ascii", "binary"}:
        raise FileFormatError(path, met=f"DATA {encoding[:40]}", expected="DATA ascii or DATA binary")
    return _Header(fields, dtypes, int(count), encoding, body)


def _binary_rows(data: bytes, header: _Header, path: Path) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    needed = header.count * header.row.itemsize
    if len(data) - header.body < needed:
        met = f"{len(data) - header.body} bytes of points"
        raise FileFormatError(path, met=met, expected=f"{needed} for its {header.count} points (it is truncated)")
    return np.frombuffer(data, dtype=header.row, count=header.count, offset=header.body)


def _ascii_rows(data: bytes, header: _Header, path: Path) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    words = data[header.body :].split()
    if len(words) != header.count * len(header.fields):
        met = f"{len(words)} numbers after the header"
        raise FileFormatError(path, met=met, expected=f"{len(header.fields)} for each of its {header.count} points")
    try:
        table = np.array(words, dtype=np.float64).reshape(header.count, len(header.fields))
    except ValueError as error:
        raise FileFormatError(path, met=str(error), expected="numbers after the header") from None
    rows = np.empty(header.count, dtype=header.row)
    for column, name in enumerate(header.fields):
        rows[name] = _cast(table[:, column], header.row[name])
    return rows


def _cast(values: NDArrayFloat, dtype: np.dtype[Any]) -> np.ndarray[tuple[int], np.dtype[Any]]:
    """Numbers of a text as the field's type; what does not fit becomes the nearest that does."""
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.nan_to_num(values).clip(limits.min, limits.max).astype(dtype)


def _intensity(rows: np.ndarray[tuple[int], np.dtype[np.void]]) -> NDArrayFloat:
    names = rows.dtype.names or ()
    if "intensity" in names:
        return np.asarray(rows["intensity"], dtype=np.float64)
    for name in _COLOUR_FIELDS:
        # the four bytes are blue, green, red, alpha, whether the header calls them a float or an integer
        if name in names and rows.dtype[name].itemsize == 4:
            red = np.ascontiguousarray(rows[name]).view(np.uint8).reshape(-1, 4)[:, 2]
            return red / 255.0
    return np.zeros(len(rows))
