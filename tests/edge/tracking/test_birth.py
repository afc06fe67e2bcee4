"""How fast a thing may be that was seen once."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.birth import newborn
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

CAR, WALKER = ObjectClass.CAR, ObjectClass.PEDESTRIAN
XY, R = np.array([30.0, -4.0]), np.diag([0.04, 0.01])


@pytest.fixture
def born(street):
    """The motion of an object first seen from an ego at a speed."""
    return lambda kind, *velocity: newborn(XY, R, kind, Viewpoint(0, SE3.identity(), street.camera, np.array(velocity)))


def test_it_stands_where_it_was_seen(born):
    """At rest until shown otherwise, as sure of its place as the measurement."""
    motion = born(CAR, 20.0, 0.0)
    assert motion.mean == pytest.approx([30.0, -4.0, 0.0, 0.0, 0.0])
    assert motion.covariance[:2, :2] == pytest.approx(R)
    assert not motion.moving


@pytest.mark.parametrize(
    ("kind", "velocity"),
    [
        pytest.param(CAR, (0.0, 0.0), id="a car, we stand"),
        pytest.param(CAR, (4.0, 0.0), id="a car, we crawl"),
        pytest.param(WALKER, (30.0, 0.0), id="a person beside a motorway"),
    ],
)
def test_without_traffic_the_class_tells(born, kind, velocity):
    """The same in every direction."""
    assert born(kind, *velocity).covariance[2:4, 2:4] == pytest.approx(prior(kind).speed_sigma_mps ** 2 * np.eye(2))


@pytest.mark.parametrize("angle", [0.0, 0.6, np.pi / 2, -2.0])
def test_traffic_goes_along_the_road(born, angle):
    """At 30 m/s a car may go or come nearly as fast along our course; across it, no faster than its like."""
    course = np.array([np.cos(angle), np.sin(angle)])
    spread = born(CAR, *(30.0 * course)).covariance[2:4, 2:4]
    across = np.array([-course[1], course[0]])
    assert 15.0 < np.sqrt(course @ spread @ course) < 30.0
    assert np.sqrt(across @ spread @ across) == pytest.approx(prior(CAR).speed_sigma_mps)
    assert course @ spread @ across == pytest.approx(0.0, abs=1e-9)


def test_two_sights_of_the_car_ahead_tell_its_speed(born):
    """At 25 m/s, seen 0.1 s apart: the second sight is no surprise, and most of the speed is known at once."""
    motion = born(CAR, 25.0, 0.0).predicted(0.1, 2.5)
    second = XY + np.array([2.5, 0.0])
    assert motion.surprise(second, R) < 9.2
    assert motion.updated(second, R).velocity[0] > 18.0


def test_what_was_seen_late_is_told_once_its_speed_is_known(street):
    """20 m/s, seen 25 ms after two frames: two sights 2 m apart tell the speed, and that it was 0.5 m behind each."""
    view = Viewpoint(0, SE3.identity(), street.camera, np.array([30.0, 0.0]))
    first = newborn(np.array([30.5, -4.0]), 1e-6 * np.eye(2), CAR, view, lag_s=0.025)
    assert first.xy == pytest.approx([30.5, -4.0])
    second = first.predicted(0.1, 0.01).updated(np.array([32.5, -4.0]), 1e-6 * np.eye(2), lag_s=0.025)
    assert second.velocity == pytest.approx([20.0, 0.0], abs=0.1)
    assert second.xy == pytest.approx([32.0, -4.0], abs=0.02)
