"""The GNSS/IMU unit against motions that can be worked out by hand, and its errors against their stated size."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from vedette.datasets.synth.navigation import (
    PERFECT,
    RTK_INS,
    STANDARD_GNSS,
    NavigationGrade,
    Navigator,
    gauss_markov,
    velocity_m_s,
)
from vedette.geometry import SE3


@dataclass(frozen=True)
class Circle:
    """Counter-clockwise around the origin, the nose along the way."""

    radius_m: float = 20.0
    rate_rad_s: float = 0.5
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        angle = self.rate_rad_s * t_s
        place = self.radius_m * np.array([np.cos(angle), np.sin(angle), 0.0])
        return SE3.from_yaw(angle + np.pi / 2, place)


def navigator(grade: NavigationGrade, frame_count: int = 20, *, seed: int = 3, imu: SE3 | None = None) -> Navigator:
    rng = np.random.default_rng([seed, 1])
    return Navigator(Circle(), imu or SE3.identity(), grade, rng, frame_count=frame_count, period_s=0.1)


def test_perfect_unit_on_a_circle() -> None:
    """At 10 m/s and 0.5 rad/s: 5 m/s² to the left, and gravity's reaction upward."""
    fix = navigator(PERFECT).fix(9, 1.0)
    np.testing.assert_allclose(fix.world_SE3_imu.matrix, Circle().pose(1.0).matrix, atol=1e-12)
    forward = Circle().pose(1.0).rotation[:, 0]
    np.testing.assert_allclose(fix.velocity_world_m_s, 10.0 * forward, atol=1e-3)
    np.testing.assert_allclose(fix.specific_force_imu_m_s2, [0.0, 5.0, 9.81], atol=1e-3)
    np.testing.assert_allclose(fix.rates_imu_rad_s, [0.0, 0.0, 0.5], atol=1e-4)
    np.testing.assert_allclose(velocity_m_s(Circle(), 1.0), 10.0 * forward, atol=1e-3)


def test_unit_beside_the_origin() -> None:
    """It moves as its own place on the vehicle does: 2 m farther in, a tenth slower."""
    fix = navigator(PERFECT, imu=SE3(np.eye(3), np.array([0.0, 2.0, 1.0]))).fix(9, 1.0)
    assert np.linalg.norm(fix.velocity_world_m_s) == pytest.approx(9.0, abs=1e-3)
    assert fix.world_SE3_imu.translation[2] == 1.0


@pytest.mark.parametrize("grade", [RTK_INS, STANDARD_GNSS])
def test_errors_have_the_stated_size(grade: NavigationGrade) -> None:
    """Over many drives, position, heading and velocity are off by their standard deviations, to a seventh."""
    truth = Circle().pose(1.0)
    fixes = [navigator(grade, seed=seed).fix(9, 1.0) for seed in range(400)]
    offsets = np.array([fix.world_SE3_imu.translation - truth.translation for fix in fixes])
    expected = [grade.horizontal_m, grade.horizontal_m, grade.vertical_m]
    np.testing.assert_allclose(offsets.std(axis=0), expected, rtol=0.15)
    turns = np.array([(truth.rotation.T @ fix.world_SE3_imu.rotation)[1, 0] for fix in fixes])
    assert turns.std() == pytest.approx(grade.heading, rel=0.15)
    velocities = np.array([fix.velocity_world_m_s for fix in fixes])
    np.testing.assert_allclose(velocities.std(axis=0), grade.velocity_m_s, rtol=0.15)


def test_errors_drift() -> None:
    """From one frame to the next they hardly change; after τ, the correlation is 1/e."""
    sigma, tau_s = 2.0, 10.0
    normals = np.random.default_rng(0).normal(size=(400, 500))
    errors = gauss_markov(normals, np.full(500, sigma), tau_s, 0.1)
    assert errors[300].std() == pytest.approx(sigma, rel=0.1)
    assert (errors[301] - errors[300]).std() == pytest.approx(sigma * np.sqrt(2 * (1 - np.exp(-0.01))), rel=0.1)
    correlation = float(np.corrcoef(errors[300], errors[200])[0, 1])
    assert correlation == pytest.approx(np.exp(-1), abs=0.1)


def test_errors_do_not_depend_on_what_comes_after() -> None:
    """A longer drive begins the same, bit for bit; and it does not matter in which order frames are asked for."""
    short, long = navigator(RTK_INS, 5), navigator(RTK_INS, 50)
    backwards = {frame: long.fix(frame, 0.1 * (frame + 1)) for frame in reversed(range(5))}
    for frame in range(5):
        fix = short.fix(frame, 0.1 * (frame + 1))
        np.testing.assert_array_equal(fix.world_SE3_imu.matrix, backwards[frame].world_SE3_imu.matrix)
        np.testing.assert_array_equal(fix.rates_imu_rad_s, backwards[frame].rates_imu_rad_s)


def test_stated_accuracy() -> None:
    """The record says how good it is."""
    fix = navigator(replace(RTK_INS, horizontal_m=0.5)).fix(0, 0.1)
    assert (fix.position_sd_m, fix.velocity_sd_m_s) == (0.5, RTK_INS.velocity_m_s)
