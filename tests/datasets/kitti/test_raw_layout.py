"""The raw layout's own ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vedette.datasets.kitti.raw_layout import open_raw_recording
from vedette.errors import FileFormatError, MissingDataError
from vedette.frames import Frame, TimeBase

Tree = Any
FOLDER = "2011_09_26/2011_09_26_drive_0001_sync"


def test_every_fourth_frame(tree: Tree) -> None:
    """Frames keep their numbers and their times; those in between are counted, not delivered."""
    folder = tree.drive((0, 4, 8))
    sweeps = f"{FOLDER}/velodyne_points"
    tree.timestamps(f"{sweeps}/timestamps.txt", 11)
    tree.timestamps(f"{sweeps}/timestamps_start.txt", 11, -0.0)
    tree.timestamps(f"{sweeps}/timestamps_end.txt", 11, 0.1)
    recording = open_raw_recording(folder)
    assert recording.name == "kitti-raw/2011_09_26_drive_0001"
    assert recording.time_base is TimeBase.RECORDED
    assert recording.missing_frame_count == 8
    frames = list(recording)
    assert [item.index for item in frames] == [0, 4, 8]
    assert [item.stamp_ns - frames[0].stamp_ns for item in frames] == [0, 400_000_000, 800_000_000]


def test_without_timestamps(tree: Tree) -> None:
    """10 Hz by frame number, and nothing is known to be missing."""
    recording = open_raw_recording(tree.drive((0, 4)))
    assert recording.time_base is TimeBase.ASSUMED_10_HZ
    assert recording.missing_frame_count == 0
    assert [item.stamp_ns for item in recording] == [0, 400_000_000]


def test_ego_motion_is_optional(tree: Tree) -> None:
    """Without the unit's calibration there are no poses; a frame without a record has none."""
    folder = tree.drive((0, 4))
    (folder / "oxts/data/0000000004.txt").unlink()
    with_unit = open_raw_recording(folder)
    poses = [frame.world_SE3_ego for frame in with_unit if isinstance(frame, Frame)]
    assert poses[0] is not None
    assert poses[1] is None
    assert "1 of 2 frames have no oxts record" in with_unit.problems
    (folder.parent / "calib_imu_to_velo.txt").unlink()
    without = open_raw_recording(folder)
    assert all(frame.world_SE3_ego is None for frame in without if isinstance(frame, Frame))
    assert "no calib_imu_to_velo.txt, so no ego motion" in without.problems


def test_tracklets_are_the_labels(tree: Tree) -> None:
    """Frames without any are labelled as empty; without the file there are no labels."""
    folder = tree.drive((0, 1))
    assert open_raw_recording(folder).labels(0) is None
    tree.text(
        f"{FOLDER}/tracklet_labels.xml",
        "<boost_serialization><tracklets><item><objectType>Van</objectType><h>2</h><w>2</w><l>5</l>"
        "<first_frame>1</first_frame><poses><item><tx>20</tx><ty>0</ty><tz>-1.7</tz><rz>0</rz>"
        "<occlusion>0</occlusion><truncation>0</truncation></item></poses></item></tracklets></boost_serialization>",
    )
    recording = open_raw_recording(folder)
    empty, labels = recording.labels(0), recording.labels(1)
    assert empty is not None
    assert len(empty) == 0
    assert labels is not None
    assert labels.types == ("Van",)


def test_nothing_there(tmp_path: Path) -> None:
    """No scans, no images."""
    with pytest.raises(MissingDataError, match="no frames; expected velodyne_points/data"):
        open_raw_recording(tmp_path)


def test_missing_calibration(tree: Tree) -> None:
    """Says which of the two files."""
    folder = tree.drive((0,))
    (folder.parent / "calib_velo_to_cam.txt").unlink()
    with pytest.raises(MissingDataError, match=r"calib_velo_to_cam\.txt: no such calibration file"):
        open_raw_recording(folder)


def test_files_in_each_others_place(tree: Tree) -> None:
    """The camera's calibration holds no motion of the scanner."""
    folder = tree.drive((0,))
    day = folder.parent
    (day / "calib_velo_to_cam.txt").write_text((day / "calib_cam_to_cam.txt").read_text())
    with pytest.raises(FileFormatError, match=r"calib_velo_to_cam\.txt: the keys calib_time, .* expected the key R"):
        open_raw_recording(folder)


@pytest.mark.shared
def test_real_drive(kitti_root: Path) -> None:
    """27 scans and one image of 108 frames."""
    recording = open_raw_recording(kitti_root / "raw" / "2011_09_26" / "2011_09_26_drive_0001_sync")
    frames = [frame for frame in recording if isinstance(frame, Frame)]
    assert len(frames) == recording.frame_count == 28
    assert recording.missing_frame_count == 80
    assert sum(frame.sweep is not None for frame in frames) == 27
    assert [frame.index for frame in frames if frame.image is not None] == [5]
