"""The Kalman filter of nearly constant turn rate."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.tracking.motion import Motion

R = 0.04 * np.eye(2)
# of a place measured well
GOOD = 0.01 * np.eye(2)


def test_first_sight_stands_still():
    """Position as measured, speed zero with its spread, and surely no turn."""
    motion = Motion.at(np.array([3.0, 4.0]), R, 25.0 * np.eye(2))
    assert motion.mean == pytest.approx([3, 4, 0, 0, 0])
    assert np.diag(motion.covariance) == pytest.approx([0.04, 0.04, 25, 25, 0])


def test_prediction_by_hand():
    """10 m/s for half a second are 5 m; acceleration 2 m/s2 adds (2 * 0.125)^2 to the position's variance."""
    motion = Motion(np.array([0.0, 0.0, 10.0, 0.0, 0.0]), np.zeros((5, 5))).predicted(0.5, 2.0)
    assert motion.mean == pytest.approx([5, 0, 10, 0, 0])
    assert motion.covariance[0, 0] == pytest.approx((2.0 * 0.125) ** 2)
    assert motion.covariance[2, 2] == pytest.approx(1.0)


def test_update_by_hand():
    """Equal variances: the mean moves halfway and the variance halves."""
    motion = Motion.at(np.zeros(2), R, np.eye(2)).updated(np.array([1.0, -1.0]), R)
    assert motion.xy == pytest.approx([0.5, -0.5])
    assert np.diag(motion.covariance)[:2] == pytest.approx([0.02, 0.02])


def test_speed_is_learnt():
    """From exact positions every 0.1 s of a car at 8 m/s: within 0.1 m/s after a second, and moving."""
    motion = Motion.at(np.zeros(2), R, 25.0 * np.eye(2))
    for step in range(1, 21):
        motion = motion.predicted(0.1, 1.0).updated(np.array([0.8 * step, 0.0]), R)
    assert motion.velocity == pytest.approx([8.0, 0.0], abs=0.1)
    assert motion.moving
    assert motion.course == pytest.approx(0.0, abs=0.01)


def test_jitter_is_not_motion():
    """A parked car whose measured place jitters by 0.2 m never counts as moving."""
    rng = np.random.default_rng(3)
    motion = Motion.at(np.zeros(2), R, 25.0 * np.eye(2))
    for _ in range(200):
        motion = motion.predicted(0.1, 1.0).updated(rng.normal(0, 0.2, 2), R)
        assert not motion.moving


def test_covariance_stays_sound():
    """After thousands of steps the covariance is symmetric and positive."""
    motion = Motion.at(np.zeros(2), R, 25.0 * np.eye(2))
    for step in range(3000):
        motion = motion.predicted(0.1, 2.0).updated(np.array([0.3 * step, 0.0]), R)
    assert motion.covariance == pytest.approx(motion.covariance.T, abs=1e-12)
    assert np.linalg.eigvalsh(motion.covariance).min() > 0


def test_surprise():
    """Two sigma of the sum of both variances, squared, are four."""
    motion = Motion.at(np.zeros(2), R, np.eye(2))
    assert motion.surprise(np.array([2 * np.sqrt(0.08), 0.0]), R) == pytest.approx(4.0)
    assert motion.position_sigma_m == pytest.approx(0.2)


def test_a_new_place_keeps_the_velocity():
    """Place and its spread are new; velocity, turn and their spread are not; nothing links the two."""
    motion = Motion(np.array([0.0, 0.0, 8.0, 1.0, 0.1]), np.diag([9.0, 9.0, 0.25, 0.04, 0.01]) + 0.01)
    moved = motion.moved_to(np.array([5.0, 2.0]), R)
    assert moved.mean == pytest.approx([5.0, 2.0, 8.0, 1.0, 0.1])
    assert moved.covariance[:2, :2] == pytest.approx(R)
    assert moved.covariance[2:, 2:] == pytest.approx(motion.covariance[2:, 2:])
    assert not moved.covariance[:2, 2:].any()


