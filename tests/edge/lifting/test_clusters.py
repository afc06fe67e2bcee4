"""The filter by gaps: which group of points is the object."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.clusters import Candidates, middle_value, object_points
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.size import SizeBelief


def blob(x, y, count, spread=0.5):
    """Points on a patch facing the sensor."""
    across = np.linspace(-spread, spread, count)
    return np.stack([np.full(count, x), y + across, np.full(count, -0.8)], axis=1).astype(np.float32)


def candidates_of(street, *blobs, box=(540.0, 150.0, 700.0, 250.0), depth_m=15.0, may_be_nearer=False, inside=None):
    """Points with their pixels, in one detection, unless it is said which are beside it."""
    points = np.vstack(blobs)
    pixels = street.camera.project_velo(points)[0].T.astype(np.float32)
    inside = np.ones(len(points), np.bool_) if inside is None else inside
    return Candidates(points.T, pixels, inside, np.array(box), depth_m, may_be_nearer)


NEW_CAR = LiftHint.of_class(ObjectClass.CAR)


def tracked(x, y, *, anchored=False, sigma_m=0.3):
    """A car with a track."""
    return LiftHint(HeadingBelief(0.0, 5.0), SizeBelief(ObjectClass.CAR), np.array([x, y]), sigma_m, anchored)


def test_no_points_no_object(street):
    """An empty detection owns nothing."""
    nothing = np.zeros((3, 0), np.float32), np.zeros((2, 0), np.float32), np.zeros(0, np.bool_)
    empty = Candidates(*nothing, np.array([0, 0, 9, 9.0]), 10, may_be_nearer=False)
    assert len(object_points(empty, NEW_CAR)) == 0


def test_one_point_is_its_own_object(street):
    """A single point is a group."""
    assert object_points(candidates_of(street, blob(15, 0, 1)), NEW_CAR).tolist() == [0]


def test_background_seen_through_and_occluder_are_left_out(street):
    """Of post in front, car, and more points of a wall behind, the car at the expected depth is taken."""
    post, car, wall = blob(7, 0.3, 12, 0.05), blob(15, 0, 30, 0.8), blob(40, 0, 60, 4)
    chosen = object_points(candidates_of(street, post, car, wall), NEW_CAR)
    assert chosen.tolist() == list(range(12, 42))


def test_a_cut_box_may_hold_something_nearer_but_not_farther(street):
    """Cut by the lower border the height tells only how far the object can be at most."""
    cyclist, wall = blob(6, 0, 120, 0.3), blob(14, 0, 60, 1.5)
    box = (540.0, 100.0, 700.0, 374.0)
    cut = candidates_of(street, cyclist, wall, box=box, depth_m=8.0, may_be_nearer=True)
    assert object_points(cut, LiftHint.of_class(ObjectClass.CYCLIST)).tolist() == list(range(120))


def test_only_points_beside_it_are_no_object(street):
    """Points around a detection that holds none are nobody's."""
    beside = candidates_of(street, blob(15, 0, 20), inside=np.zeros(20, np.bool_))
    assert len(object_points(beside, NEW_CAR)) == 0


def test_what_goes_on_beside_the_detection_is_somebody_elses(street):
    """Of two groups at the depth of a car, the larger one has two thirds of its points beside the detection."""
    car, neighbour = blob(15, -0.8, 20, 0.6), blob(15, 2.0, 90, 1.2)
    inside = np.ones(110, np.bool_)
    inside[50:] = False
    mixed = candidates_of(street, car, neighbour, inside=inside)
    assert object_points(mixed, NEW_CAR).tolist() == list(range(20))
    # were all of them inside, the larger group would be the object
    assert object_points(candidates_of(street, car, neighbour), NEW_CAR).tolist() == list(range(20, 110))


@pytest.mark.parametrize(("y", "expected"), [(-1.2, range(20)), (1.2, range(20, 40))])
def test_the_track_decides_between_equals(street, y, expected):
    """Of two groups alike in everything the one at the predicted place is taken."""
    pair = candidates_of(street, blob(15, -1.2, 20), blob(15, 1.2, 20))
    assert object_points(pair, tracked(15, y)).tolist() == list(expected)


def test_an_anchored_track_takes_only_what_is_in_its_box(street):
    """Points half a metre in front of an anchored car are not its own."""
    near, car = blob(12.2, 0, 40, 0.8), blob(13.1, 0, 10, 0.8)
    mixed = candidates_of(street, near, car)
    assert object_points(mixed, tracked(15, 0, anchored=True, sigma_m=0.1)).tolist() == list(range(40, 50))


def test_long_tails_are_cut_off(street):
    """A hedge that touches the car is not followed beyond the car's reach."""
    hedge = np.stack([np.linspace(15.3, 30, 50), np.full(50, 0.5), np.full(50, -0.8)], axis=1).astype(np.float32)
    chosen = object_points(candidates_of(street, blob(15, 0, 60), hedge), NEW_CAR)
    assert set(range(60)) <= set(chosen.tolist())
    assert len(chosen) < 80


def test_a_post_before_a_known_car_is_left_out(street):
    """Points that touch the car and reach 1.6 m before its predicted box are not its own."""
    car = blob(13.1, 0, 40, 0.8)
    post = np.stack([np.linspace(11.4, 12.9, 16), np.full(16, 0.7), np.full(16, -0.8)], axis=1).astype(np.float32)
    mixed = candidates_of(street, car, post)
    kept = object_points(mixed, tracked(15, 0, sigma_m=0.1))
    assert set(range(40)) <= set(kept.tolist())
    assert np.vstack([car, post])[kept, 0].min() > 12.4
    assert len(object_points(mixed, NEW_CAR)) > len(kept)


def test_a_prediction_that_holds_little_of_the_group_is_not_believed(street):
    """A car 3 m from where its track expects it keeps its points."""
    moved = candidates_of(street, blob(13.1, 0, 40, 0.8))
    assert len(object_points(moved, tracked(12, 0, sigma_m=0.1))) == 40


@pytest.mark.parametrize(
    ("values", "expected"), [([3.0], 3.0), ([1.0, 9.0, 2.0], 2.0), ([4.0, 1.0], 4.0), ([2.0, 2.0, 2.0, 7.0], 2.0)]
)
def test_middle_value(values, expected):
    """The median; of an even number the upper of the two in the middle."""
    assert middle_value(np.array(values, np.float32)) == expected
