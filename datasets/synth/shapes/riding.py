"""How a cyclist's bones move: cranks turn, knees follow, wheels roll.

The hips are at the saddle, the ankles above the pedals; the knee is where thigh and shin meet in front of the line
between them. The origin is on the ground under the bottom bracket.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.shapes.figure import Build
from vedette.geometry import NDArrayFloat

BICYCLE: Final = 0
TORSO: Final = 1
THIGHS: Final = (2, 3)
SHINS: Final = (4, 5)
FEET: Final = (6, 7)
CRANKS: Final = 8
WHEELS: Final = (9, 10)
"""Indices of the bones, left or rear first."""

CRANK_M: Final = 0.165
WHEEL_RADIUS_M: Final = 0.34
BRACKET_M: Final = (0.0, 0.28)
HUBS_M: Final = ((-0.44, WHEEL_RADIUS_M), (0.62, WHEEL_RADIUS_M))
_METRES_A_TURN: Final = 4.6
_STANDING_PERIOD_S: Final = 1.0


@dataclass(frozen=True)
class Ride:
    """Bones of someone on a bicycle.

    Args:
        build: whose.
        pace_m_s: 0 for standing still.
        phase: radians that the cranks have turned at time 0.
        lean: radians that the back leans forward.
    """

    build: Build
    pace_m_s: float
    phase: float
    lean: float

    @property
    def period_s(self) -> float:
        """Of a turn of the cranks."""
        return _METRES_A_TURN / self.pace_m_s if self.pace_m_s > 0.0 else _STANDING_PERIOD_S

    @property
    def saddle_m(self) -> NDArrayFloat:
        """``(2,)`` x and z of the hips: the leg is all but straight at the lower turning point."""
        reach_m = 0.97 * (self.build.thigh_m + self.build.shin_m) + self.build.ankle_m - CRANK_M
        tilt = np.deg2rad(18.0)
        return np.array(BRACKET_M) + reach_m * np.array([-np.sin(tilt), np.cos(tilt)])

    @property
    def shoulders_m(self) -> NDArrayFloat:
        """``(2,)`` x and z."""
        return self.saddle_m + 0.93 * self.build.torso_m * np.array([np.sin(self.lean), np.cos(self.lean)])

    def pose(self, times_s: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
        """Joints and angles.

        Args:
            times_s: ``(P,)``.
        """
        moving = float(self.pace_m_s > 0.0)
        crank = -(self.phase + moving * 2 * np.pi * times_s / self.period_s)
        origins, angles = np.zeros((len(times_s), 11, 2)), np.zeros((len(times_s), 11))
        both = crank[:, None] + np.array([0.0, np.pi])
        pedals = np.array(BRACKET_M) + CRANK_M * np.stack([np.cos(both), np.sin(both)], axis=-1)
        ankles = pedals + np.array([-0.04, self.build.ankle_m])
        thighs, shins = self._legs(ankles)
        origins[:, TORSO], angles[:, TORSO] = self.saddle_m, -self.lean
        origins[:, THIGHS], angles[:, THIGHS] = self.saddle_m, thighs
        origins[:, SHINS], angles[:, SHINS] = self.saddle_m + self.build.thigh_m * _down(thighs), shins
        origins[:, FEET], angles[:, FEET] = ankles, 0.12 * np.sin(both)
        origins[:, CRANKS], angles[:, CRANKS] = BRACKET_M, crank
        origins[:, WHEELS], angles[:, WHEELS] = HUBS_M, -self.pace_m_s * times_s[:, None] / WHEEL_RADIUS_M
        return origins, angles

    def _legs(self, ankles_m: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(P,2)`` angles of thighs and shins, by the law of cosines."""
        thigh_m, shin_m = self.build.thigh_m, self.build.shin_m
        line = ankles_m - self.saddle_m
        distance_m = np.clip(np.linalg.norm(line, axis=-1), abs(thigh_m - shin_m) + 1e-6, thigh_m + shin_m)
        direction = np.arctan2(line[..., 0], -line[..., 1])
        at_hip = np.arccos(np.clip((thigh_m**2 + distance_m**2 - shin_m**2) / (2 * thigh_m * distance_m), -1.0, 1.0))
        thighs = direction + at_hip
        knees = self.saddle_m + thigh_m * _down(thighs)
        rest = ankles_m - knees
        return thighs, np.arctan2(rest[..., 0], -rest[..., 1])


def _down(angles: NDArrayFloat) -> NDArrayFloat:
    """``(...,2)`` x and z of a unit vector down a bone."""
    return np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
