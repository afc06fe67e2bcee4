"""GPS/IMU records ("oxts") to poses of the LiDAR.

A record opens with latitude and longitude (deg), altitude (m), roll, pitch and yaw (rad; yaw 0 is east and rises
counter-clockwise). Positions go through a Mercator projection whose scale is true at the latitude of the first record,
as in KITTI's raw development kit (`latlonToMercator.m`, `convertOxtsToPose.m`).

`world` has its axes east, north and up, and its origin at the LiDAR's place in the first record. The development kit
also turns the axes into those of the first pose; here up stays up, so that ground velocities are those of world's x, y.
A record is taken as valid at the frame's stamp: KITTI's synced data has the nearest of 100 records a second, so it is
up to 5 ms off (5 cm at 10 m/s).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.attitude import rotation_of
from vedette.datasets.kitti.fields import parse_numbers, read_text
from vedette.errors import FileFormatError
from vedette.geometry import SE3

EARTH_RADIUS_M: Final = 6378137.0
_COLUMNS: Final = 30
_EXPECTED: Final = "30 numbers: latitude, longitude, altitude, roll, pitch, yaw, ..."


@dataclass(frozen=True)
class OxtsRecord:
    """Where the GPS/IMU unit was and how it was turned.

    Args:
        latitude_deg: degrees north, within 85 of the equator (the projection ends at the poles).
        longitude_deg: degrees east.
        altitude_m: metres.
        roll: about the forward axis, rad, 0 is level.
        pitch: about the left axis, rad, positive is nose down.
        yaw: heading, rad, 0 is east, counter-clockwise.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    roll: float
    pitch: float
    yaw: float


def read_tracking_oxts(path: Path) -> dict[int, OxtsRecord]:
    """Read a sequence's records of the tracking layout.

    Args:
        path: one record a line, in order of frames; a blank line is a frame without one.

    Returns:
        Records by frame number.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a line is not a record.
    """
    lines = read_text(path, "oxts file").splitlines()
    return {frame: _record(line, path, frame + 1) for frame, line in enumerate(lines) if line.strip()}


def read_raw_oxts(folder: Path) -> dict[int, OxtsRecord]:
    """Read a drive's records of the raw layout.

    Args:
        folder: one file a frame, ``0000000000.txt``; a frame may lack its file, and a file may be empty.

    Returns:
        Records by frame number; empty where there is no such folder.

    Raises:
        FileFormatError: a file does not hold a record.
    """
    texts = {path: read_text(path, "oxts file").strip() for path in folder.glob("*.txt") if path.stem.isdecimal()}
    return {int(path.stem): _record(text, path, 1) for path, text in sorted(texts.items()) if text}


def ego_poses(records: Mapping[int, OxtsRecord], velo_SE3_imu: SE3) -> dict[int, SE3]:
    """Poses of the LiDAR in the local world frame.

    Args:
        records: by frame number; the first one in order of frames sets the projection's scale and the origin.
        velo_SE3_imu: velo from the GPS/IMU unit.

    Returns:
        ``world_SE3_ego`` by frame number, for the frames that have a record.
    """
    if not records:
        return {}
    first = min(records)
    scale = float(np.cos(np.deg2rad(records[first].latitude_deg)))
    imu_SE3_velo = velo_SE3_imu.inverse()
    poses = {frame: _mercator_SE3_imu(record, scale).compose(imu_SE3_velo) for frame, record in records.items()}
    origin = poses[first].translation
    return {frame: SE3(pose.rotation, pose.translation - origin) for frame, pose in poses.items()}


def _record(text: str, path: Path, line: int) -> OxtsRecord:
    values = parse_numbers(text.split(), path, line, _EXPECTED)
    if len(values) != _COLUMNS:
        raise FileFormatError(path, line=line, met=f"{len(values)} numbers", expected=_EXPECTED)
    if abs(values[0]) > 85.0 or abs(values[1]) > 180.0:
        met = f"latitude {values[0]:g} and longitude {values[1]:g}"
        raise FileFormatError(path, line=line, met=met, expected="at most 85 and 180 degrees either way")
    return OxtsRecord(*values[:6])


def _mercator_SE3_imu(record: OxtsRecord, scale: float) -> SE3:
    east_m = scale * EARTH_RADIUS_M * np.deg2rad(record.longitude_deg)
    north_m = scale * EARTH_RADIUS_M * np.log(np.tan(np.deg2rad(90.0 + record.latitude_deg) / 2))
    return SE3(rotation_of(record.roll, record.pitch, record.yaw), np.array([east_m, north_m, record.altitude_m]))
