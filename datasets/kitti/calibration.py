"""KITTI's calibration files in their three dialects.

| quantity                | object           | tracking      | raw                             |
|-------------------------|------------------|---------------|---------------------------------|
| projection of camera 2  | `P2:`            | `P2:`         | `P_rect_02:` (cam_to_cam)       |
| rectifying rotation     | `R0_rect:`       | `R_rect`      | `R_rect_00:` (cam_to_cam)       |
| reference cam from velo | `Tr_velo_to_cam:`| `Tr_velo_cam` | `R:`, `T:` (calib_velo_to_cam)  |
| velo from IMU           | `Tr_imu_to_velo:`| `Tr_imu_velo` | `R:`, `T:` (calib_imu_to_velo)  |
| image size              | -                | -             | `S_rect_02:` (cam_to_cam)       |

Tracking writes some keys without a colon; files may end in blank lines. All three hold the same chain to the image,
`P2 @ R_rect_00 @ Tr_velo_cam` (KITTI raw development kit, readme.txt): the rectifying rotation is that of the reference
camera 0, for every camera; `R_rect_02` is not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.kitti.fields import parse_numbers, read_text
from vedette.errors import FileFormatError
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera, check_upright

DEFAULT_SIZE_PX: Final = (1242, 375)
"""KITTI's most common size of a rectified image, width and height."""

_SIZES_PX: Final[dict[tuple[float, float, float], tuple[int, int]]] = {
    (721.5377, 609.5593, 172.854): (1242, 375),
    (707.0493, 604.0814, 180.5066): (1224, 370),
    (718.3351, 600.3891, 181.5122): (1238, 374),
    (718.856, 607.1928, 185.2157): (1241, 376),
}
"""Size of KITTI's rectified images by focal length and principal point (fx, cx, cy): one calibration per day of
recording (2011_09_26, _28, _29, 2011_10_03), so a frame without its image still has the right borders."""

_LINE = re.compile(r"\s*(?P<key>[A-Za-z]\w*)\s*:?(?P<values>.*)")
_MATRIX_SIZES: Final = {9: (3, 3), 12: (3, 4)}

Entries = Mapping[str, tuple[int, str]]
"""Line number and text of the values by key."""


@dataclass(frozen=True)
class KittiCalibration:
    """One rig: what a calibration file says.

    Args:
        projections: (3, 4) pixel projection matrices by camera number; camera 2, the left colour one, is always there.
        rect_R_cam: rectifying rotation of reference camera 0, as a motion without translation.
        cam_SE3_velo: unrectified reference camera 0 from velo.
        velo_SE3_imu: velo from the GPS/IMU unit, or None where the file lacks it.
        size_px: width and height of the rectified images, or None where neither the file nor KITTI's list says.
    """

    projections: Mapping[int, NDArrayFloat]
    rect_R_cam: SE3
    cam_SE3_velo: SE3
    velo_SE3_imu: SE3 | None
    size_px: tuple[int, int] | None

    def camera(self, size_px: tuple[int, int]) -> PinholeCamera:
        """The left colour camera.

        Args:
            size_px: width and height of its images.

        Raises:
            ValueError: the projection is not one of a pinhole camera.
        """
        return PinholeCamera(self.projections[2], self.rect_R_cam.compose(self.cam_SE3_velo), *size_px)


def read_calibration(path: Path) -> KittiCalibration:
    """Read a calibration file of the object or the tracking layout.

    Args:
        path: for example ``calib/000000.txt`` or ``calib/0001.txt``.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a key is missing, or its values are not what they should be.
    """
    return parse_calibration(read_text(path, "calibration file"), path)


def parse_calibration(text: str, path: Path) -> KittiCalibration:
    """Read the text of a calibration file of the object or the tracking layout.

    Args:
        text: its content.
        path: named in errors.

    Raises:
        FileFormatError: a key is missing, or its values are not what they should be.
    """
    entries = _entries(text, path)
    projections = {camera: _matrix(entries, path, 12, f"P{camera}") for camera in range(4) if f"P{camera}" in entries}
    projections[2] = _matrix(entries, path, 12, "P2")
    has_imu = "Tr_imu_to_velo" in entries or "Tr_imu_velo" in entries
    return _checked(
        KittiCalibration(
            projections,
            _motion(entries, path, 9, "R0_rect", "R_rect"),
            _motion(entries, path, 12, "Tr_velo_to_cam", "Tr_velo_cam"),
            _motion(entries, path, 12, "Tr_imu_to_velo", "Tr_imu_velo") if has_imu else None,
            _known_size_px(projections[2]),
        ),
        path,
        entries["P2"][0],
    )