def test_spread_of_the_speed_is_that_of_the_worse_direction():
    """4 m/s along a slanted course, 1 m/s across it."""
    course, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    spread = 16.0 * np.outer(course, course) + np.outer(across, across)
    assert Motion.at(np.zeros(2), R, spread).speed_sigma_mps == pytest.approx(4.0)


def test_no_lag_is_the_plain_update():
    """A position measured at the estimate's own time, said or not."""
    motion = Motion.at(np.zeros(2), R, 25.0 * np.eye(2)).predicted(0.1, 2.0)
    place = np.array([1.0, -2.0])
    plain, said = motion.updated(place, R), motion.updated(place, R, 0.0)
    assert np.array_equal(plain.mean, said.mean)
    assert np.array_equal(plain.covariance, said.covariance)
    assert motion.surprise(place, R) == motion.surprise(place, R, 0.0)
    assert motion.xy_after(0.0) == pytest.approx(motion.xy)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_lagging_update_by_hand(way):
    """At rest at 0, variances 1 m2 and 4 m2/s2; half a second later, or before, it is at 4 m, variance 2 m2.

    Half a second off the place has a variance of 1 + 4 / 4 = 2, and one of 2 with the measurement's is 4. A quarter of
    the 4 m is position, and twice that, by the time's sign, is speed: 0.5 * 4 / 4 for each metre.
    """
    motion = Motion.at(np.zeros(2), np.eye(2), 4.0 * np.eye(2))
    place, spread, lag_s = np.array([4.0, 0.0]), 2.0 * np.eye(2), 0.5 * way
    updated = motion.updated(place, spread, lag_s)
    assert updated.xy == pytest.approx([1.0, 0.0])
    assert updated.velocity == pytest.approx([2.0 * way, 0.0])
    assert updated.covariance[0, 0] == pytest.approx(1.0 - 1.0 / 4)
    assert updated.covariance[2, 2] == pytest.approx(4.0 - 4.0 / 4)
    assert updated.covariance[0, 2] == pytest.approx(-way * 2.0 / 4)
    assert motion.surprise(place, spread, lag_s) == pytest.approx(16.0 / 4)
    assert updated.xy_after(lag_s) == pytest.approx([2.0, 0.0])


class ConstantVelocity:
    """The textbook's filter, one axis like the other, to compare with."""

    def __init__(self):
        self.state, self.spread = np.zeros((2, 2)), np.diag([GOOD[0, 0], 25.0])

    def step(self, place, acceleration):
        flow, push = np.array([[1.0, 0.1], [0.0, 1.0]]), acceleration * np.array([0.005, 0.1])
        self.spread = flow @ self.spread @ flow.T + np.outer(push, push)
        gain = self.spread[:, 0] / (self.spread[0, 0] + GOOD[0, 0])
        self.state = flow @ self.state
        self.state += np.outer(gain, place - self.state[0])
        self.spread -= np.outer(gain, self.spread[0])

    def ahead(self, duration_s):
        return self.state[0] + duration_s * self.state[1]


def drive_round_a_corner(speed_mps, radius_m):
    """Places every 0.1 s, summed up in steps of a millisecond: two seconds straight on, a quarter to the left, on.

    Returns:
        Places ``(N,2)``, and from which to which row the car turns.
    """
    turn_s = np.pi / 2 * radius_m / speed_mps
    time_s = np.arange(0.0, 3.5 + turn_s, 1e-3)
    course = np.clip((time_s + 5e-4 - 2.0) / turn_s, 0.0, 1.0) * np.pi / 2
    steps = 1e-3 * speed_mps * np.stack([np.cos(course), np.sin(course)], axis=1)
    places = np.vstack([np.zeros((1, 2)), np.cumsum(steps, axis=0)])[::100]
    return places, 20, 20 + int(10 * turn_s)


def followed(places, acceleration=2.5):
    """The motion after each of the places, ten a second."""
    motions = [Motion.at(places[0], GOOD, 25.0 * np.eye(2))]
    for place in places[1:]:
        motions.append(motions[-1].predicted(0.1, acceleration).updated(place, GOOD))
    return motions


