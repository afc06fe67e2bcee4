"""The tracking layout's own ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vedette.datasets.kitti.tracking_layout import FrameRange, open_tracking_recording
from vedette.errors import ConfigError, FileFormatError, MissingDataError
from vedette.frames import BadFrame, Frame, TimeBase

Tree = Any
VAN = "Van 0 0 1.5 14 8 27 18 1.5 1.7 4.1 1 1.7 13 1.6"


def test_ten_hertz_without_timestamps(tree: Tree) -> None:
    """By frame number, also in a selection; KITTI distributes no times for it."""
    recording = open_tracking_recording(tree.sequence(5), "0000", FrameRange(2, 4))
    assert recording.time_base is TimeBase.ASSUMED_10_HZ
    assert [(item.index, item.stamp_ns) for item in recording] == [(2, 200_000_000), (3, 300_000_000), (4, 400_000_000)]


def test_recorded_timestamps(tree: Tree) -> None:
    """The image's time is the stamp; the sweep has its own; the frame is ready when the sweep has ended."""
    root = tree.sequence(3)
    for name, shift_s in (("image_02", 1.01), ("velodyne", 1.0), ("velodyne_start", 0.95), ("velodyne_end", 1.05)):
        tree.timestamps(f"timestamps/0000/{name}.txt", 3, shift_s)
    recording = open_tracking_recording(root, "0000")
    assert recording.time_base is TimeBase.RECORDED
    frame = list(recording)[1]
    assert isinstance(frame, Frame)
    assert frame.sweep is not None
    noon_ns = (15_243 * 24 + 12) * 3600 * 10**9
    assert frame.stamp_ns - noon_ns == 1_110_000_000
    assert (frame.sweep.start_ns - noon_ns, frame.sweep.end_ns - noon_ns) == (1_050_000_000, 1_150_000_000)
    assert frame.ready_ns == frame.sweep.end_ns


def test_times_of_frames_that_are_not_there_are_counted(tree: Tree) -> None:
    """The recording goes on after the files end; a selection changes nothing of it."""
    root = tree.sequence(3)
    tree.timestamps("timestamps/0000/image_02.txt", 10)
    for selection in (None, FrameRange(1, 1)):
        assert open_tracking_recording(root, "0000", selection).missing_frame_count == 7


def test_times_that_end_too_early_are_refused(tree: Tree) -> None:
    """Frame 2 has no time."""
    root = tree.sequence(3)
    tree.timestamps("timestamps/0000/image_02.txt", 2)
    with pytest.raises(FileFormatError, match="2 times; expected one for frame 2 too"):
        open_tracking_recording(root, "0000")


def test_ego_motion(tree: Tree) -> None:
    """East is x of the world; a frame without a record has no pose, and it is said."""
    root = tree.sequence(3)
    zeros = " ".join(["0"] * 24)
    # 2 m east at 60 degrees north, where a degree is half as long
    step_deg = np.rad2deg(2.0 / (6378137.0 * 0.5))
    tree.text("oxts/0000.txt", f"60 8 0 0 0 0 {zeros}\n\n60 {8 + step_deg:.12f} 0 0 0 0 {zeros}\n")
    recording = open_tracking_recording(root, "0000")
    poses = [frame.world_SE3_ego for frame in recording if isinstance(frame, Frame)]
    assert poses[0] is not None
    assert poses[0].translation == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    assert poses[1] is None
    assert poses[2] is not None
    assert poses[2].translation == pytest.approx([2.0, 0.0, 0.0], abs=1e-5)
    assert recording.problems == ("no label file", "1 of 3 frames have no oxts record")


def test_selection_keeps_the_world(tree: Tree) -> None:
    """Its origin is the first frame of the sequence, not of the selection."""
    root = tree.sequence(2)
    zeros = " ".join(["0"] * 24)
    tree.text("oxts/0000.txt", f"60 8 0 0 0 0 {zeros}\n60 8 5 0 0 0 {zeros}\n")
    (frame,) = open_tracking_recording(root, "0000", FrameRange(1, 1))
    assert isinstance(frame, Frame)
    assert frame.world_SE3_ego is not None
    assert frame.world_SE3_ego.translation == pytest.approx([0.0, 0.0, 5.0])


@pytest.mark.parametrize(
    ("remove", "problem"),
    [
        ("oxts", "no oxts file, so no ego motion"),
        ("Tr_imu_velo", "the calibration lacks Tr_imu_velo, so no ego motion"),
    ],
)
def test_without_ego_motion(tree: Tree, remove: str, problem: str) -> None:
    """Frames come without poses: none is invented."""
    root = tree.sequence(1)
    if remove == "oxts":
        (root / "oxts/0000.txt").unlink()
    else:
        text = (root / "calib/0000.txt").read_text()
        tree.text("calib/0000.txt", text[: text.index(remove)])
    recording = open_tracking_recording(root, "0000")
    (frame,) = recording
    assert isinstance(frame, Frame)
    assert frame.world_SE3_ego is None
    assert problem in recording.problems


