"""GNSS/IMU of a stated grade: the true motion plus errors that drift as those of real units do.

Errors of position, attitude and velocity are first-order Gauss-Markov processes: a standard deviation σ, and a
correlation time τ over which an error is forgotten. From one frame to the next, Δt later,

    eₖ₊₁ = φ·eₖ + σ·√(1 − φ²)·nₖ,   φ = exp(−Δt/τ),   e₀ = σ·n₋₁,   n standard normal,

so that two frames a tenth of a second apart share nearly all of their error, as with a real unit, and frames a minute
apart share little. What the accelerometers and gyroscopes themselves say has white noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.attitude import rotation_of
from vedette.datasets.navigation import NavigationFix
from vedette.datasets.synth.actors import Motion
from vedette.geometry import SE3, NDArrayFloat

_GRAVITY_M_S2: Final = np.array([0.0, 0.0, 9.81])
VELO_SE3_IMU: Final = SE3(np.eye(3), np.array([-0.81, 0.32, -0.8]))
"""Where KITTI's platform has the unit: behind, left of and below the LiDAR, with its axes parallel."""

_STEP_S: Final = 0.02
"""Half the span of the differences that velocity, acceleration and turn rates are taken from."""


@dataclass(frozen=True)
class NavigationGrade:
    """How good a GNSS/IMU unit is: standard deviations, and how long an error lasts.

    Args:
        name: for people.
        horizontal_m: of east and of north.
        vertical_m: of the height.
        tilt: of roll and of pitch, rad.
        heading: of yaw, rad.
        velocity_m_s: of each component.
        correlation_s: τ of all of these.
        force_m_s2: white noise of each accelerometer.
        rate_rad_s: white noise of each gyroscope.
    """

    name: str
    horizontal_m: float
    vertical_m: float
    tilt: float
    heading: float
    velocity_m_s: float
    correlation_s: float
    force_m_s2: float
    rate_rad_s: float

    @property
    def drift(self) -> NDArrayFloat:
        """``(9,)`` σ of east, north, up, roll, pitch, yaw and the three components of velocity."""
        position = [self.horizontal_m, self.horizontal_m, self.vertical_m]
        return np.array([*position, self.tilt, self.tilt, self.heading, *[self.velocity_m_s] * 3])


_DEG: Final = np.pi / 180
RTK_INS: Final = NavigationGrade(
    "RTK-corrected INS", 0.02, 0.03, 0.03 * _DEG, 0.1 * _DEG, 0.014, 60.0, force_m_s2=0.02, rate_rad_s=0.01 * _DEG
)
"""KITTI's unit, an OXTS RT3003 with RTK corrections: 2 cm, 0.03° in roll and pitch, 0.1° in heading, 0.05 km/h (data
sheet; Geiger et al., IJRR 2013, give 0.02 m / 0.1°)."""
STANDARD_GNSS: Final = NavigationGrade(
    "standard GNSS", 1.5, 3.0, 0.3 * _DEG, 0.5 * _DEG, 0.1, 60.0, force_m_s2=0.05, rate_rad_s=0.05 * _DEG
)
"""A receiver without corrections and an automotive IMU."""
PERFECT: Final = NavigationGrade("free of error", 0.0, 0.0, 0.0, 0.0, 0.0, 60.0, force_m_s2=0.0, rate_rad_s=0.0)


def velocity_m_s(motion: Motion, t_s: float) -> NDArrayFloat:
    """How fast something moves, free of error.

    Args:
        motion: of it, which covers 0.02 s before and after.
        t_s: seconds since the world's beginning.

    Returns:
        ``(3,)`` in world's axes.
    """
    step = motion.pose(t_s + _STEP_S).translation - motion.pose(t_s - _STEP_S).translation
    return np.asarray(step / (2 * _STEP_S))


class Navigator:
    """The unit on one vehicle.

    Args:
        motion: of the vehicle.
        actor_SE3_imu: where it sits on the vehicle.
        grade: how good it is.
        rng: draws its errors; those of a frame do not depend on `frame_count`.
        frame_count: frames from 0 that it will be asked about.
        period_s: from one frame to the next.
    """

    def __init__(
        self,
        motion: Motion,
        actor_SE3_imu: SE3,
        grade: NavigationGrade,
        rng: np.random.Generator,
        *,
        frame_count: int,
        period_s: float,
    ) -> None:
        self._motion = motion
        self._actor_SE3_imu = actor_SE3_imu
        self._grade = grade
        normals = rng.normal(size=(frame_count, 15))
        self._drift = gauss_markov(normals[:, :9], grade.drift, grade.correlation_s, period_s)
        self._noise = normals[:, 9:] * np.repeat([grade.force_m_s2, grade.rate_rad_s], 3)

    def fix(self, frame: int, t_s: float) -> NavigationFix:
        """What the unit says at a frame.

        Args:
            frame: its number, below the frame count.
            t_s: its time, which the motion covers from 0.02 s before to 0.02 s after.
        """
        before, now, after = (self._pose(t_s + shift) for shift in (-_STEP_S, 0.0, _STEP_S))
        drift, noise = self._drift[frame], self._noise[frame]
        velocity = (after.translation - before.translation) / (2 * _STEP_S)
        acceleration = (after.translation - 2 * now.translation + before.translation) / _STEP_S**2
        force = now.rotation.T @ (acceleration + _GRAVITY_M_S2)
        return NavigationFix(
            _drifted(now, drift[:6]),
            velocity + drift[6:],
            force + noise[:3],
            _rates(before, after) + noise[3:],
            self._grade.horizontal_m,
            self._grade.velocity_m_s,
        )

    def _pose(self, t_s: float) -> SE3:
        return self._motion.pose(t_s).compose(self._actor_SE3_imu)


def gauss_markov(normals: NDArrayFloat, sigmas: NDArrayFloat, correlation_s: float, period_s: float) -> NDArrayFloat:
    """Errors at successive frames; those of a frame follow from its normals and those before alone.

    Args:
        normals: (N, K) independent draws of the standard normal distribution.
        sigmas: (K,) standard deviations.
        correlation_s: τ, above 0.
        period_s: Δt.

    Returns:
        (N, K), of the units of `sigmas`.
    """
    keep = float(np.exp(-period_s / correlation_s))
    errors = normals.copy()
    for frame in range(1, len(errors)):
        errors[frame] = keep * errors[frame - 1] + np.sqrt(1.0 - keep**2) * normals[frame]
    return errors * sigmas


def _drifted(world_SE3_imu: SE3, drift: NDArrayFloat) -> SE3:
    """A pose shifted by (east, north, up), tilted by (roll, pitch) and turned by yaw."""
    roll, pitch, yaw = (float(angle) for angle in drift[3:])
    turned = rotation_of(0.0, 0.0, yaw) @ world_SE3_imu.rotation @ rotation_of(roll, pitch, 0.0)
    return SE3(turned, world_SE3_imu.translation + drift[:3])


def _rates(before: SE3, after: SE3) -> NDArrayFloat:
    """Turn rates about the body's axes: over this short span, the sine of the turn is the turn."""
    turn = before.rotation.T @ after.rotation
    sines = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    return np.asarray(sines / (2 * _STEP_S))
