"""Boxes where nothing stands, counted by hand."""

import numpy as np
import pytest

from vedette.evaluation.false_boxes import Sightings, sightings
from vedette.evaluation.table import Table
from vedette.evaluation.targets import CAR


def seen(frames, points=None):
    table = Table.from_frames(frames)
    return sightings(table, CAR, np.full(len(table.labels), 50) if points is None else np.array(points))


def test_a_box_far_from_every_label_is_false_and_one_that_is_merely_off_is_not(frame, row):
    """One right, one that overlaps a little (3.5 m along a car 4 m long), one alone."""
    found = [row(score=0.9), row(x=23.5, score=0.8), row(x=-20, score=0.7)]
    result = seen([frame([row(), row(x=20)], found)])
    assert result.false_scores.tolist() == [0.7]
    assert result.found_scores.tolist() == [0.9, -np.inf]


@pytest.mark.parametrize("kind", ["Van", "Pedestrian", "Misc", "Truck"])
def test_a_box_on_a_label_of_another_class_is_not_false(frame, row, kind):
    """It is of the wrong class, but something stands there."""
    assert len(seen([frame([row(type=kind)], [row()])]).false_scores) == 0


@pytest.mark.parametrize(("x2", "count"), [(1050.0, 0), (1049.0, 1)])
def test_half_of_the_image_box_in_one_region_excuses(frame, row, region, x2, count):
    """The box is 100 px wide from 1000 on: at 1050 half of it lies in the region, at 1049 less."""
    assert len(seen([frame([region((0.0, 0.0, x2, 375.0))], [row()])], points=[0]).false_scores) == count


@pytest.mark.parametrize(("z", "count"), [(45.0, 1), (45.1, 0)])
def test_only_boxes_and_labels_within_45_m_count(frame, row, z, count):
    """Along the ground."""
    assert len(seen([frame([], [row(z=z)])]).false_scores) == count
    assert len(seen([frame([row(z=z)], [])]).found_scores) == count


@pytest.mark.parametrize(("points", "count"), [(9, 0), (10, 1)])
def test_labels_need_ten_points(frame, row, points, count):
    """What hardly shows need not be found."""
    assert len(seen([frame([row()], [])], points=[points]).found_scores) == count


def test_other_classes_are_not_looked_at(frame, row):
    """A pedestrian where nothing stands is no false car."""
    assert len(seen([frame([], [row(type="Pedestrian")])]).false_scores) == 0


def test_the_cut_for_a_recall_is_the_highest_that_reaches_it():
    """Of four labels found at 0.9, 0.8, 0.3 and never: three quarters at 0.3, half at 0.8, all never."""
    result = Sightings(np.array([0.9, 0.3, 0.8, -np.inf]), np.array([0.85, 0.5, 0.2]))
    assert result.cut_for(0.75) == 0.3
    assert result.cut_for(0.5) == 0.8
    assert result.cut_for(0.51) == 0.3
    assert result.cut_for(1.0) is None
    assert [result.false_boxes(cut) for cut in (0.3, 0.8, 0.9)] == [2, 1, 0]
    assert [result.recall(cut) for cut in (0.3, 0.85)] == [0.75, 0.25]


def test_nothing_to_find_defines_nothing():
    """Neither a recall nor a cut."""
    nothing = Sightings(np.zeros(0), np.zeros(0))
    assert nothing.recall(0.5) is None
    assert nothing.cut_for(0.85) is None