@pytest.mark.parametrize(("speed_mps", "radius_m"), [(5.0, 6.0), (6.0, 7.6), (8.0, 12.0), (10.0, 20.0)])
def test_round_a_corner_it_foresees_better(speed_mps, radius_m):
    """0.3 s ahead, at each moment of the turn: less than half the error of constant velocity."""
    places, begins, ends = drive_round_a_corner(speed_mps, radius_m)
    plain, errors = ConstantVelocity(), []
    for row, motion in enumerate(followed(places)[:ends]):
        if row:
            plain.step(places[row], 2.5)
        if row >= begins:
            foreseen = motion.predicted(0.3, 2.5).xy, plain.ahead(0.3)
            errors.append([np.hypot(*(xy - places[row + 3])) for xy in foreseen])
    turning_m, plain_m = np.mean(errors, axis=0)
    assert plain_m > 0.3
    assert turning_m < 0.5 * plain_m


def test_the_turn_is_learnt_and_forgotten():
    """At the end of three seconds at 0.5 rad/s it is known to a fourth; a second and a half later half is gone."""
    places, begins, ends = drive_round_a_corner(8.0, 16.0)
    motions = followed(places)
    assert abs(motions[begins].turn_rate_radps) < 1e-3
    assert motions[ends].turn_rate_radps == pytest.approx(0.5, rel=0.25)
    assert abs(motions[-1].turn_rate_radps) < 0.25


def test_what_stands_does_not_turn():
    """However its place jitters: its rate is zero, and known to be."""
    rng = np.random.default_rng(5)
    for motion in followed(rng.normal(0, 0.2, (200, 2)), 1.0):
        assert motion.turn_rate_radps == 0.0
        assert motion.covariance[4, 4] == 0.0


def test_straight_traffic_does_not_turn():
    """A second or more after it was first seen, at 25 m/s and 0.1 m of noise: less than 0.1 rad/s, nearly always."""
    rng = np.random.default_rng(6)
    places = np.stack([2.5 * np.arange(300), np.zeros(300)], axis=1) + rng.normal(0, 0.1, (300, 2))
    rates = np.array([motion.turn_rate_radps for motion in followed(places)[10:]])
    assert np.quantile(np.abs(rates), 0.95) < 0.1


def test_nothing_turns_faster_than_it_can():
    """A place far to the side would be a turn of 10 m/s2; half of that is believed."""
    motion = Motion(np.array([0.0, 0.0, 10.0, 0.0, 0.0]), np.diag([0.01, 0.01, 0.01, 0.01, 4.0]))
    motion = motion.predicted(0.5, 1.0).updated(np.array([4.8, 2.0]), 0.01 * np.eye(2))
    assert motion.turn_rate_radps * np.hypot(*motion.velocity) == pytest.approx(5.0)


def test_unseen_it_ends_its_turn():
    """After ten seconds it goes straight on at its old speed, and its rate is no less known than that of its like."""
    motion = Motion(np.array([0.0, 0.0, 8.0, 0.0, 0.5]), 0.01 * np.eye(5))
    for _ in range(100):
        motion = motion.predicted(0.1, 0.2)
    assert abs(motion.turn_rate_radps) < 0.05
    assert np.hypot(*motion.velocity) == pytest.approx(8.0)
    assert motion.covariance[4, 4] < 0.25**2


def test_acceleration_is_along_the_course():
    """Going up a slanted road, an unknown push spreads the velocity along it more than across; at rest every way."""
    course, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    driving = Motion(np.array([0.0, 0.0, *(5.0 * course), 0.0]), np.zeros((5, 5))).predicted(0.1, 2.0)
    assert course @ driving.covariance[2:4, 2:4] @ course == pytest.approx(0.2**2)
    assert across @ driving.covariance[2:4, 2:4] @ across < 0.15**2
    resting = Motion(np.zeros(5), np.zeros((5, 5))).predicted(0.1, 2.0)
    assert resting.covariance[2:4, 2:4] == pytest.approx(0.2**2 * np.eye(2))
