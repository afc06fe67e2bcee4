"""Which way an object points: an axis, averaged over time, and a direction along it that only real motion decides.

A rectangle seen from outside tells its axis modulo half a turn. Axes are averaged as vectors of the doubled angle, in
which opposite directions are one. The direction is kept from frame to frame as the one nearest to the last; it flips
when the object is seen to move the other way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

_MEMORY: Final = 0.9
# what moves may turn
_MEMORY_MOVING: Final = 0.7
_ANCHOR_WEIGHT: Final = 4.0


@dataclass(frozen=True)
class HeadingBelief:
    """Axis and direction of an object.

    Args:
        yaw: best guess, rad, counter-clockwise from the x axis of the frame it is kept in.
        weight: how much evidence stands behind the axis; 0 for a guess, about 5 after many clear views.
        directed: whether the direction along the axis was observed (motion, or a detector that tells it).
    """

    yaw: float
    weight: float = 0.0
    directed: bool = False

    def observed_axis(self, axis_yaw: float, weight: float) -> HeadingBelief:
        """Take in a measured axis.

        Args:
            axis_yaw: rad, modulo half a turn.
            weight: evidence; 1 for a clear view of the length.
        """
        kept = (_MEMORY_MOVING if self.directed else _MEMORY) * self.weight
        cos = kept * math.cos(2 * self.yaw) + weight * math.cos(2 * axis_yaw)
        sin = kept * math.sin(2 * self.yaw) + weight * math.sin(2 * axis_yaw)
        axis = math.atan2(sin, cos) / 2 if kept + weight > 0 else self.yaw
        return HeadingBelief(_nearest_direction(axis, self.yaw), math.hypot(cos, sin), self.directed)

    def observed_motion(self, course: float, weight: float) -> HeadingBelief:
        """Take in the course of an object that surely moves: vehicles and riders go where they point.

        Args:
            course: direction of the velocity, rad.
            weight: evidence for the axis.
        """
        seen = self.observed_axis(course, weight)
        return replace(seen, yaw=_nearest_direction(seen.yaw, course), directed=True)

    def anchored(self, yaw: float) -> HeadingBelief:
        """Take in the heading of a 3D detector; a direction that motion has shown is kept."""
        direction = self.yaw if self.directed else yaw
        return replace(self, yaw=_nearest_direction(yaw, direction), weight=_ANCHOR_WEIGHT)

    def rotated(self, dst_yaw_src: float) -> HeadingBelief:
        """The same belief in a frame in which the present one's x axis has the given yaw."""
        return HeadingBelief(_wrap(self.yaw + dst_yaw_src, math.pi), self.weight, self.directed)


def axis_gap(a: float, b: float) -> float:
    """Angle between two axes, rad, in [0, pi/2]."""
    return abs(_wrap(a - b, math.pi / 2))


def _nearest_direction(axis_yaw: float, direction: float) -> float:
    """Of the two directions of an axis the one nearer to a given direction."""
    opposite = abs(_wrap(axis_yaw - direction, math.pi)) > math.pi / 2
    return _wrap(axis_yaw + math.pi if opposite else axis_yaw, math.pi)


def _wrap(angle: float, half_period: float) -> float:
    """Into [-half_period, half_period); `vedette.geometry` has it for arrays, at ten times the time for one number."""
    wrapped = (angle + half_period) % (2 * half_period) - half_period
    return -half_period if wrapped >= half_period else wrapped
