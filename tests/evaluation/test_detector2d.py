"""All figures of a 2D detector on pictures made by hand."""

import numpy as np
import pytest

from vedette.evaluation.bootstrap import Interval
from vedette.evaluation.detector2d import ExaminedPicture, evaluate_detections2d

NO_BOX = (-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, -10.0)


@pytest.fixture
def car(row):
    """Makes a label 100 px wide at some place, or with a score a detection without a 3D box."""

    def make(x1=0.0, height=50.0, score=None, **changes):
        px = (x1, 100.0, x1 + 100.0, 100.0 + height)
        return row(px=px, **({} if score is None else {"score": score, "cam": NO_BOX, "alpha": -10.0}), **changes)

    return make


@pytest.fixture
def picture(frame):
    """Makes a picture in which all boxes are used."""

    def make(labels, found, drive="a"):
        scored = frame(labels, found)
        return ExaminedPicture(scored, scored, drive)

    return make


def figures_of(*pictures):
    return evaluate_detections2d(pictures).figures


def test_a_perfect_detector(picture, car):
    """As far as so many labels allow: 50 cars."""
    figures = figures_of(*[picture([car()], [car(score=0.9)])] * 50)
    assert figures["ap.r40.car.2d.0.7.moderate"] == figures["f1.car.2d.0.5"] == 100.0
    assert figures["f1.car.2d.0.5.h40-80"] == 100.0
    assert figures["best_f1.car.2d.0.5"] == 100.0
    assert figures["best_cut.car.2d.0.5"] == 0.9


def test_cars_far_away_count_as_well(picture, car):
    """In the image there is no range: a label 200 m away."""
    figures = figures_of(picture([car(cam=(0.0, 1.5, 200.0, 1.5, 1.6, 4.0, 0.0))], [car(score=0.9)]))
    assert figures["f1.car.2d.0.5"] == 100.0


@pytest.mark.parametrize(
    ("height", "key"), [(25.0, "h25-40"), (39.9, "h25-40"), (40.0, "h40-80"), (79.9, "h40-80"), (80.0, "h80-")]
)
def test_labels_fall_into_bins_by_their_height(picture, car, height, key):
    """Lower bounds belong to a bin, upper ones to the next."""
    figures = figures_of(picture([car(height=height)], []))
    bins = [f"labels.car.2d.0.5.{name}" for name in ("h25-40", "h40-80", "h80-")]
    assert [figures[name] for name in bins] == [int(name.endswith(key)) for name in bins]


def test_labels_that_are_too_low_do_not_count(picture, car):
    """24.9 px: no figure at all, and a box on it is no false alarm."""
    figures = figures_of(picture([car(height=24.9)], [car(height=24.9, score=0.9)]))
    assert figures["f1.car.2d.0.5"] is figures["ap.r40.car.2d.0.7.hard"] is figures["best_f1.car.2d.0.5"] is None
    assert figures["fp.car.2d.0.5"] == 0


def test_a_box_of_another_height_finds_and_is_no_false_alarm(picture, car):
    """A label of 42 px found by a box of 38; another box of 38 is a false alarm among boxes of its own height."""
    found = [car(height=38.0, score=0.9), car(x1=500.0, height=38.0, score=0.9)]
    figures = figures_of(picture([car(height=42.0)], found))
    assert [figures[f"{part}.car.2d.0.5.h40-80"] for part in ("tp", "fp", "fn")] == [1, 0, 0]
    assert figures["fp.car.2d.0.5.h25-40"] == 1
    assert figures["f1.car.2d.0.5.h25-40"] is None
    assert figures["f1.car.2d.0.5"] == pytest.approx(100 * 2 / 3)


def test_vans_are_neutral_to_cars(picture, car):
    """Neither finding nor missing one matters."""
    figures = figures_of(picture([car(), car(x1=500.0, type="Van")], [car(score=0.9), car(x1=500.0, score=0.8)]))
    assert [figures[f"{part}.car.2d.0.5"] for part in ("labels", "tp", "fp", "fn")] == [1, 1, 0, 0]


@pytest.mark.parametrize(("x2", "false_alarms"), [(50.0, 1), (51.0, 0)])
def test_more_than_half_in_a_region_excuses(picture, car, region, x2, false_alarms):
    """The box is 100 px wide from 0 on."""
    labels = [car(x1=500.0), region((0.0, 0.0, x2, 375.0))]
    assert figures_of(picture(labels, [car(score=0.9)]))["fp.car.2d.0.5"] == false_alarms


def test_f1_is_of_the_used_boxes_and_the_best_of_all(frame, car):
    """Of two cars, one is found at 0.9 and one at 0.3, with a false alarm at 0.2; the detector is used at 0.5."""
    labels, sure = [car(), car(x1=500.0)], [car(score=0.9)]
    faint = [*sure, car(x1=500.0, score=0.3), car(x1=900.0, score=0.2)]
    figures = figures_of(ExaminedPicture(frame(labels, faint), frame(labels, sure), "a"))
    assert figures["f1.car.2d.0.5"] == pytest.approx(100 * 2 / 3)
    assert figures["best_f1.car.2d.0.5"] == 100.0
    assert figures["best_cut.car.2d.0.5"] == 0.3


def test_intervals_are_over_drives(picture, car):
    """One drive found, one missed: F1 of 0 to 100."""
    pictures = [picture([car()], [car(score=0.9)]), picture([car()], [], drive="b")]
    bounds = evaluate_detections2d(pictures, resamples=60).intervals
    assert bounds["f1.car.2d.0.5"] == Interval(0.0, 100.0, draws=60)
    assert not any(np.isnan([bound.low, bound.high]).any() for bound in bounds.values() if bound is not None)
