"""All figures of a detector on frames made by hand."""

import numpy as np
import pytest

from vedette.evaluation.detector3d import Examined, detector_figures, interval_figures


@pytest.fixture
def examined(frame, row):
    """Makes a frame of a drive: cars at some z with some points, all of them found or none."""

    def make(drive, z=20.0, points=50, *, found=True, extra=()):
        return Examined(frame([row(z=z)], [row(z=z, score=0.9)] * found + list(extra)), np.array([points]), drive)

    return make


def test_a_perfect_detector(examined):
    """As far as so many labels allow: 50 cars, all found, nothing else."""
    figures = detector_figures([examined("a") for _ in range(50)], recall=0.85)
    assert figures["ap.r40.car.bev.0.7.moderate"] == figures["f1.car.3d.0.5.r50"] == 100.0
    assert figures["false_boxes_per_frame"] == 0.0
    assert figures["false_boxes.score_cut"] == 0.9
    assert figures["recall.car.points.30-100"] == figures["recall.car.range_m.20-40"] == 100.0
    assert figures["labels.car.points.30-100"] == 50


def test_what_is_not_defined_is_none(examined):
    """No cyclist is labelled, no car is near or found, no recall is reached."""
    figures = detector_figures([examined("a", found=False)], recall=0.85)
    assert figures["ap.r40.cyclist.3d.0.5.moderate"] is None
    assert figures["false_boxes_per_frame"] is None
    assert figures["recall.car.range_m.0-20"] is None
    assert figures["recall.car.range_m.20-40"] == 0.0
    assert figures["recall.cyclist.cut0.5"] is None


def test_false_boxes_are_counted_by_frame_at_the_recall_asked_for(examined, row):
    """Two of four cars found at 0.9; three boxes alone, two of them at 0.9 or more."""
    alone = [row(x=20, score=0.95), row(x=-20, score=0.9), row(x=-20, z=40, score=0.6)]
    frames = [examined("a"), examined("a"), examined("a", found=False), examined("a", found=False, extra=alone)]
    figures = detector_figures(frames, recall=0.5)
    assert figures["false_boxes_per_frame"] == 0.5
    assert figures["false_boxes_per_frame.car.cut0.5"] == 0.75
    assert figures["recall.car.cut0.5"] == 50.0


@pytest.mark.parametrize(
    ("points", "key"), [(1, "1-10"), (9, "1-10"), (10, "10-30"), (30, "30-100"), (99, "30-100"), (100, "100-")]
)
def test_labels_fall_into_bins_by_their_points(examined, points, key):
    """Lower bounds belong to a bin, upper ones to the next."""
    figures = detector_figures([examined("a", points=points)], recall=0.85)
    assert figures[f"labels.car.points.{key}"] == 1
    assert sum(value for name, value in figures.items() if name.startswith("labels.car.points")) == 1


def test_intervals_are_over_drives(examined):
    """One drive found, one missed: F1 of 0 to 100; a single drive has none."""
    frames = [examined("a"), examined("b", found=False)]
    assert interval_figures(frames, 0.85, resamples=60)["f1.car.3d.0.5.r50"] == (0.0, 100.0)
    assert interval_figures(frames[:1], 0.85, resamples=5)["f1.car.3d.0.5.r50"] is None
