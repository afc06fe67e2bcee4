"""Where an object is over ground and where it goes: an extended Kalman filter of nearly constant turn rate.

State ``[x, y, vx, vy, turn rate]`` in the world frame. The process noise is white acceleration (Bar-Shalom, Li,
Kirubarajan, Estimation with Applications to Tracking and Navigation, 2001, sections 6.2.2 and 11.7). Turns end: the
rate is a Gauss-Markov process, which fades within seconds to none, and whose spread, unlike that of a random walk,
stays what drivers do, however long the object is unseen. What does not move does not turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.edge.tracking.turning import tightest_turn_radps, turned
from vedette.geometry import NDArrayFloat

_MOVING_SPEED_MPS: Final = 1.0
_MOVING_SIGMAS: Final = 4.0
# a turn lasts some seconds
_TURN_MEMORY_S: Final = 3.0
# of the tightest turn: spread of what is driven
_TURN_SHARE: Final = 0.4
# of the acceleration's spread: what is left of it across the course, turns being known as such
_ACROSS_SHARE: Final = 0.4
_IDENTITY: Final = np.eye(5)


@dataclass(frozen=True)
class Motion:
    """Estimate of position, velocity and rate of turn.

    Args:
        mean: ``(5,)`` x, y in metres, vx, vy in m/s, and rad/s counter-clockwise, world frame.
        covariance: ``(5,5)``.
    """

    mean: NDArrayFloat
    covariance: NDArrayFloat

    @classmethod
    def at(
        cls, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat, speed_covariance: NDArrayFloat, lag_s: float = 0.0
    ) -> Motion:
        """An object seen for the first time, at rest until shown otherwise.

        Args:
            xy_world: ``(2,)`` metres.
            covariance_m2: ``(2,2)`` of the position.
            speed_covariance: ``(2,2)`` of the unknown velocity, m²/s².
            lag_s: how long after the estimate's time it was seen there; before it where negative. Once the velocity is
                learned, it tells how far the object was from there at that time.
        """
        covariance = np.zeros((5, 5))
        covariance[:2, :2] = covariance_m2 + lag_s**2 * speed_covariance
        covariance[2:4, 2:4] = speed_covariance
        covariance[:2, 2:4] = covariance[2:4, :2] = -lag_s * speed_covariance
        return cls(np.array([xy_world[0], xy_world[1], 0.0, 0.0, 0.0]), covariance)

    @property
    def xy(self) -> NDArrayFloat:
        """``(2,)`` position."""
        return self.mean[:2]

    @property
    def velocity(self) -> NDArrayFloat:
        """``(2,)`` m/s."""
        return self.mean[2:4]

    @property
    def turn_rate_radps(self) -> float:
        """How fast the velocity turns, counter-clockwise."""
        return self.mean.item(4)

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
        (a, b), (_, d) = self.covariance[2:4, 2:4].tolist()
        return math.sqrt((a + d) / 2 + math.hypot((a - d) / 2, b))

    @property
    def moving(self) -> bool:
        """Whether it surely moves: faster than pose noise explains, by far.

        A false yes would turn a parked car into the direction of its jitter.
        """
        vx, vy = self.velocity.tolist()
        speed_squared = vx * vx + vy * vy
        if speed_squared < _MOVING_SPEED_MPS**2:
            return False
        (a, b), (_, d) = self.covariance[2:4, 2:4].tolist()
        # along the course the variance is v C v / |v|^2
        return bool(speed_squared**2 > _MOVING_SIGMAS**2 * (vx * vx * a + 2 * vx * vy * b + vy * vy * d))

    def predicted(self, duration_s: float, acceleration_sigma_mps2: float) -> Motion:
        """The estimate some time later.

        Args:
            duration_s: at least 0.
            acceleration_sigma_mps2: spread of the unknown acceleration.
        """
        mean, jacobian = turned(self.mean, duration_s)
        kept = math.exp(-duration_s / _TURN_MEMORY_S)
        mean[4] *= kept
        jacobian[4, 4] = kept
        noise = _noise(self, duration_s, acceleration_sigma_mps2**2)
        return Motion(mean, jacobian @ self.covariance @ jacobian.T + noise)

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
        residue = _IDENTITY.copy()
        residue[:, :2] -= gain
        residue[:, 2:4] -= lag_s * gain
        covariance = residue @ self.covariance @ residue.T + gain @ covariance_m2 @ gain.T
        mean = self.mean + gain @ (xy_world - self.xy_after(lag_s))
        mean[4] = _drivable(mean)
        return Motion(mean, covariance)

    def xy_after(self, lag_s: float) -> NDArrayFloat:
        """``(2,)`` position a moment later, which is too short for a turn to show."""
        later: NDArrayFloat = self.mean[:2] + lag_s * self.mean[2:4]
        return later

    def moved_to(self, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat) -> Motion:
        """The same velocity and turn at another place: where the object is was wrong, not how it moves.

        Args:
            xy_world: ``(2,)`` metres.
            covariance_m2: ``(2,2)`` of that place.
        """
        covariance = np.zeros((5, 5))
        covariance[:2, :2] = covariance_m2
        covariance[2:, 2:] = self.covariance[2:, 2:]
        return Motion(np.concatenate([xy_world, self.mean[2:]]), covariance)

    def surprise(self, xy_world: NDArrayFloat, covariance_m2: NDArrayFloat, lag_s: float = 0.0) -> float:
        """Squared Mahalanobis distance of a measured position; 9.2 is exceeded by one in a hundred."""
        offset = xy_world - self.xy_after(lag_s)
        return float(offset @ _inverse(self._innovation(covariance_m2, lag_s)[1]) @ offset)

    def _innovation(self, covariance_m2: NDArrayFloat, lag_s: float) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(2,5)`` covariance of the measured position with the state, and ``(2,2)`` of the innovation."""
        spread = self.covariance[:2] + lag_s * self.covariance[2:4]
        return spread, spread[:, :2] + lag_s * spread[:, 2:4] + covariance_m2


