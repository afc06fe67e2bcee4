"""Between our boxes and KITTI's rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.kitti.convert import (
    camera_objects_from_boxes2d,
    camera_objects_from_detections,
    detections_from_camera_objects,
)
from vedette.datasets.kitti.labels import parse_labels
from vedette.datasets.kitti.object_layout import open_object_recording
from vedette.detections import Detections2D, Detections3D
from vedette.errors import DataError
from vedette.frames import Frame
from vedette.geometry import SE3, PinholeCamera

CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    1200,
    360,
)
PATH = Path("000000.txt")
AHEAD = [10.0, 2.0, -0.95, 4.0, 1.8, 1.5, 0.0]
BEHIND = [-10.0, 2.0, -0.95, 4.0, 1.8, 1.5, 0.0]


def detections(boxes: list[list[float]], classes: list[ObjectClass]) -> Detections3D:
    """With scores 0.9, 0.8, ..."""
    scores = 0.9 - 0.1 * np.arange(len(boxes))
    return Detections3D(np.array(boxes).reshape(-1, 7), scores, np.array(classes, dtype=np.int64))


def test_detection_becomes_a_row() -> None:
    """Bottom centre, KITTI's order of sizes, the box around the projection, unknown truncation and occlusion."""
    objects = camera_objects_from_detections(detections([AHEAD], [ObjectClass.CAR]), CAMERA)
    assert objects.types == ("Car",)
    assert objects.boxes_cam[0] == pytest.approx([-2.0, 1.7, 10.0, 1.5, 1.8, 4.0, -np.pi / 2])
    assert objects.boxes_px[0] == pytest.approx(
        [600 - 700 * 2.9 / 8, 180 + 700 * 0.2 / 12, 600 - 700 * 1.1 / 12, 180 + 700 * 1.7 / 8]
    )
    assert objects.alpha[0] == pytest.approx(-np.pi / 2 - np.arctan2(-2.0, 10.0))
    assert (objects.truncation.tolist(), objects.occlusion.tolist()) == ([-1.0], [-1])
    assert objects.scores is not None
    assert objects.scores.tolist() == [0.9]


def test_what_the_camera_does_not_see_is_dropped() -> None:
    """The others keep their scores."""
    both = detections([BEHIND, AHEAD], [ObjectClass.CAR, ObjectClass.BUS])
    objects = camera_objects_from_detections(both, CAMERA)
    assert objects.types == ("Truck",)
    assert objects.scores == pytest.approx([0.8])


def test_no_detections() -> None:
    """Give an empty, scored result."""
    objects = camera_objects_from_detections(Detections3D.empty(), CAMERA)
    assert len(objects) == 0
    assert objects.scores is not None


def test_box_in_a_picture_becomes_a_row_without_a_3d_box() -> None:
    """KITTI's placeholders stand for what a picture does not tell."""
    boxes = np.array([[10.0, 20.0, 30.0, 40.0], [50.0, 60.0, 70.0, 80.0]])
    ids = np.array([int(ObjectClass.BUS), int(ObjectClass.CYCLIST)])
    objects = camera_objects_from_boxes2d(Detections2D(boxes, np.array([0.9, 0.8]), ids))
    assert objects.types == ("Truck", "Cyclist")
    assert objects.boxes_px.tolist() == boxes.tolist()
    assert objects.scores is not None
    assert objects.scores.tolist() == [0.9, 0.8]
    assert objects.boxes_cam[0].tolist() == [-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, -10.0]
    assert (objects.alpha == -10.0).all()
    assert len(camera_objects_from_boxes2d(Detections2D.empty())) == 0


def test_row_becomes_a_detection() -> None:
    """A label has score 1; regions and rows without a 3D box are dropped."""
    rows = (
        "DontCare -1 -1 -10 5 9 14 16 -1 -1 -1 -1000 -1000 -1000 -10\n"
        "Person_sitting 0.00 0 0 5 9 14 16 1.2 0.6 0.8 1.0 1.7 8.0 0\n"
        "Car 0.00 0 0 5 9 14 16 -1 -1 -1 -1000 -1000 -1000 -10\n"
    )
    found = detections_from_camera_objects(parse_labels(rows, PATH), CAMERA)
    assert found.class_ids.tolist() == [ObjectClass.PEDESTRIAN]
    assert found.scores.tolist() == [1.0]
    # rotation_y 0 points right, which is yaw -pi/2
    assert found.boxes_velo[0] == pytest.approx([8.0, -1.0, -1.1, 0.8, 0.6, 1.2, -np.pi / 2])


def test_scores_of_results_are_kept_or_refused() -> None:
    """Ours are in [0, 1]; another detector's raw score is not silently cut."""
    row = "Car -1 -1 0 5 9 14 16 1.5 1.8 4 1 1.7 8 0"
    assert detections_from_camera_objects(parse_labels(f"{row} 0.25", PATH), CAMERA).scores.tolist() == [0.25]
    with pytest.raises(DataError, match="scores span 3 to 3; expected 0 to 1"):
        detections_from_camera_objects(parse_labels(f"{row} 3", PATH), CAMERA)


@pytest.mark.shared
def test_real_labels_survive_the_way_there_and_back(kitti_root: Path) -> None:
    """To a nanometre in 3D; the projected boxes lie over the hand-drawn ones (median IoU above 0.85)."""
    from vedette.geometry import iou_2d

    overlaps: list[float] = []
    for frame in open_object_recording(kitti_root / "object" / "training"):
        assert isinstance(frame, Frame)
        labels = parse_labels((kitti_root / f"object/training/label_2/{frame.index:06d}.txt").read_text(), PATH)
        labels = labels.select([row for row, name in enumerate(labels.types) if name != "DontCare"])
        back = camera_objects_from_detections(detections_from_camera_objects(labels, frame.camera), frame.camera)
        assert len(back) == len(labels)
        assert np.abs(back.boxes_cam - labels.boxes_cam)[:, :6].max(initial=0.0) < 1e-9
        overlaps.extend(np.diag(iou_2d(back.boxes_px, labels.boxes_px)))
    assert np.median(overlaps) > 0.85
