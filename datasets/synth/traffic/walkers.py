"""People on foot: they follow their itinerary at their own pace, behind one another, over crossings when they may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vedette.datasets.synth.traffic.itinerary import Itinerary
from vedette.datasets.synth.traffic.right_of_way import RightOfWay
from vedette.geometry import NDArrayFloat

_ACCELERATION_M_S2: Final = 1.2
_PERSONAL_M: Final = 1.0  # nobody comes closer to whoever goes the same way
_ABREAST_M: Final = 0.5
_ASKING_M: Final = 1.0
_STOP_SHORT_M: Final = 0.05
_LEGS_AHEAD: Final = 4


class Walker:
    """Somebody on foot.

    Args:
        number: unique among all who move.
        pace_m_s: at which he walks.
        itinerary: where he goes.
    """

    def __init__(self, number: int, pace_m_s: float, itinerary: Itinerary) -> None:
        self.number = number
        self.pace_m_s = pace_m_s
        self.itinerary = itinerary
        self.distances_m: list[float] = []
        self.speeds_m_s: list[float] = []
        self.waits_for: int | None = None
        """Crossing that he wants to use."""
        self._using: int | None = None
        self._leg = 0
        itinerary.plan(_LEGS_AHEAD)
        self._leg_end_m = itinerary.legs[0].length_m
        self._distance_m = min(0.5, self._leg_end_m / 2)
        self.speed_m_s = pace_m_s

    @property
    def place(self) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(2,)`` plan point and unit vector of his direction, before turns are rounded."""
        leg = self.itinerary.legs[self._leg]
        share = 1.0 - (self._leg_end_m - self._distance_m) / leg.length_m
        i = min(max(int(share * len(leg.points)), 0), len(leg.points) - 1)
        ahead = leg.points[min(i + 1, len(leg.points) - 1), :2] - leg.points[max(i - 1, 0), :2]
        return leg.points[i, :2], ahead / max(float(np.hypot(*ahead)), 1e-9)

    def advance(self, limit_m_s: float, right_of_way: RightOfWay, step_s: float) -> None:
        """Walk for a step.

        Args:
            limit_m_s: nobody ahead allows more.
            right_of_way: in which a crossing is given back.
            step_s: length of the step.
        """
        self.itinerary.plan(self._leg + 1 + _LEGS_AHEAD)
        wish = min(self.pace_m_s, limit_m_s, self._speed_before_crossing())
        most = _ACCELERATION_M_S2 * step_s
        speed = max(0.0, self.speed_m_s + min(max(wish - self.speed_m_s, -2.0 * most), most))
        self._distance_m += (self.speed_m_s + speed) / 2.0 * step_s
        self.speed_m_s = speed
        while self._distance_m >= self._leg_end_m:
            if self._using is not None and self.itinerary.legs[self._leg].crosses == self._using:
                right_of_way.release(self.number, self._using)
                self._using = None
            self._leg += 1
            self._leg_end_m += self.itinerary.legs[self._leg].length_m

    def _speed_before_crossing(self) -> float:
        """Speed from which he can still stop before the crossing that he must wait for; infinite for none."""
        following = self.itinerary.legs[self._leg + 1].crosses
        if following is None or self._using is not None:
            return np.inf
        to_kerb = self._leg_end_m - self._distance_m
        if to_kerb < self.speed_m_s**2 / (2.0 * _ACCELERATION_M_S2) + _ASKING_M:
            self.waits_for = following
        return float((2.0 * _ACCELERATION_M_S2 * max(to_kerb - _STOP_SHORT_M, 0.0)) ** 0.5)

    def go(self) -> None:
        """The crossing that he waits for is his."""
        self._using, self.waits_for = self.waits_for, None

    def record(self) -> None:
        """Note where he is now."""
        self.distances_m.append(self._distance_m)
        self.speeds_m_s.append(self.speed_m_s)


def move_walkers(walkers: Sequence[Walker], right_of_way: RightOfWay, step_s: float) -> None:
    """Let everybody on foot walk for a step.

    Args:
        walkers: everybody.
        right_of_way: of the crossings.
        step_s: length of the step.
    """
    if not walkers:
        return
    places, headings = (np.array(column) for column in zip(*(walker.place for walker in walkers), strict=True))
    speeds = np.array([walker.speed_m_s for walker in walkers])
    offset = places[None] - places[:, None]
    ahead = (offset * headings[:, None]).sum(axis=2)
    aside = np.abs(offset[..., 0] * headings[:, None, 1] - offset[..., 1] * headings[:, None, 0])
    same_way = headings @ headings.T > 0.3
    near = same_way & (ahead > 0.0) & (ahead < _PERSONAL_M) & (aside < _ABREAST_M)
    limits = np.where(near, 0.8 * speeds[None], np.inf).min(axis=1)
    for walker, limit in zip(walkers, limits, strict=True):
        walker.advance(float(limit), right_of_way, step_s)
