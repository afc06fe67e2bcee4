"""Names of recordings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.source_spec import open_recording
from vedette.datasets.synth import recording as synth_recording
from vedette.errors import ConfigError, MissingDataError

CALIBRATION = (
    "P2: 700 0 20 42 0 700 10 0 0 0 1 0\nR0_rect: 1 0 0 0 1 0 0 0 1\nTr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0\n"
)
POINT = np.array([[10.0, 0.0, 0.0, 0.5]], "<f4").tobytes()


def write_tracking(folder: Path, frames: int = 5) -> None:
    """A sequence 0001 of scans alone."""
    (folder / "velodyne" / "0001").mkdir(parents=True)
    for index in range(frames):
        (folder / "velodyne" / "0001" / f"{index:06d}.bin").write_bytes(POINT)
    (folder / "calib").mkdir()
    (folder / "calib" / "0001.txt").write_text(CALIBRATION)


def write_object(folder: Path) -> None:
    """One frame, number 7."""
    (folder / "velodyne").mkdir(parents=True)
    (folder / "velodyne" / "000007.bin").write_bytes(POINT)
    (folder / "calib").mkdir()
    (folder / "calib" / "000007.txt").write_text(CALIBRATION)


def write_drive(day: Path) -> None:
    """A drive with two scans."""
    data = day / "2011_09_26_drive_0001_sync" / "velodyne_points" / "data"
    data.mkdir(parents=True)
    for index in (0, 4):
        (data / f"{index:010d}.bin").write_bytes(POINT)
    (day / "calib_cam_to_cam.txt").write_text(
        "R_rect_00: 1 0 0 0 1 0 0 0 1\nP_rect_02: 700 0 20 42 0 700 10 0 0 0 1 0\n"
    )
    (day / "calib_velo_to_cam.txt").write_text("R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n")


@pytest.mark.parametrize("below", ["", "tracking", "training", "tracking/training"])
def test_tracking_folders(tmp_path: Path, below: str) -> None:
    """The folder of velodyne/, or a parent of it."""
    write_tracking(tmp_path / below)
    recording = open_recording(f"kitti-tracking:{tmp_path}:0001")
    assert recording.name == "kitti-tracking/0001"
    assert [item.index for item in recording] == [0, 1, 2, 3, 4]


def test_ranges_are_inclusive(tmp_path: Path) -> None:
    """Both ends count, and the name says so."""
    write_tracking(tmp_path)
    recording = open_recording(f"kitti-tracking:{tmp_path}:0001:1-3")
    assert recording.name == "kitti-tracking/0001:1-3"
    assert [item.index for item in recording] == [1, 2, 3]
    assert recording.frame_count == 3
    assert open_recording(f"kitti-tracking:{tmp_path}:0001:2-2").frame_count == 1


@pytest.mark.parametrize("below", ["", "object", "training", "object/training"])
def test_object_folders(tmp_path: Path, below: str) -> None:
    """The folder of velodyne/, or a parent of it."""
    write_object(tmp_path / below)
    assert [item.index for item in open_recording(f"kitti-object:{tmp_path}")] == [7]


def test_one_parent_of_both(tmp_path: Path) -> None:
    """Each kind finds its own."""
    write_object(tmp_path / "object" / "training")
    write_tracking(tmp_path / "tracking")
    assert open_recording(f"kitti-object:{tmp_path}").frame_count == 1
    assert open_recording(f"kitti-tracking:{tmp_path}:0001").frame_count == 5


@pytest.mark.parametrize("below", ["2011_09_26", "raw/2011_09_26", ""])
@pytest.mark.parametrize("suffix", ["", "_sync"])
def test_raw_folders(tmp_path: Path, below: str, suffix: str) -> None:
    """The folder of the day, its parent, or the parent of raw/."""
    write_drive(tmp_path / below)
    recording = open_recording(f"kitti-raw:{tmp_path}:2011_09_26_drive_0001{suffix}")
    assert recording.name == "kitti-raw/2011_09_26_drive_0001"
    assert [item.index for item in recording] == [0, 4]


def test_folders_with_colons(tmp_path: Path) -> None:
    """The sequence is what follows the last one."""
    write_tracking(tmp_path / "a:b")
    assert open_recording(f"kitti-tracking:{tmp_path}/a:b:0001:0-1").frame_count == 2


@pytest.mark.parametrize(
    ("spec", "frame_count"),
    [
        ("kitti-object:~/kitti", 1),
        ("kitti-tracking:~/kitti:0001", 5),
        ("kitti-tracking:~/kitti:0001:0-2", 3),
        ("kitti-raw:~/kitti:2011_09_26_drive_0001", 2),
    ],
)
def test_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, frame_count: int) -> None:
    """The shell does not expand a tilde after a colon; we do, as the examples of --help promise."""
    monkeypatch.setenv("HOME", str(tmp_path))
    write_object(tmp_path / "kitti" / "object")
    write_tracking(tmp_path / "kitti" / "tracking")
    write_drive(tmp_path / "kitti" / "raw" / "2011_09_26")
    assert open_recording(spec).frame_count == frame_count


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "expected kitti-object:DIR or kitti-tracking:DIR:SEQ"),
        ("kitti", "expected kitti-object:DIR or"),
        ("nuscenes:DIR", "expected kitti-object:DIR or"),
        ("kitti-object:", "expected kitti-object:DIR or"),
        (f"kitti-tracking:DIR:0001:0-{'9' * 5000}", "is not a sequence"),
        ("kitti-tracking:DIR", "expected kitti-tracking:DIR:SEQ"),
        ("kitti-tracking:DIR:0-3", "expected kitti-tracking:DIR:SEQ"),
        ("kitti-tracking:DIR::0-3", "expected kitti-tracking:DIR:SEQ"),
        ("kitti-tracking:DIR:0001:3-", "'3-' is not a sequence"),
        ("kitti-tracking:DIR:../0001", "'../0001' is not a sequence"),
        ("kitti-raw:DIR", "expected kitti-raw:DIR:DATE_drive_NNNN"),
        ("kitti-raw:DIR:drive_0001", "expected kitti-raw:DIR:DATE_drive_NNNN"),
    ],
)
def test_malformed_names(spec: str, message: str) -> None:
    """Say what was met and which form is expected."""
    with pytest.raises(ConfigError) as caught:
        open_recording(spec)
    assert str(caught.value).startswith(f"source {spec!r}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("spec", ["kitti-object:{}", "kitti-tracking:{}:0001", "kitti-raw:{}:2011_09_26_drive_0001"])
def test_missing_folder(tmp_path: Path, spec: str) -> None:
    """Named."""
    with pytest.raises(MissingDataError, match=r"no folder .*absent"):
        open_recording(spec.format(tmp_path / "absent"))


@pytest.mark.parametrize("spec", ["kitti-object:{}", "kitti-tracking:{}:0001"])
def test_folder_without_data(tmp_path: Path, spec: str) -> None:
    """The message lists where it was looked for."""
    with pytest.raises(MissingDataError, match=r"no folder velodyne/; looked in .*training"):
        open_recording(spec.format(tmp_path))


def test_unknown_sequence_and_drive(tmp_path: Path) -> None:
    """What exists is listed."""
    write_tracking(tmp_path)
    write_drive(tmp_path / "2011_09_26")
    with pytest.raises(MissingDataError, match="there are: 0001"):
        open_recording(f"kitti-tracking:{tmp_path}:0007")
    with pytest.raises(MissingDataError, match="there are: 2011_09_26_drive_0001"):
        open_recording(f"kitti-raw:{tmp_path}:2011_09_26_drive_0002")


@pytest.mark.parametrize("selection", ["3-1", "5-9", "0-5"])
def test_ranges_outside_the_sequence(tmp_path: Path, selection: str) -> None:
    """An empty or overlong range is refused rather than cut: it would be another experiment."""
    write_tracking(tmp_path)
    with pytest.raises(ConfigError, match=f"frames {selection} of tracking sequence 0001: .* within 0-4"):
        open_recording(f"kitti-tracking:{tmp_path}:0001:{selection}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kitti-object:~nobody-of-this-name/kitti", "home directory"),
        (f"kitti-object:{'x' * 5000}", "too long"),
        (f"kitti-raw:{'x' * 5000}:2011_09_26_drive_0001", "too long"),
    ],
)
def test_folders_that_no_system_has(spec: str, message: str) -> None:
    """Are refused like any other wrong name."""
    with pytest.raises(ConfigError, match=message):
        open_recording(spec)


def write_scenario(folder: Path, *vehicles: str) -> None:
    """One frame of each vehicle, without a sweep."""
    for vehicle in vehicles:
        (folder / vehicle).mkdir(parents=True)
        (folder / vehicle / "000068.yaml").write_text("lidar_pose: [0, 0, 2, 0, 0, 0]\n")


@pytest.mark.parametrize(("below", "vehicle", "expected"), [("", "", "7"), ("a", "", "7"), ("", ":12", "12")])
def test_opv2v(tmp_path: Path, below: str, vehicle: str, expected: str) -> None:
    """The scenario's folder or its parent; the vehicle of lowest id, or the one that is named."""
    write_scenario(tmp_path / below, "12", "7")
    assert open_recording(f"opv2v:{tmp_path}{vehicle}").name.endswith(f"/{expected}")


