"""The object layout's own ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vedette.datasets.kitti.object_layout import open_object_recording
from vedette.errors import FileFormatError, MissingDataError
from vedette.frames import Frame, TimeBase

Tree = Any
WriteTree = Callable[[int], Tree]


def test_times_follow_the_position(object_tree: WriteTree) -> None:
    """Numbers 3, 13, 23 are 0.1 s apart; 10 Hz is assumed and said; there is no odometry."""
    recording = open_object_recording(object_tree(3).root)
    assert recording.time_base is TimeBase.ASSUMED_10_HZ
    frames = list(recording)
    assert [(item.index, item.stamp_ns) for item in frames] == [(3, 0), (13, 100_000_000), (23, 200_000_000)]
    frame = frames[1]
    assert isinstance(frame, Frame)
    assert frame.sweep is not None
    assert (frame.sweep.start_ns, frame.sweep.end_ns) == (50_000_000, 150_000_000)
    assert frame.world_SE3_ego is None
    assert recording.problems == ()


def test_labels(object_tree: WriteTree) -> None:
    """By frame number; a frame without its file has none."""
    tree = object_tree(2)
    (tree.root / "label_2/000013.txt").unlink()
    recording = open_object_recording(tree.root)
    labels = recording.labels(3)
    assert labels is not None
    assert labels.types == ("Car",)
    assert recording.labels(13) is None
    assert recording.problems == ("1 of 2 frames have no label file",)


def test_tracking_labels_are_refused(object_tree: WriteTree) -> None:
    """Naming file and line, what was met and what is expected."""
    tree = object_tree(1)
    path = tree.text("label_2/000003.txt", "0 1 Car 0 0 1.5 14 8 27 18 1.5 1.7 4.1 1 1.7 13 1.6\n")
    with pytest.raises(FileFormatError) as caught:
        open_object_recording(tree.root).labels(3)
    assert str(caught.value) == (f"{path}:1: 17 columns (as in the tracking layout); expected the object layout's 15")


def test_each_frame_has_its_own_image_size(object_tree: WriteTree) -> None:
    """The frames come from several cameras."""
    tree = object_tree(2)
    tree.image("image_2/000013.png", 60, 30)
    sizes = [frame.camera.width_px for frame in open_object_recording(tree.root) if isinstance(frame, Frame)]
    assert sizes == [40, 60]


def test_nothing_there(tmp_path: Path) -> None:
    """A folder of sequences is told apart from an empty one."""
    (tmp_path / "velodyne").mkdir()
    with pytest.raises(MissingDataError, match=r"no frames; expected velodyne/NNNNNN\.bin"):
        open_object_recording(tmp_path)
    (tmp_path / "velodyne" / "0000").mkdir()
    with pytest.raises(MissingDataError, match="as in the tracking layout"):
        open_object_recording(tmp_path)
