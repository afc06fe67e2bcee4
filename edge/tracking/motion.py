"""Where an object is over ground and where it goes: a Kalman filter of constant velocity.

State ``[x, y, vx, vy]`` in the world frame. The process noise is white acceleration (Bar-Shalom, Li, Kirubarajan,
Estimation with Applications to Tracking and Navigation, 2001, section 6.2.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat

_MOVING_SPEED_MPS: Final = 1.0
_MOVING_SIGMAS: Final = 4.0
_IDENTITY: Final = np.eye(4)


@dataclass(frozen=True)
class Motion:
    """Estimate of position and velocity.

    Args:
        mean: ``(4,)`` x, y in metres and vx, vy in m/s, world frame.
        covariance: ``(4,4)``.
    """

    mean: NDArrayFloat
    covariance: NDArrayFloat

    @classmethod
    def at(cls, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat, speed_covariance: NDArrayFloat) -> Motion:
        """An object seen for the first time, at rest until shown otherwise.

        Args:
            xy_world: ``(2,)`` metres.
            covariance_m2: ``(2,2)`` of the position.
            speed_covariance: ``(2,2)`` of the unknown velocity, m²/s².
        """
        covariance = np.zeros((4, 4))
        covariance[:2, :2] = covariance_m2
        covariance[2:, 2:] = speed_covariance
        return cls(np.array([xy_world[0], xy_world[1], 0.0, 0.0]), covariance)

    @property
    def xy(self) -> NDArrayFloat:
        """``(2,)`` position."""
        return self.mean[:2]

    @property
    def velocity(self) -> NDArrayFloat:
        """``(2,)`` m/s."""
        return self.mean[2:]

    @property
    def course(self) -> float:
        """Direction of the velocity, rad."""
        return math.atan2(self.mean[3], self.mean[2])

    @property
    def position_sigma_m(self) -> float:
        """Spread of the position in the worse direction."""
        (a, b), (_, d) = self.covariance[:2, :2].tolist()
        return math.sqrt((a + d) / 2 + math.hypot((a - d) / 2, b))

    @property
    def speed_sigma_mps(self) -> float:
        """Spread of the velocity in the worse direction."""
        (a, b), (_, d) = self.covariance[2:, 2:].tolist()
        return math.sqrt((a + d) / 2 + math.hypot((a - d) / 2, b))

    @property
    def moving(self) -> bool:
        """Whether it surely moves: faster than pose noise explains, by far.

        A false yes would turn a parked car into the direction of its jitter.
        """
        speed = float(np.hypot(self.mean[2], self.mean[3]))
        if speed < _MOVING_SPEED_MPS:
            return False
        along = self.velocity / speed
        return speed > _MOVING_SIGMAS * float(np.sqrt(along @ self.covariance[2:, 2:] @ along))

    def predicted(self, duration_s: float, acceleration_sigma_mps2: float) -> Motion:
        """The estimate some time later.

        Args:
            duration_s: at least 0.
            acceleration_sigma_mps2: spread of the unknown acceleration.
        """
        transition = _IDENTITY.copy()
        transition[0, 2] = transition[1, 3] = duration_s
        far, fast = duration_s**2 / 2 * acceleration_sigma_mps2, duration_s * acceleration_sigma_mps2
        covariance = transition @ self.covariance @ transition.T
        covariance += [
            [far**2, 0, far * fast, 0],
            [0, far**2, 0, far * fast],
            [far * fast, 0, fast**2, 0],
            [0, far * fast, 0, fast**2],
        ]
        return Motion(transition @ self.mean, covariance)

    def updated(self, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat, lag_s: float = 0.0) -> Motion:
        """The estimate after a measured position.

        Args:
            xy_world: ``(2,)`` metres.
            covariance_m2: ``(2,2)`` of the measurement.
            lag_s: how long after the estimate's time it was measured; before it where negative.
        """
        spread, innovation_covariance = self._innovation(covariance_m2, lag_s)
        gain = spread.T @ _inverse(innovation_covariance)
        # Joseph's form stays symmetric and positive over long tracks
        residue = _IDENTITY - gain @ _looking(lag_s)
        covariance = residue @ self.covariance @ residue.T + gain @ covariance_m2 @ gain.T
        return Motion(self.mean + gain @ (xy_world - self.xy_after(lag_s)), covariance)

    def xy_after(self, lag_s: float) -> NDArrayFloat:
        """``(2,)`` position a moment later."""
        later: NDArrayFloat = self.mean[:2] + lag_s * self.mean[2:]
        return later

    def moved_to(self, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat) -> Motion:
        """The same velocity at another place: where the object is was wrong, not how it moves.

        Args:
            xy_world: ``(2,)`` metres.
            covariance_m2: ``(2,2)`` of that place.
        """
        covariance = np.zeros((4, 4))
        covariance[:2, :2] = covariance_m2
        covariance[2:, 2:] = self.covariance[2:, 2:]
        return Motion(np.concatenate([xy_world, self.mean[2:]]), covariance)

    def surprise(self, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat, lag_s: float = 0.0) -> float:
        """Squared Mahalanobis distance of a measured position; 9.2 is exceeded by one in a hundred."""
        offset = xy_world - self.xy_after(lag_s)
        return float(offset @ _inverse(self._innovation(covariance_m2, lag_s)[1]) @ offset)

    def _innovation(self, covariance_m2: NDArrayFloat, lag_s: float) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(2,4)`` covariance of the measured position with the state, and ``(2,2)`` of the innovation."""
        looking = _looking(lag_s)
        spread = looking @ self.covariance
        return spread, spread @ looking.T + covariance_m2


def _looking(lag_s: float) -> NDArrayFloat:
    """``(2,4)`` which part of the state a position shows that is measured a moment later."""
    looking = np.eye(2, 4)
    looking[0, 2] = looking[1, 3] = lag_s
    return looking


def _inverse(matrix: NDArrayFloat) -> NDArrayFloat:
    """Of a ``(2,2)`` matrix; a fifth of the time of the general way."""
    (a, b), (c, d) = matrix.tolist()
    determinant = a * d - b * c
    return np.array([[d / determinant, -b / determinant], [-c / determinant, a / determinant]])
