"""Scenarios on disk: what is found, in which order, at which time, and what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vedette.datasets.opv2v.recording import open_opv2v
from vedette.datasets.opv2v.scenario import Opv2vScenario
from vedette.datasets.summary import summarise
from vedette.errors import ConfigError, MissingDataError
from vedette.frames import BadFrame, Frame

WriteFrame = Callable[..., Path]


def test_times_follow_numbers(tmp_path: Path, write_frame: WriteFrame) -> None:
    """Numbers rise by 2 from one instant to the next, so a gap of 4 is a lost instant: 0.2 s."""
    for number in ("000068", "000070", "000074"):
        write_frame(number)
    scenario = Opv2vScenario.find(tmp_path)
    assert [instant.stamp_ns for instant in scenario.instants()] == [0, 100_000_000, 300_000_000]
    assert [instant.index for instant in scenario.instants()] == [68, 70, 74]


def test_vehicle_that_lacks_an_instant(tmp_path: Path, write_frame: WriteFrame) -> None:
    """It is missing from that instant, keeps its times, and its recording counts what is missing."""
    for number in ("000068", "000070", "000072"):
        write_frame(number, vehicle="7")
    for number in ("000070", "000072"):
        write_frame(number, vehicle="12")
    vehicles = [[frame.vehicle_id for frame in instant.frames] for instant in Opv2vScenario.find(tmp_path).instants()]
    assert vehicles == [[7], [7, 12], [7, 12]]
    recording = open_opv2v(tmp_path, 12)
    assert [item.stamp_ns for item in recording] == [100_000_000, 200_000_000]
    assert recording.missing_frame_count == 1


def test_vehicles_come_in_order_of_numbers(tmp_path: Path, write_frame: WriteFrame) -> None:
    """Ids are numbers: 650 before 1045. Other folders and files are passed over."""
    for vehicle in ("1045", "650", "-1", "notes"):
        folder = write_frame(vehicle=vehicle)
    (folder / "000068_additional.yaml").write_text("")
    scenario = Opv2vScenario.find(tmp_path)
    assert list(scenario.numbers) == [650, 1045]
    assert scenario.roadside_count == 1
    assert open_opv2v(tmp_path).name.endswith("/650")


def test_folder_itself_or_its_parent(tmp_path: Path, write_frame: WriteFrame) -> None:
    """Both name the scenario; of several, one must be named."""
    folder = write_frame().parent
    assert Opv2vScenario.find(folder) == Opv2vScenario.find(tmp_path)
    (tmp_path / "2021_08_17_00_00_00" / "3").mkdir(parents=True)
    with pytest.raises(ConfigError, match="name the folder of one of them: 2021_08_16_22_26_54, 2021_08_17"):
        Opv2vScenario.find(tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    """Says what would be right."""
    with pytest.raises(MissingDataError, match=r"no OPV2V scenario; expected VEHICLE_ID/NNNNNN\.yaml"):
        Opv2vScenario.find(tmp_path)
    (tmp_path / "7").mkdir()
    with pytest.raises(MissingDataError, match="no frames"):
        Opv2vScenario.find(tmp_path)


def test_unknown_vehicle(tmp_path: Path, write_frame: WriteFrame) -> None:
    """The message lists those there are."""
    write_frame(vehicle="7")
    write_frame(vehicle="12")
    with pytest.raises(MissingDataError, match="no connected vehicle 8; there are: 7, 12"):
        open_opv2v(tmp_path, 8)


def test_lost_sweep_is_said(tmp_path: Path, write_frame: WriteFrame) -> None:
    """The frame still has its labels and perhaps an image, but it is no recording without problems."""
    for number in ("000068", "000070"):
        write_frame(number)
    next(tmp_path.rglob("000070.pcd")).unlink()
    assert open_opv2v(tmp_path).problems == ("1 of 2 frames have no sweep (.pcd)",)


def test_frame_without_camera(tmp_path: Path, write_frame: WriteFrame) -> None:
    """A camera at the LiDAR stands in: a point straight ahead is in the middle of 800x600."""
    write_frame()
    (frame,) = open_opv2v(tmp_path)
    assert isinstance(frame, Frame)
    assert frame.image is None
    uv, depth_m = frame.camera.project_velo([[10.0, 0.0, 0.0]])
    assert (uv.tolist(), depth_m.tolist()) == ([[400.0, 300.0]], [10.0])


def test_image_of_another_size(tmp_path: Path, write_frame: WriteFrame) -> None:
    """Without calibration the field of view stays: half the pixels, half the focal length."""
    folder = write_frame()
    cv2.imwrite(str(folder / "000068_camera0.png"), np.zeros((300, 400, 3), np.uint8))
    cv2.imwrite(str(folder / "000068_camera1.png"), np.zeros((30, 40, 3), np.uint8))
    (frame,) = open_opv2v(tmp_path)
    assert isinstance(frame, Frame)
    assert frame.image is not None
    assert frame.image.size_px == (400, 300)
    assert (frame.camera.fx, frame.camera.cx, frame.camera.cy) == (167.82, 200.0, 150.0)


def test_bad_frames_stand_in_their_place(tmp_path: Path, write_frame: WriteFrame) -> None:
    """A broken sweep, a broken file, a frame without anything: each is named, the rest goes on, labels stay."""
    folder = write_frame("000068")
    (folder / "000068.pcd").write_text("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\nnan 1 1\n")
    write_frame("000070", "lidar_pose: 7\n")
    (write_frame("000072") / "000072.pcd").unlink()
    write_frame("000074")
    recording = open_opv2v(tmp_path)
    kinds = [type(item) for item in recording]
    assert kinds == [BadFrame, BadFrame, BadFrame, Frame]
    errors = [str(item.error) for item in recording if isinstance(item, BadFrame)]
    assert "000068.pcd" in errors[0]
    assert "000070.yaml" in errors[1]
    assert "neither sweep nor image" in errors[2]
    labels = recording.labels(68)
    assert labels is not None
    assert len(labels) == 0
    (first, *_) = Opv2vScenario.find(tmp_path).instants()
    assert first.frames == ()
    assert list(first.bad_frames) == [7]


def test_summary(tmp_path: Path, write_frame: WriteFrame) -> None:
    """`vedette data info` can say what it holds."""
    vehicle = "{location: [10, 0, -1], center: [0, 0, 1], extent: [2, 1, 1], angle: [0, 0, 0]}"
    write_frame(text=f"lidar_pose: [0, 0, 2, 0, 0, 0]\nvehicles: {{5: {vehicle}, 6: {{location: [0, 0, 0]}}}}\n")
    summary = summarise(open_opv2v(tmp_path))
    assert (summary.frame_count, summary.sweep_count, summary.pose_count) == (1, 1, 1)
    assert summary.labels_by_type == {"Car": 1}
    assert summary.problems == ("1 labels of vehicles have no extent or no center, and are left out",)


def test_frames_of_other_numbers_have_no_labels(tmp_path: Path, write_frame: WriteFrame) -> None:
    """As with every recording."""
    write_frame()
    assert open_opv2v(tmp_path).labels(69) is None


def test_closed(tmp_path: Path, write_frame: WriteFrame) -> None:
    """Reading on is an error."""
    write_frame()
    recording = open_opv2v(tmp_path)
    recording.close()
    with pytest.raises(MissingDataError, match="closed"):
        iter(recording)
