"""How drivers keep their distance: the Intelligent Driver Model (Treiber, Hennecke, Helbing, Phys. Rev. E 62, 2000).

a = a₀ · (1 − (v / v₀)⁴ − (s* / s)²),   s* = s₀ + v·T + v·Δv / (2·√(a₀·b))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

HARDEST_M_S2: Final = 5.5
"""Nobody brakes harder."""

SETTLING_S: Final = 0.8
"""In which a driver sheds what he is too fast."""

_GENTLE_M_S2: Final = 3.0  # with which at most


@dataclass(frozen=True)
class Driver:
    """How somebody drives.

    Args:
        speed_factor: wish, as a share of the limit.
        headway_s: T, time to the vehicle ahead.
        gap_m: s₀, distance to it in a queue.
        acceleration_m_s2: a₀.
        braking_m_s2: b, comfortable.
    """

    speed_factor: float = 1.0
    headway_s: float = 1.2
    gap_m: float = 2.0
    acceleration_m_s2: float = 1.6
    braking_m_s2: float = 2.0

    @classmethod
    def draw(cls, rng: np.random.Generator, *, is_heavy: bool) -> Driver:
        """Somebody from the street.

        Args:
            rng: of the temper.
            is_heavy: of a truck or bus.
        """
        return cls(
            speed_factor=float(rng.uniform(0.8, 0.9) if is_heavy else rng.uniform(0.85, 1.08)),
            headway_s=float(rng.uniform(0.9, 1.6)),
            gap_m=float(rng.uniform(1.6, 3.0)),
            acceleration_m_s2=float(rng.uniform(0.7, 1.0) if is_heavy else rng.uniform(1.2, 2.2)),
            braking_m_s2=float(rng.uniform(1.6, 2.4)),
        )

    def acceleration(self, speed_m_s: float, wish_m_s: float, gap_m: float, ahead_m_s: float) -> float:
        """Metres per second squared.

        Args:
            speed_m_s: own.
            wish_m_s: that road and driver would allow, above 0.
            gap_m: to what is ahead, bumper to bumper; infinite for nothing.
            ahead_m_s: its speed.
        """
        if speed_m_s <= wish_m_s:
            free = self.acceleration_m_s2 * (1.0 - (speed_m_s / wish_m_s) ** 4)
        else:
            free = max((wish_m_s - speed_m_s) / SETTLING_S, -_GENTLE_M_S2)
        if gap_m == math.inf:
            return free
        closing = speed_m_s * (speed_m_s - ahead_m_s) / (2.0 * math.sqrt(self.acceleration_m_s2 * self.braking_m_s2))
        wanted = self.gap_m + max(0.0, speed_m_s * self.headway_s + closing)
        braking = self.acceleration_m_s2 * (wanted / max(gap_m, 0.1)) ** 2
        return max(min(free, self.acceleration_m_s2 - braking), -HARDEST_M_S2)