def test_an_empty_oxts_file_is_a_problem(tree: Tree) -> None:
    """No poses, and the recording says why."""
    root = tree.sequence(1)
    tree.text("oxts/0000.txt", "\n")
    recording = open_tracking_recording(root, "0000")
    assert [item.world_SE3_ego for item in recording if isinstance(item, Frame)] == [None]
    assert "the oxts file has no records, so no ego motion" in recording.problems


@pytest.mark.parametrize("name", ["velodyne/0000/1317013372123.bin", "image_02/0000/20110926.png"])
def test_a_file_that_is_no_frames_is_refused_by_name(tree: Tree, name: str) -> None:
    """Numbered by something else, it would stretch the sequence over millions of missing frames."""
    root = tree.sequence(2)
    (root / name).touch()
    with pytest.raises(FileFormatError, match=f"{Path(name).name}: number .* after that of 000001"):
        open_tracking_recording(root, "0000")


def test_a_guessed_image_size_is_a_problem(tree: Tree) -> None:
    """Where neither images nor calibration tell, the recording says what is assumed."""
    root = tree.sequence(1)
    assert not any("is assumed" in problem for problem in open_tracking_recording(root, "0000").problems)
    for image in (root / "image_02/0000").iterdir():
        image.unlink()
    text = (root / "calib/0000.txt").read_text()
    tree.text("calib/0000.txt", text.replace("7.215377000000e+02", "7.5e+02").replace("721.5377", "750"))
    recording = open_tracking_recording(root, "0000")
    assert "neither an image nor the calibration tells the image size: 1242x375 is assumed" in recording.problems


def test_labels(tree: Tree) -> None:
    """With track ids; a frame without rows is labelled as empty; without the file there are no labels."""
    root = tree.sequence(2)
    assert open_tracking_recording(root, "0000").labels(0) is None
    tree.text("label_02/0000.txt", f"1 7 {VAN}\n")
    recording = open_tracking_recording(root, "0000")
    empty, labels = recording.labels(0), recording.labels(1)
    assert empty is not None
    assert len(empty) == 0
    assert empty.track_ids is not None
    assert labels is not None
    assert labels.track_ids is not None
    assert labels.track_ids.tolist() == [7]


def test_object_labels_are_refused(tree: Tree) -> None:
    """On opening, naming file and line."""
    root = tree.sequence(1)
    path = tree.text("label_02/0000.txt", VAN + "\n")
    with pytest.raises(FileFormatError, match="15 columns") as caught:
        open_tracking_recording(root, "0000")
    assert str(caught.value).startswith(f"{path}:1: ")


@pytest.mark.parametrize(("first", "last"), [(0, 3), (2, 1), (3, 3), (7, 9)])
def test_wrong_ranges_are_refused(tree: Tree, first: int, last: int) -> None:
    """The message says which frames there are."""
    root = tree.sequence(3)
    with pytest.raises(ConfigError, match=f"frames {first}-{last} of tracking sequence 0000: .* within 0-2"):
        open_tracking_recording(root, "0000", FrameRange(first, last))


def test_unknown_sequence(tree: Tree) -> None:
    """The message lists what there is."""
    tree.sequence(1)
    root = tree.sequence(1, sequence="0003")
    with pytest.raises(MissingDataError, match="'0001'; expected a folder velodyne/0001; there are: 0000, 0003"):
        open_tracking_recording(root, "0001")
    (root / "velodyne/0004").mkdir()
    with pytest.raises(MissingDataError, match="0004: no frames"):
        open_tracking_recording(root, "0004")


def test_sequence_may_start_late_and_be_jpeg(tree: Tree) -> None:
    """It runs from its first file to its last."""
    root = tree.sequence(6)
    for index in (0, 1):
        (root / f"velodyne/0000/{index:06d}.bin").unlink()
        (root / f"image_02/0000/{index:06d}.png").unlink()
    (root / "image_02/0000/000003.png").unlink()
    tree.image("image_02/0000/000003.jpg")
    frames = list(open_tracking_recording(root, "0000"))
    assert [item.index for item in frames] == [2, 3, 4, 5]
    assert isinstance(frames[1], Frame)
    assert frames[1].image is not None


@pytest.mark.shared
@pytest.mark.parametrize(("sequence", "count"), [("0000", 44), ("0001", 51)])
def test_real_sequences_are_sound(kitti_root: Path, sequence: str, count: int) -> None:
    """Every frame is whole; the way driven agrees with the speed that the unit measured, to 3 %."""
    recording = open_tracking_recording(kitti_root / "tracking", sequence)
    assert recording.time_base is TimeBase.RECORDED
    assert recording.problems == ()
    frames = list(recording)
    assert len(frames) == count
    assert not [item for item in frames if isinstance(item, BadFrame)]
    poses = [frame.world_SE3_ego for frame in frames if isinstance(frame, Frame)]
    places = np.array([pose.translation for pose in poses if pose is not None])
    stamps_s = np.array([frame.stamp_ns for frame in frames]) / 1e9
    records = np.loadtxt(kitti_root / "tracking" / "oxts" / f"{sequence}.txt")[:count]
    speed_mps = np.hypot(records[:, 6], records[:, 7])
    driven_m = np.linalg.norm(np.diff(places[:, :2], axis=0), axis=1).sum()
    assert driven_m == pytest.approx(np.trapezoid(speed_mps, stamps_s), rel=0.03)
