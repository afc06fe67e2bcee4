"""The Kalman filter of constant velocity."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.tracking.motion import Motion

R = 0.04 * np.eye(2)


def test_first_sight_stands_still():
    """Position as measured, speed zero with its spread."""
    motion = Motion.at(np.array([3.0, 4.0]), R, 25.0 * np.eye(2))
    assert motion.mean == pytest.approx([3, 4, 0, 0])
    assert np.diag(motion.covariance) == pytest.approx([0.04, 0.04, 25, 25])


def test_prediction_by_hand():
    """10 m/s for half a second are 5 m; acceleration 2 m/s2 adds (2 * 0.125)^2 to the position's variance."""
    motion = Motion(np.array([0.0, 0.0, 10.0, 0.0]), np.zeros((4, 4))).predicted(0.5, 2.0)
    assert motion.mean == pytest.approx([5, 0, 10, 0])
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
    """Place and its spread are new; velocity and its spread are not; nothing links the two."""
    motion = Motion(np.array([0.0, 0.0, 8.0, 1.0]), np.diag([9.0, 9.0, 0.25, 0.04]) + 0.01)
    moved = motion.moved_to(np.array([5.0, 2.0]), R)
    assert moved.mean == pytest.approx([5.0, 2.0, 8.0, 1.0])
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
