"""Which way an object points: an axis, averaged over time, and a direction along it that only real motion decides.

A rectangle seen from outside tells its axis modulo half a turn. Axes are averaged as vectors of the doubled angle, in
which opposite directions are one. The direction is kept from frame to frame as the one nearest to the last; it flips
when the object is seen to move the other way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.geometry.angles import angle_diff, wrap_half_pi, wrap_pi

_MEMORY: Final = 0.9
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
        kept = _MEMORY * self.weight
        cos = kept * np.cos(2 * self.yaw) + weight * np.cos(2 * axis_yaw)
        sin = kept * np.sin(2 * self.yaw) + weight * np.sin(2 * axis_yaw)
        axis = float(np.arctan2(sin, cos)) / 2 if kept + weight > 0 else self.yaw
        return replace(self, yaw=_nearest_direction(axis, self.yaw), weight=float(np.hypot(cos, sin)))

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
        return replace(self, yaw=wrap_pi(self.yaw + dst_yaw_src))


def axis_gap(a: float, b: float) -> float:
    """Angle between two axes, rad, in [0, pi/2]."""
    return abs(wrap_half_pi(a - b))


def _nearest_direction(axis_yaw: float, direction: float) -> float:
    """Of the two directions of an axis the one nearer to a given direction."""
    return wrap_pi(axis_yaw if abs(angle_diff(axis_yaw, direction)) <= np.pi / 2 else axis_yaw + np.pi)
