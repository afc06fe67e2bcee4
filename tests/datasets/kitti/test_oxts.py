"""GPS/IMU records to poses of the LiDAR."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.kitti.oxts import OxtsRecord, ego_poses, read_raw_oxts, read_tracking_oxts
from vedette.errors import FileFormatError, MissingDataError
from vedette.geometry import SE3

EARTH_RADIUS_M = 6378137.0
TAIL = " " + " ".join(["0"] * 24)
AT_START = OxtsRecord(49.0, 8.0, 100.0, 0.0, 0.0, 0.0)
# the LiDAR 0.8 m ahead of the unit and 0.3 m to its right
VELO_SE3_IMU = SE3(np.eye(3), np.array([-0.8, 0.3, 0.0]))


def moved(east_m: float = 0.0, north_m: float = 0.0, up_m: float = 0.0, **angles: float) -> OxtsRecord:
    """A record some metres from the start, by the plain arc lengths of a sphere."""
    latitude_deg = 49.0 + np.rad2deg(north_m / EARTH_RADIUS_M)
    longitude_deg = 8.0 + np.rad2deg(east_m / (EARTH_RADIUS_M * np.cos(np.deg2rad(49.0))))
    turned = {"roll": 0.0, "pitch": 0.0, "yaw": 0.0} | angles
    return OxtsRecord(latitude_deg, longitude_deg, 100.0 + up_m, **turned)


def test_first_record_is_the_origin() -> None:
    """The LiDAR stands at the origin; world's axes are east, north, up."""
    pose = ego_poses({3: AT_START, 4: moved(1.0)}, VELO_SE3_IMU)[3]
    assert pose.translation == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert pose.rotation == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize(
    ("record", "translation"),
    [
        (moved(east_m=10.0), [10.0, 0.0, 0.0]),
        (moved(north_m=20.0), [0.0, 20.0, 0.0]),
        (moved(up_m=-1.5), [0.0, 0.0, -1.5]),
        (moved(east_m=-300.0, north_m=400.0), [-300.0, 400.0, 0.0]),
    ],
)
def test_displacement_in_metres(record: OxtsRecord, translation: list[float]) -> None:
    """East is x, north is y, up is z, to a centimetre over hundreds of metres."""
    pose = ego_poses({0: AT_START, 1: record}, VELO_SE3_IMU)[1]
    assert pose.translation == pytest.approx(translation, abs=0.02)


def test_turning_moves_the_lidar_about_the_unit() -> None:
    """From east to north on the spot: the LiDAR goes from (0.8, -0.3) to (0.3, 0.8) of the unit."""
    pose = ego_poses({0: AT_START, 1: moved(yaw=np.pi / 2)}, VELO_SE3_IMU)[1]
    assert pose.yaw == pytest.approx(np.pi / 2)
    assert pose.translation == pytest.approx([0.3 - 0.8, 0.8 + 0.3, 0.0], abs=1e-6)
    assert pose.rotate_vectors(np.array([1.0, 0.0, 0.0])) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("angles", "vector", "expected"),
    [
        ({"pitch": 0.1}, [1.0, 0.0, 0.0], [np.cos(0.1), 0.0, -np.sin(0.1)]),
        ({"roll": 0.1}, [0.0, 1.0, 0.0], [0.0, np.cos(0.1), np.sin(0.1)]),
        ({"yaw": np.pi / 2, "pitch": 0.1}, [1.0, 0.0, 0.0], [0.0, np.cos(0.1), -np.sin(0.1)]),
    ],
)
def test_signs_of_pitch_and_roll(angles: dict[str, float], vector: list[float], expected: list[float]) -> None:
    """Positive pitch is nose down, positive roll is left side up; yaw comes last."""
    pose = ego_poses({0: moved(**angles)}, SE3.identity())[0]
    assert pose.rotate_vectors(np.array(vector)) == pytest.approx(expected)


@given(st.floats(-80.0, 80.0), st.floats(-500.0, 500.0), st.floats(-500.0, 500.0))
def test_distance_on_the_ground_is_that_of_the_sphere(latitude_deg: float, east_m: float, north_m: float) -> None:
    """At any latitude, to a thousandth: the projection's scale is true at the first record."""
    start = OxtsRecord(latitude_deg, 8.0, 0.0, 0.0, 0.0, 0.0)
    per_degree_m = np.deg2rad(EARTH_RADIUS_M)
    end = OxtsRecord(
        latitude_deg + north_m / per_degree_m,
        8.0 + east_m / (per_degree_m * np.cos(np.deg2rad(latitude_deg))),
        0.0,
        0.0,
        0.0,
        0.0,
    )
    pose = ego_poses({0: start, 1: end}, SE3.identity())[1]
    assert np.linalg.norm(pose.translation) == pytest.approx(np.hypot(east_m, north_m), rel=1e-3, abs=1e-6)


def test_no_records_no_poses() -> None:
    """An empty sequence is not an error."""
    assert ego_poses({}, VELO_SE3_IMU) == {}


def test_blank_lines_are_frames_without_a_record(tmp_path: Path) -> None:
    """The lines after them keep their frame numbers."""
    path = tmp_path / "0000.txt"
    path.write_text(f"49 8 100 0 0 0.1{TAIL}\n\n49 8 100 0 0 0.3{TAIL}\n")
    records = read_tracking_oxts(path)
    assert {frame: record.yaw for frame, record in records.items()} == {0: 0.1, 2: 0.3}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("49 8 100", "3 numbers; expected 30 numbers"),
        ("49 8 100 0 0 east" + TAIL, "'east' is not a number"),
        ("49 8 nan 0 0 0" + TAIL, "'nan' is not finite"),
        ("90 8 100 0 0 0" + TAIL, "latitude 90 and longitude 8; expected at most 85"),
        ("49 200 100 0 0 0" + TAIL, "longitude 200"),
    ],
)
def test_wrong_records_are_refused(tmp_path: Path, line: str, message: str) -> None:
    """Naming the line."""
    path = tmp_path / "0000.txt"
    path.write_text(f"49 8 100 0 0 0{TAIL}\n{line}\n")
    with pytest.raises(FileFormatError, match=r"0000\.txt:2: ") as caught:
        read_tracking_oxts(path)
    assert message in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    """Says which."""
    with pytest.raises(MissingDataError, match="no such oxts file"):
        read_tracking_oxts(tmp_path / "0000.txt")


def test_raw_records_are_files(tmp_path: Path) -> None:
    """Named by frame; an empty one is a frame without a record, other files are not records."""
    (tmp_path / "0000000004.txt").write_text(f"49 8 100 0 0 0.4{TAIL}\n")
    (tmp_path / "0000000008.txt").write_text("\n")
    (tmp_path / "0000000012.txt").write_text(f"49 8 100 0 0 1.2{TAIL}\n")
    (tmp_path / "dataformat.txt").write_text("lat: latitude\n")
    assert {frame: record.yaw for frame, record in read_raw_oxts(tmp_path).items()} == {4: 0.4, 12: 1.2}
    assert read_raw_oxts(tmp_path / "absent") == {}
