"""All figures of a detector on frames made by hand."""

import numpy as np
import pytest

from vedette.evaluation.bootstrap import Interval
from vedette.evaluation.detector3d import Asked, Examined, evaluate_detections3d


def figures_of(frames, *recalls, types=None):
    return evaluate_detections3d(frames, Asked(recalls or (0.85,), types)).figures


@pytest.fixture
def examined(frame, row):
    """Makes a frame of a drive: cars at some z with some points, all of them found or none."""

    def make(drive, z=20.0, points=50, *, found=True, extra=()):
        return Examined(frame([row(z=z)], [row(z=z, score=0.9)] * found + list(extra)), np.array([points]), drive)

    return make


def test_a_perfect_detector(examined):
    """As far as so many labels allow: 50 cars, all found, nothing else."""
    figures = figures_of([examined("a") for _ in range(50)], 0.85)
    assert figures["ap.r40.car.bev.0.7.moderate"] == figures["f1.car.3d.0.5.r50"] == 100.0
    assert figures["false_boxes_per_frame"] == 0.0
    assert figures["false_boxes.score_cut"] == 0.9
    assert figures["recall.car.points.30-100"] == figures["recall.car.range_m.20-40"] == 100.0
    assert figures["labels.car.points.30-100"] == 50


def test_what_is_not_defined_is_none(examined):
    """No cyclist is labelled, no car is near or found, no recall is reached."""
    figures = figures_of([examined("a", found=False)], 0.85)
    assert figures["ap.r40.cyclist.3d.0.5.moderate"] is None
    assert figures["false_boxes_per_frame"] is None
    assert figures["recall.car.range_m.0-20"] is None
    assert figures["recall.car.range_m.20-40"] == 0.0
    assert figures["recall.cyclist.cut0.5"] is None
    assert figures["best_recall.car"] == 0.0


def test_nothing_of_a_class_that_the_detector_does_not_know(examined, frame, row):
    """A pedestrian is labelled; a detector of cars is not blamed for it."""
    walker = row(type="Pedestrian", cam=(8.0, 1.5, 20.0, 1.7, 0.6, 0.6, 0.0))
    frames = [Examined(frame([row(), walker], [row()]), np.array([50, 50]), "a")]
    knowing, other = figures_of(frames), figures_of(frames, types=frozenset({"car"}))
    assert knowing["f1.pedestrian.3d.0.5.r50"] == knowing["recall.pedestrian.cut0.5"] == 0.0
    assert other["f1.pedestrian.3d.0.5.r50"] is other["ap.r40.pedestrian.bev.0.25.moderate"] is None
    assert "recall.pedestrian.cut0.5" not in other
    assert other["f1.car.3d.0.5.r50"] == other["f1.vehicle.3d.0.5.r50"] == 100.0


def test_people_are_judged_at_half_and_at_a_quarter(frame, row):
    """A walker 0.6 m wide, found 0.25 m off: BEV IoU 0.35 / 0.85 = 0.41."""
    walker = row(type="Pedestrian", cam=(8.0, 1.5, 20.0, 1.7, 0.6, 0.6, 0.0))
    off = row(type="Pedestrian", cam=(8.25, 1.5, 20.0, 1.7, 0.6, 0.6, 0.0))
    figures = figures_of([Examined(frame([walker], [off]), np.array([50]), "a")])
    assert figures["f1.pedestrian.bev.0.5.r50"] == 0.0
    assert figures["f1.pedestrian.bev.0.25.r50"] == 100.0


def test_false_boxes_are_counted_by_frame_at_the_recall_asked_for(examined, row):
    """Two of four cars found at 0.9; three boxes alone, two of them at 0.9 or more."""
    alone = [row(x=20, score=0.95), row(x=-20, score=0.9), row(x=-20, z=40, score=0.6)]
    frames = [examined("a"), examined("a"), examined("a", found=False), examined("a", found=False, extra=alone)]
    figures = figures_of(frames, 0.5, 0.6)
    assert figures["false_boxes_per_frame"] == figures["false_boxes_per_frame.car.recall0.5"] == 0.5
    assert figures["false_boxes.recall"] == figures["best_recall.car"] == 50.0
    assert figures["false_boxes_per_frame.car.recall0.6"] is figures["score_cut.car.recall0.6"] is None
    assert figures["false_boxes_per_frame.car.cut0.5"] == 0.75
    assert figures["recall.car.cut0.5"] == 50.0


@pytest.mark.parametrize(
    ("points", "key"),
    [(0, "0-1"), (1, "1-10"), (9, "1-10"), (10, "10-30"), (30, "30-100"), (99, "30-100"), (100, "100-")],
)
def test_labels_fall_into_bins_by_their_points(examined, points, key):
    """Lower bounds belong to a bin, upper ones to the next."""
    figures = figures_of([examined("a", points=points)], 0.85)
    assert figures[f"labels.car.points.{key}"] == 1
    assert sum(value for name, value in figures.items() if name.startswith("labels.car.points")) == 1


def test_intervals_are_over_drives(examined):
    """One drive found, one missed: F1 of 0 to 100; a single drive has none."""
    frames = [examined("a"), examined("b", found=False)]
    found = evaluate_detections3d(frames, resamples=60).intervals["f1.car.3d.0.5.r50"]
    assert found == Interval(0.0, 100.0, draws=60)
    assert evaluate_detections3d(frames[:1], resamples=5).intervals["f1.car.3d.0.5.r50"] is None
    assert evaluate_detections3d(frames).intervals == {}
