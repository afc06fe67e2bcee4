"""Objects that no detection shows, found in the sweep: where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.edge.lifting.follow import Expected, followed_points
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lift import lift_frame
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.scene import view_scene
from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.size import SizeBelief

CAR_SIZE = (4.4, 1.8, 1.5)
WELL_KNOWN_M2 = 0.3**2 * np.eye(2)
SPEED_UNKNOWN_M2 = np.diag([2.0**2, 0.3**2])
FOUND_M = 0.2


@pytest.fixture
def car(street):
    """A car 15 m ahead, a little turned."""
    return street.box(15.0, 3.0, 0.15, CAR_SIZE)


def expected(box, off_m=(0.0, 0.0), covariance_m2=WELL_KNOWN_M2, object_class=ObjectClass.CAR):
    """A box that an answer told, to be looked for at some offset from where it is."""
    size = SizeBelief(object_class).anchored(object_class, box[3:6])
    xy = box[:2] + np.array(off_m)
    hint = LiftHint(HeadingBelief(float(box[6]), 4.0), size, xy, 0.3, anchored=True)
    return Expected(hint, xy, covariance_m2)


def follow(street, solids, *unseen, detections=None):
    """What a frame tells of objects that no detection shows."""
    detections = Detections2D.empty() if detections is None else detections
    scene = view_scene(street.sweep(solids), street.camera, detections)
    hints = [LiftHint.of_class(ObjectClass.CAR)] * len(detections)
    return lift_frame(detections, hints, scene, street.camera, unseen)


def assert_found(box, truth):
    """Two faces or one, and the middle where it is."""
    assert box.rung in {Rung.TWO_FACES, Rung.ONE_FACE}
    assert np.hypot(*(box.xy_velo - truth[:2])) < FOUND_M


@pytest.mark.parametrize("off_m", [(0.0, 0.0), (-0.5, 0.2), (0.5, -0.2)])
def test_a_car_that_no_detection_shows(street, car, off_m):
    """Its points alone give its box, wherever within the spread it was expected."""
    lifted = follow(street, [car], expected(car, off_m))
    assert lifted.seen == ()
    assert_found(lifted.followed[0], car)
    assert lifted.followed[0].box_velo[3:6] == pytest.approx(CAR_SIZE)


@pytest.mark.parametrize("ahead_m", [-2.5, 2.5])
def test_a_car_of_unknown_speed_is_found_along_the_road(street, ahead_m):
    """Where it would be if it stood, 2.5 m off, nothing is left of it; the spread says which way to look."""
    car = street.box(18.0, 3.0, 0.0, CAR_SIZE)
    assert_found(follow(street, [car], expected(car, (ahead_m, 0.0), SPEED_UNKNOWN_M2)).followed[0], car)
    assert follow(street, [car], expected(car, (0.0, 2.5), SPEED_UNKNOWN_M2)).followed == (None,)


def test_of_two_cars_in_reach_the_nearer_to_the_place(street):
    """One behind the other on the road, both within the spread of an unknown speed."""
    near, far = street.box(14.0, 3.0, 0.0, CAR_SIZE), street.box(20.0, 3.0, 0.0, CAR_SIZE)
    for car, off_m in ((near, 0.6), (far, -0.6)):
        lifted = follow(street, [near, far], expected(car, (off_m, 0.0), SPEED_UNKNOWN_M2))
        assert abs(lifted.followed[0].xy_velo[0] - car[0]) < FOUND_M


@pytest.mark.parametrize(
    "turn_deg",
    [
        pytest.param(90, id="across"),
        pytest.param(0, id="along"),
    ],
)
def test_a_wall_that_goes_on_is_not_followed(street, turn_deg):
    """Much of it lies beyond where the car may be, so that it is something else."""
    wall = street.box(15.0, 3.0, np.deg2rad(turn_deg), [40.0, 0.4, 2.5])
    just_told = expected(street.box(15.0, 3.0, 0.0, CAR_SIZE), covariance_m2=0.1**2 * np.eye(2))
    assert follow(street, [wall], just_told).followed == (None,)


def test_a_car_before_a_wall_is_followed(street, car):
    """The wall is a group of its own, a metre behind."""
    wall = street.box(15.0, 6.0, 0.15, [40.0, 0.4, 2.5])
    assert_found(follow(street, [car, wall], expected(car)).followed[0], car)


def test_nothing_there(street, car):
    """Bare ground shows no car; nor do the few points of a post."""
    post = street.box(15.0, 3.0, 0.0, [0.06, 0.06, 0.4])
    assert follow(street, [], expected(car)).followed == (None,)
    assert follow(street, [post], expected(car)).followed == (None,)


def test_what_a_detection_owns_is_not_taken_twice(street, car):
    """The car that the image shows is not the one that is looked for at its place."""
    lifted = follow(street, [car], expected(car), detections=street.detections([car]))
    assert np.hypot(*(lifted.seen[0].xy_velo - car[:2])) < 2 * FOUND_M
    assert lifted.followed == (None,)


def test_one_car_is_followed_once(street, car):
    """Of two objects looked for at one place the first gets the points."""
    first, second = follow(street, [car], expected(car), expected(car, (0.2, 0.0))).followed
    assert_found(first, car)
    assert second is None


def test_a_pedestrian_is_followed_by_its_middle(street):
    """No faces: around its points."""
    walker = street.box(10.0, -2.0, 0.0, [0.8, 0.65, 1.76])
    (box,) = follow(street, [walker], expected(walker, (0.3, 0.0), object_class=ObjectClass.PEDESTRIAN)).followed
    assert box.rung is Rung.CENTROID
    assert np.hypot(*(box.xy_velo - walker[:2])) < 0.35


def test_points_in_reach_by_hand(street, car):
    """Of points every 0.2 m along a side, those of the car; neither another group nor what is not free."""
    side = np.array([[13.0 + 0.2 * step, 2.2, -1.0] for step in range(20)], np.float32)
    beside = side + np.array([0.0, 4.0, 0.0], np.float32)
    points, free = np.concatenate([side, beside]).T, np.ones(40, np.bool_)
    straight = expected(street.box(15.0, 3.0, 0.0, CAR_SIZE))
    assert followed_points(straight, points, free).tolist() == list(range(20))
    free[4:] = False
    assert followed_points(straight, points, free).tolist() == []
