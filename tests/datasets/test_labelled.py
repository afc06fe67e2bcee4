"""Frames with labels, drive and fold; and the labels of real ones judged as if they were detections."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.labelled import LabelledFrame, examined, labelled_frames
from vedette.evaluation.detector3d import evaluate_detections3d
from vedette.frames import Frame


@pytest.fixture(scope="module")
def fold(kitti_root: Path) -> list[LabelledFrame]:
    """The object frames of fold 0."""
    return list(labelled_frames(f"kitti-object:{kitti_root}", {0}))


@pytest.mark.shared
def test_object_frames_are_of_the_drives_and_folds_of_the_splits(fold: list[LabelledFrame]) -> None:
    """As splits.yaml says: 21 frames of 7 drives, frame 60 from drive 0015."""
    assert len(fold) == 21
    assert len({item.drive for item in fold}) == 7
    assert {item.fold for item in fold} == {0}
    assert next(item.drive for item in fold if item.frame.index == 60) == "2011_09_26_drive_0015"


@pytest.mark.shared
def test_a_sequence_is_one_drive_of_no_fold(kitti_root: Path) -> None:
    """Whichever part of it is read; folds that are asked for do not concern it."""
    parts = [list(labelled_frames(f"kitti-tracking:{kitti_root}:0000:{part}", {3})) for part in ("0-1", "2-3")]
    assert [(item.drive, item.fold) for items in parts for item in items] == [("kitti-tracking/0000", None)] * 4
    assert all(item.labels is not None for items in parts for item in items)


@pytest.mark.shared
def test_a_raw_drive_has_the_name_that_object_frames_have_for_theirs(kitti_root: Path) -> None:
    """So that frames of both, pooled, are of one drive."""
    first = next(labelled_frames(f"kitti-raw:{kitti_root}:2011_09_26_drive_0001"))
    assert (first.drive, first.fold) == ("2011_09_26_drive_0001", None)


@pytest.mark.shared
def test_the_labels_of_real_frames_are_perfect_detections(fold: list[LabelledFrame]) -> None:
    """Everything is found, nothing is false, and no draw of drives says otherwise."""
    frames = []
    for item in fold:
        assert isinstance(item.frame, Frame)
        assert item.labels is not None
        found = detections_from_camera_objects(item.labels, item.frame.camera)
        frames.append(examined(item.frame, item.labels, found, item.drive))
    evaluation = evaluate_detections3d(frames, resamples=5)
    figures = evaluation.figures
    assert figures["f1.car.3d.0.5.r50"] == figures["precision.car.cut0.5"] == 100.0
    assert figures["best_recall.car"] == 100.0
    assert figures["false_boxes_per_frame"] == figures["false_boxes_per_frame.pedestrian.cut0.5"] == 0.0
    assert sum(figures[f"labels.car.points.{span}"] or 0 for span in ("0-1", "1-10", "10-30", "30-100", "100-")) == 56
    bound = evaluation.intervals["f1.car.3d.0.5.r50"]
    assert bound is not None
    assert bound.low == bound.high == 100.0