def _noise(motion: Motion, duration_s: float, acceleration_variance: float) -> NDArrayFloat:
    """``(5,5)`` what unknown acceleration and steering add to the covariance.

    Of what moves the acceleration is mostly along the course; of what stands nothing is known, but that it does not
    turn.
    """
    along = across = acceleration_variance
    cos, sin, steering = 1.0, 0.0, 0.0
    if motion.moving:
        vx, vy = motion.velocity.tolist()
        speed_mps = math.hypot(vx, vy)
        cos, sin = vx / speed_mps, vy / speed_mps
        across *= _ACROSS_SHARE**2
        steering = (_TURN_SHARE * tightest_turn_radps(speed_mps)) ** 2 * -math.expm1(-2 * duration_s / _TURN_MEMORY_S)
    xx, xy, yy = along * cos**2 + across * sin**2, (along - across) * cos * sin, along * sin**2 + across * cos**2
    far, both, fast = duration_s**4 / 4, duration_s**3 / 2, duration_s**2
    return np.array(
        [
            [far * xx, far * xy, both * xx, both * xy, 0.0],
            [far * xy, far * yy, both * xy, both * yy, 0.0],
            [both * xx, both * xy, fast * xx, fast * xy, 0.0],
            [both * xy, both * yy, fast * xy, fast * yy, 0.0],
            [0.0, 0.0, 0.0, 0.0, steering],
        ]
    )


def _drivable(mean: NDArrayFloat) -> float:
    """The turn rate of a state, within what its speed allows."""
    _, _, vx, vy, rate = mean.tolist()
    limit = tightest_turn_radps(math.hypot(vx, vy))
    return float(max(-limit, min(limit, rate)))


def _inverse(matrix: NDArrayFloat) -> NDArrayFloat:
    """Of a ``(2,2)`` matrix; a fifth of the time of the general way."""
    (a, b), (c, d) = matrix.tolist()
    determinant = a * d - b * c
    return np.array([[d / determinant, -b / determinant], [-c / determinant, a / determinant]])
