"""How a walker's bones move.

Hips swing like pendulums, half a period apart. Knees bend while a foot is in the air, arms swing against the legs. The
step follows from pace and leg length, and the cadence from both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.shapes.figure import Build
from vedette.geometry import NDArrayFloat

TORSO: Final = 0
THIGHS: Final = (1, 2)
SHINS: Final = (3, 4)
FEET: Final = (5, 6)
UPPER_ARMS: Final = (7, 8)
FOREARMS: Final = (9, 10)
"""Indices of the bones, the left one first."""

_GRAVITY_M_S2: Final = 9.81
_SWAY_PERIOD_S: Final = 5.0
_THIRD_HARMONIC: Final = 1 / 9
"""Of a triangle wave: legs swing at an even speed and turn round quickly, so that feet on the ground hardly slide."""


@dataclass(frozen=True)
class Walk:
    """Bones of someone who walks, runs or stands.

    Args:
        build: whose.
        pace_m_s: 0 for standing.
        phase: radians, where in the cycle time 0 is.
        arm_bend: radians, of the elbows at rest.
        carrying: whether the right arm hangs still, with a bag in its hand.
    """

    build: Build
    pace_m_s: float
    phase: float
    arm_bend: float
    carrying: bool

    @property
    def leg_m(self) -> float:
        """From hip to ankle."""
        return self.build.thigh_m + self.build.shin_m

    @property
    def step_m(self) -> float:
        """From one footfall to the next; 0 for standing.

        Human steps grow with the root of the speed (about 0.7 m at 1.4 m/s for a leg of 0.85 m).
        """
        froude = self.pace_m_s / np.sqrt(_GRAVITY_M_S2 * self.leg_m)
        return float(min(1.15 * np.sqrt(froude), 1.3) * self.leg_m)

    @property
    def period_s(self) -> float:
        """Of two steps; of the swaying of who stands."""
        return 2 * self.step_m / self.pace_m_s if self.pace_m_s > 0.0 else _SWAY_PERIOD_S

    @property
    def swing(self) -> float:
        """Radians that a leg swings forwards and backwards."""
        return float(np.arcsin(min(self.step_m / (2 * self.leg_m), 0.75)))

    def pose(self, times_s: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
        """Joints and angles; the hips at height 0.

        Args:
            times_s: ``(P,)``.
        """
        cycle = 2 * np.pi * times_s / self.period_s + self.phase
        both = np.stack([cycle, cycle + np.pi], axis=1)
        hips, knees, feet = self._legs(both)
        shoulders, elbows = self._arms(both)
        lean = 0.02 + 0.05 * self.swing + 0.012 * np.sin(cycle if self.pace_m_s == 0.0 else 2 * cycle)
        angles = np.concatenate([-lean[:, None], hips, hips - knees, feet, shoulders, shoulders + elbows], axis=1)
        return self._joints(angles), angles

    def _legs(self, both: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat]:
        """``(P,2)`` angles of hips, knees and soles."""
        hips = self.swing * (np.sin(both) - _THIRD_HARMONIC * np.sin(3 * both)) / (1 + _THIRD_HARMONIC)
        lifted = np.maximum(np.cos(both + 0.35), 0.0)
        knees = 0.06 + 2.1 * self.swing * lifted**2
        soles = (
            -0.9 * self.swing * np.maximum(np.sin(-both), 0.0) ** 2
            + 0.5 * self.swing * np.maximum(np.sin(both), 0.0) ** 4
        )
        return hips, knees, soles

    def _arms(self, both: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
        """``(P,2)`` angles of shoulders and elbows."""
        shoulders = -1.0 * self.swing * np.sin(both) - 0.05
        elbows = np.full_like(both, self.arm_bend) + 0.4 * self.swing * (1 - np.sin(both))
        if self.carrying:
            shoulders[:, 1] *= 0.25
            elbows[:, 1] = 0.08
        return shoulders, elbows

    def _joints(self, angles: NDArrayFloat) -> NDArrayFloat:
        """``(P,11,2)`` x and z of the joints that the bones turn about."""
        joints = np.zeros((*angles.shape, 2))
        build = self.build
        joints[:, SHINS] = _below(angles[:, THIGHS], build.thigh_m)
        joints[:, FEET] = joints[:, SHINS] + _below(angles[:, SHINS], build.shin_m)
        joints[:, UPPER_ARMS] = -_below(angles[:, [TORSO]], 0.93 * build.torso_m)
        joints[:, FOREARMS] = joints[:, UPPER_ARMS] + _below(angles[:, UPPER_ARMS], build.upper_arm_m)
        return joints


def _below(angles: NDArrayFloat, length_m: float) -> NDArrayFloat:
    """``(...,2)`` x and z from a bone's joint to its lower end."""
    return length_m * np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
