"""Recall and precision in bins, counted by hand."""

import numpy as np
import pytest

from vedette.evaluation.shares import precisions, recalls
from vedette.evaluation.table import Table
from vedette.evaluation.targets import CAR


@pytest.mark.parametrize(("score", "recall"), [(0.5, 100.0), (0.49, 0.0)])
def test_recall_is_at_the_score_where_models_are_cut(frame, row, score, recall):
    """The cut takes part."""
    table = Table.from_frames([frame([row()], [row(score=score)])])
    assert recalls(table, CAR, np.array([50]))["recall.car.points.30-100"] == recall


def test_recall_by_distance_is_of_labels_with_points(frame, row):
    """At 10, 20 and 39.9 m; the last of them has no point."""
    table = Table.from_frames([frame([row(z=10.0), row(z=20.0), row(z=39.9)], [row(z=20.0)])])
    figures = recalls(table, CAR, np.array([5, 5, 0]))
    assert [figures[f"labels.car.range_m.{span}"] for span in ("0-20", "20-40", "40-60")] == [1, 1, 0]
    assert [figures[f"recall.car.range_m.{span}"] for span in ("0-20", "20-40", "40-60")] == [0.0, 100.0, None]
    assert figures["labels.car.points.0-1"] == 1


def test_precision_has_one_right_box_a_label(frame, row):
    """Two boxes on a car 4 m long, the second 0.5 m off (IoU 3.5 / 4.5 = 0.78), and one alone: a third is right."""
    found = [row(score=0.8), row(x=0.5, score=0.9), row(x=-20, score=0.7), row(x=20, score=0.4)]
    figures = precisions(Table.from_frames([frame([row()], found)]), CAR)
    assert figures["precision.car.cut0.5"] == pytest.approx(100 / 3)
    assert figures["detections.car.range_m.20-40"] == 3
    assert figures["precision.car.range_m.0-20"] is None


def test_boxes_on_neighbours_and_in_regions_are_neutral(frame, row, region):
    """A van taken for a car, a box of which half is in a region, and a right one in that region."""
    labels = [row(), row(type="Van", x=20), region((0.0, 0.0, 1050.0, 375.0))]
    found = [row(), row(x=20), row(x=0.0, z=40.0)]
    figures = precisions(Table.from_frames([frame(labels, found)]), CAR)
    assert figures["detections.car.range_m.20-40"] == 1
    assert figures["precision.car.cut0.5"] == 100.0


def test_boxes_on_other_classes_are_wrong(frame, row):
    """A pedestrian is no neighbour of a car."""
    figures = precisions(Table.from_frames([frame([row(type="Pedestrian")], [row()])]), CAR)
    assert figures["precision.car.cut0.5"] == 0.0