def test_opv2v_with_a_colon_in_the_folder(tmp_path: Path) -> None:
    """What follows the last colon is a vehicle only where it is a number."""
    write_scenario(tmp_path / "12:26:54 h", "7")
    assert open_recording(f"opv2v:{tmp_path}/12:26:54 h").name == "opv2v/12:26:54 h/7"


def test_opv2v_that_is_not_there(tmp_path: Path) -> None:
    """The folder, or the vehicle."""
    with pytest.raises(MissingDataError, match="no folder"):
        open_recording(f"opv2v:{tmp_path}/absent:3")
    write_scenario(tmp_path, "7")
    with pytest.raises(MissingDataError, match="there are: 7"):
        open_recording(f"opv2v:{tmp_path}:3")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("synth:town", ("town", 0, 0, 99)),
        ("synth:car-park:7", ("car-park", 7, 0, 99)),
        ("synth:town:7:5-20", ("town", 7, 5, 20)),
        ("synth:town:999999999999999999:0-0", ("town", 10**18 - 1, 0, 0)),
    ],
)
def test_synth(monkeypatch: pytest.MonkeyPatch, spec: str, expected: tuple[object, ...]) -> None:
    """Scenario, seed, frames; both ends count."""
    asked: list[tuple[object, ...]] = []

    def no_frames(*arguments: object) -> list[object]:
        asked.append(arguments)
        return []

    monkeypatch.setattr(synth_recording, "open_synth", no_frames)
    open_recording(spec)
    assert asked == [expected]


@pytest.mark.parametrize("rest", ["", "town:", "town:x", "town:-1", "town:1:5", "a b"])
def test_malformed_synth(rest: str) -> None:
    """The message shows the form."""
    with pytest.raises(ConfigError, match=r"synth:SCENARIO\[:SEED\[:FIRST-LAST\]\]"):
        open_recording(f"synth:{rest}")


def test_unknown_scenario() -> None:
    """The message lists those there are."""
    with pytest.raises(ConfigError, match="'nowhere'; expected one of town, junction"):
        open_recording("synth:nowhere:1:0-3")
