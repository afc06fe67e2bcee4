"""The table of overlaps: pairs of one frame only, in the right frame and sense of rotation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely.geometry import Polygon

from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.table import Metric, Table


def kitti_ground_polygon(cam):
    """Corners on the ground as KITTI's own development kit turns them about the camera's y axis."""
    x, _, z, _, width, length, rotation_y = cam
    cos, sin = math.cos(rotation_y), math.sin(rotation_y)
    corners = [(length / 2, width / 2), (length / 2, -width / 2), (-length / 2, -width / 2), (-length / 2, width / 2)]
    return Polygon([(x + cos * a + sin * b, z - sin * a + cos * b) for a, b in corners])


def test_identical_boxes_overlap_wholly(frame, row):
    """A label and the same box as detection have IoU 1 in every metric."""
    table = Table.from_frames(
        [frame([row(cam=(3, 1.5, 20, 1.5, 1.6, 4.0, 0.7))], [row(cam=(3, 1.5, 20, 1.5, 1.6, 4.0, 0.7))])]
    )
    for metric in Metric:
        assert table.overlaps[metric] == pytest.approx([1.0], abs=1e-9)


def test_rotation_turns_as_in_kitti(frame, row):
    """Ground overlap of rotated boxes is that of polygons built by KITTI's formula, which turns against the yaw."""
    label, detection = (3.0, 1.5, 20.0, 1.5, 1.6, 4.0, 0.7), (4.2, 1.5, 19.2, 1.5, 1.7, 4.1, 0.6)
    a, b = kitti_ground_polygon(label), kitti_ground_polygon(detection)
    expected = a.intersection(b).area / a.union(b).area
    table = Table.from_frames([frame([row(cam=label)], [row(cam=detection)])])
    assert 0.2 < expected < 0.8
    assert table.overlaps[Metric.GROUND] == pytest.approx([expected], abs=1e-9)


def test_height_counts_from_the_bottom_upwards(frame, row):
    """y is the bottom and points down: a box 0.5 m lower shares two thirds of a height of 1.5 m."""
    table = Table.from_frames([frame([row(cam=(0, 1.5, 20, 1.5, 1.6, 4, 0))], [row(cam=(0, 2.0, 20, 1.5, 1.6, 4, 0))])])
    assert table.overlaps[Metric.BOX] == pytest.approx([1.0 / 2.0])
    assert table.overlaps[Metric.GROUND] == pytest.approx([1.0])


def test_pairs_stay_within_their_frame(frame, row):
    """Objects at the same place in two frames never meet; rows count on over the frames."""
    frames = [frame([row()], []), frame([row(), row(x=9)], [row(x=9), row()]), frame([], [row()])]
    table = Table.from_frames(frames)
    assert table.pair_label.tolist() == [1, 2]
    assert table.pair_detection.tolist() == [1, 0]
    assert table.labels.frame.tolist() == [0, 1, 1]
    assert table.detections.frame.tolist() == [1, 1, 2]


def test_dont_care_share_is_of_the_detection(frame, row, region):
    """A detection half inside a region has share 0.5 however large the region is; regions do not add up."""
    regions = [region((0, 0, 1050, 500)), region((1050, 0, 1075, 500))]
    table = Table.from_frames([frame(regions, [row(), row(x=100)])])
    assert table.dont_care_share == pytest.approx([0.5, 0.0])
    assert len(table.pair_label) == 0


@pytest.mark.parametrize("frames", [0, 3])
def test_nothing_at_all(frames):
    """No frames, and frames without objects, make an empty table."""
    nothing = ScoredFrame(CameraObjects.empty(scored=False), CameraObjects.empty(scored=True))
    table = Table.from_frames([nothing] * frames)
    assert len(table.labels) == len(table.detections) == len(table.pair_label) == 0
    assert table.overlaps[Metric.BOX].dtype == np.float64


@pytest.mark.parametrize(
    "cam", [(0, 1.5, 20, 1.5, 0.0, 4.0, 0.0), (0, 1.5, 20, 1.5, 1.6, 0.0, 0.0), (0, 1.5, 20, 1.5, -1.0, -1.0, 0.0)]
)
def test_degenerate_boxes_overlap_nothing(frame, row, cam):
    """A box without width or length, or of negative size, shares nothing on the ground or in space."""
    table = Table.from_frames([frame([row()], [row(cam=cam)])])
    assert table.overlaps[Metric.GROUND] == pytest.approx([0.0])
    assert table.overlaps[Metric.BOX] == pytest.approx([0.0])
    assert table.overlaps[Metric.IMAGE] == pytest.approx([1.0])


def test_unscored_detections_are_refused(objects, row):
    """A frame needs scores on its detections."""
    with pytest.raises(ValueError, match="without scores"):
        ScoredFrame(objects([row()], scored=False), objects([row()], scored=False))