def read_raw_calibration(folder: Path) -> KittiCalibration:
    """Read the calibration files of one day of the raw layout.

    Args:
        folder: the day's folder, with ``calib_cam_to_cam.txt``, ``calib_velo_to_cam.txt`` and, for ego motion,
            ``calib_imu_to_velo.txt``.

    Raises:
        MissingDataError: one of the first two is not there.
        FileFormatError: a key is missing, or its values are not what they should be.
    """
    path = folder / "calib_cam_to_cam.txt"
    entries = _entries(read_text(path, "calibration file"), path)
    keys = {camera: f"P_rect_{camera:02d}" for camera in range(4)}
    projections = {camera: _matrix(entries, path, 12, key) for camera, key in keys.items() if key in entries}
    projections[2] = _matrix(entries, path, 12, keys[2])
    size = _values(entries, path, 2, "S_rect_02") if "S_rect_02" in entries else None
    imu_path = folder / "calib_imu_to_velo.txt"
    return _checked(
        KittiCalibration(
            projections,
            _motion(entries, path, 9, "R_rect_00"),
            _read_raw_motion(folder / "calib_velo_to_cam.txt"),
            _read_raw_motion(imu_path) if imu_path.is_file() else None,
            (int(size[0]), int(size[1])) if size is not None else _known_size_px(projections[2]),
        ),
        path,
        entries[keys[2]][0],
    )


def format_calibration(calibration: KittiCalibration) -> str:
    """Write a calibration as a file of the object layout, digit for digit as KITTI does.

    Args:
        calibration: a camera that is missing is left out.
    """
    rows = [(f"P{camera}", matrix) for camera, matrix in sorted(calibration.projections.items())]
    rows.append(("R0_rect", calibration.rect_R_cam.rotation))
    rows.append(("Tr_velo_to_cam", calibration.cam_SE3_velo.matrix[:3]))
    if calibration.velo_SE3_imu is not None:
        rows.append(("Tr_imu_to_velo", calibration.velo_SE3_imu.matrix[:3]))
    lines = (f"{key}: " + " ".join(f"{value:.12e}" for value in matrix.ravel()) for key, matrix in rows)
    return "\n".join(lines) + "\n\n"


def _known_size_px(projection: NDArrayFloat) -> tuple[int, int] | None:
    return _SIZES_PX.get((float(projection[0, 0]), float(projection[0, 2]), float(projection[1, 2])))


def _checked(calibration: KittiCalibration, path: Path, line: int) -> KittiCalibration:
    try:
        camera = calibration.camera(calibration.size_px or DEFAULT_SIZE_PX)
        check_upright(camera.cam_SE3_velo)
    except ValueError as error:
        raise FileFormatError(path, line=line, met=str(error), expected="a pinhole camera") from None
    return calibration


def _entries(text: str, path: Path) -> Entries:
    entries: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise FileFormatError(path, line=number, met=repr(line[:60]), expected="a key and its numbers")
        key = match["key"]
        if key in entries:
            raise FileFormatError(
                path, line=number, met=f"{key} again", expected=f"it once, as in line {entries[key][0]}"
            )
        entries[key] = (number, match["values"])
    return entries


def _values(entries: Entries, path: Path, count: int, *names: str) -> list[float]:
    """The numbers under the first of `names` that is there."""
    for name in names:
        if name in entries:
            line, text = entries[name]
            expected = f"{name} followed by {count} numbers"
            values = parse_numbers(text.split(), path, line, expected)
            if len(values) != count:
                raise FileFormatError(path, line=line, met=f"{name} with {len(values)} numbers", expected=expected)
            return values
    met = f"the keys {', '.join(entries)}" if entries else "an empty file"
    raise FileFormatError(path, met=met, expected=f"the key {' or '.join(names)}")


def _matrix(entries: Entries, path: Path, count: int, *names: str) -> NDArrayFloat:
    return np.array(_values(entries, path, count, *names)).reshape(_MATRIX_SIZES[count])


def _motion(entries: Entries, path: Path, count: int, *names: str) -> SE3:
    matrix = _matrix(entries, path, count, *names)
    try:
        return SE3.from_matrix(matrix)
    except ValueError as error:
        line = next(entries[name][0] for name in names if name in entries)
        raise FileFormatError(path, line=line, met=str(error), expected="a rigid motion") from None


def _read_raw_motion(path: Path) -> SE3:
    entries = _entries(read_text(path, "calibration file"), path)
    rotation = _motion(entries, path, 9, "R").rotation
    return SE3(rotation, np.array(_values(entries, path, 3, "T")))
