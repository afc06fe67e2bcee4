"""A dense line in the world, with its direction, and the speed that its bends allow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat

LATERAL_M_S2: Final = 2.2
"""Lateral acceleration at which drivers take a bend."""

BRAKING_M_S2: Final = 1.5
"""How they slow down for it."""


@dataclass(frozen=True, eq=False)
class Path:
    """A line in the world.

    Args:
        xy_m: ``(N,2)`` points, world metres, N at least 3.
        distance_m: ``(N,)`` along the line, 0 at the first.
        yaw: ``(N,)`` direction, radians, without jumps.
    """

    xy_m: NDArrayFloat
    distance_m: NDArrayFloat
    yaw: NDArrayFloat

    @classmethod
    def through(cls, xy_m: NDArrayFloat) -> Path:
        """The line through points.

        Args:
            xy_m: (N,2) world metres, N at least 3, no two in a row the same.
        """
        distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(xy_m, axis=0), axis=1))])
        tangent = np.gradient(xy_m, distance, axis=0, edge_order=2)
        return cls(xy_m, distance, np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])))

    @cached_property
    def length_m(self) -> float:
        """From the first point to the last."""
        return float(self.distance_m[-1])

    @cached_property
    def curvature_rad_m(self) -> NDArrayFloat:
        """``(N,)`` radians per metre, positive to the left."""
        return np.asarray(np.gradient(self.yaw, self.distance_m))

    def point(self, at_m: float) -> NDArrayFloat:
        """``(2,)`` world point.

        Args:
            at_m: along the line.
        """
        x = np.interp(at_m, self.distance_m, self.xy_m[:, 0])
        return np.array([x, np.interp(at_m, self.distance_m, self.xy_m[:, 1])])

    def speed_profile(self, limit_m_s: float, step_m: float) -> NDArrayFloat:
        """Highest speed along the line from which every bend ahead is still reached slowly enough.

        Args:
            limit_m_s: nobody is faster.
            step_m: between the values.

        Returns:
            ``(M,)`` metres per second at 0, `step_m`, ... until the end is passed.
        """
        at = np.arange(0.0, self.length_m + step_m, step_m)
        bend = np.interp(at, self.distance_m, np.abs(self.curvature_rad_m))
        square = np.minimum(limit_m_s**2, LATERAL_M_S2 / np.maximum(bend, 1e-6))
        for i in range(len(square) - 2, -1, -1):
            square[i] = min(square[i], square[i + 1] + 2.0 * BRAKING_M_S2 * step_m)
        return np.asarray(np.sqrt(square))
