"""From the plan, where streets are straight and level, to the world, where they bend and climb.

Scenarios are laid out in plan coordinates (u, v), in which streets run along the axes and blocks are rectangles. A
smooth warp bends the plan, a smooth height lifts it: one street grid gives curved and sloping streets without any
polygon arithmetic, and lengths change by a few per cent at most.

    x = u + a · sin(k·v + φ)        bend of the streets along v
    y = v + b · sin(k·u + ψ)        bend of the streets along u
    z = sₓ·x + s_y·y + Σ cᵢ · sin(kᵢ·(x, y) + φᵢ)

With a bend of amplitude b and wave number k, the tightest radius of a street is 1 / (b·k²).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry import SE3, NDArrayFloat

_STEP_M: Final = 0.5
"""Slopes are measured from half a metre before to half a metre behind."""


@dataclass(frozen=True)
class Wave:
    """One component of the height.

    Args:
        amplitude_m: half the height from trough to crest.
        kx_rad_m: wave number along x.
        ky_rad_m: wave number along y.
        phase: radians.
    """

    amplitude_m: float
    kx_rad_m: float
    ky_rad_m: float
    phase: float


@dataclass(frozen=True)
class Terrain:
    """Shape of the ground; the default is a level plane and an unbent plan.

    Args:
        bend_u_m: a, how far streets along v swing.
        bend_v_m: b, how far streets along u swing.
        bend_rad_m: k, wave number of both.
        bend_phases: φ and ψ, radians.
        slope_x: rise per metre along x.
        slope_y: rise per metre along y.
        waves: of the height.
    """

    bend_u_m: float = 0.0
    bend_v_m: float = 0.0
    bend_rad_m: float = 0.01
    bend_phases: tuple[float, float] = (0.0, 0.0)
    slope_x: float = 0.0
    slope_y: float = 0.0
    waves: tuple[Wave, ...] = field(default=())

    def height_m(self, xy_m: ArrayLike) -> NDArrayFloat:
        """Height of the carriageway level; pavements lie higher by their kerb.

        Args:
            xy_m: (..., 2) world metres.

        Returns:
            (...,) metres.
        """
        xy = np.asarray(xy_m, dtype=np.float64)
        x, y = xy[..., 0], xy[..., 1]
        height = self.slope_x * x + self.slope_y * y
        for wave in self.waves:
            height = height + wave.amplitude_m * np.sin(wave.kx_rad_m * x + wave.ky_rad_m * y + wave.phase)
        return np.asarray(height, dtype=np.float64)

    def _height_at(self, x_m: float, y_m: float) -> float:
        """`height_m` of one point, in plain numbers: everyone's pose is asked for many times a frame."""
        height = self.slope_x * x_m + self.slope_y * y_m
        for wave in self.waves:
            height += wave.amplitude_m * math.sin(wave.kx_rad_m * x_m + wave.ky_rad_m * y_m + wave.phase)
        return height

    def to_world(self, uv_m: ArrayLike, above_m: ArrayLike = 0.0) -> NDArrayFloat:
        """Points of the plan in the world.

        Args:
            uv_m: (..., 2) plan metres.
            above_m: (...,) or scalar, metres above carriageway level.

        Returns:
            (..., 3) world metres.
        """
        uv = np.asarray(uv_m, dtype=np.float64)
        u, v = uv[..., 0], uv[..., 1]
        x = u + self.bend_u_m * np.sin(self.bend_rad_m * v + self.bend_phases[0])
        y = v + self.bend_v_m * np.sin(self.bend_rad_m * u + self.bend_phases[1])
        z = self.height_m(np.stack([x, y], axis=-1)) + np.asarray(above_m, dtype=np.float64)
        return np.stack([x, y, z], axis=-1)

    def heading(self, uv_m: ArrayLike, plan_yaw: float) -> float:
        """Direction in the world of a direction in the plan.

        Args:
            uv_m: (2,) plan metres.
            plan_yaw: radians from the plan's u axis.

        Returns:
            Radians from the world's x axis.
        """
        uv = np.asarray(uv_m, dtype=np.float64)
        step = 0.1 * np.array([np.cos(plan_yaw), np.sin(plan_yaw)])
        ahead = self.to_world(uv + step) - self.to_world(uv - step)
        return float(np.arctan2(ahead[1], ahead[0]))

    def pose_on(self, xy_m: ArrayLike, yaw: float, above_m: float = 0.0) -> SE3:
        """Pose of something that stands on the ground and leans with it.

        Args:
            xy_m: (2,) world metres.
            yaw: heading, radians from the world's x axis.
            above_m: metres above carriageway level, for pavements.

        Returns:
            ``world_SE3_thing``: x along the heading, z along the ground's normal.
        """
        x, y = (float(value) for value in np.asarray(xy_m, dtype=np.float64))
        east_m, west_m = self._height_at(x + _STEP_M, y), self._height_at(x - _STEP_M, y)
        north_m, south_m = self._height_at(x, y + _STEP_M), self._height_at(x, y - _STEP_M)
        up = _unit((west_m - east_m) / (2 * _STEP_M), (south_m - north_m) / (2 * _STEP_M), 1.0)
        cos, sin = math.cos(yaw), math.sin(yaw)
        lean = up[0] * cos + up[1] * sin
        ahead = _unit(cos - lean * up[0], sin - lean * up[1], -lean * up[2])
        left = (
            up[1] * ahead[2] - up[2] * ahead[1],
            up[2] * ahead[0] - up[0] * ahead[2],
            up[0] * ahead[1] - up[1] * ahead[0],
        )
        return SE3(np.array([ahead, left, up]).T, np.array([x, y, self._height_at(x, y) + above_m]))

    def plan_pose(self, uv_m: ArrayLike, plan_yaw: float, above_m: float = 0.0) -> SE3:
        """Pose of something that is laid out in the plan.

        Args:
            uv_m: (2,) plan metres.
            plan_yaw: heading in the plan.
            above_m: metres above carriageway level.
        """
        return self.pose_on(self.to_world(uv_m)[:2], self.heading(uv_m, plan_yaw), above_m)


def _unit(x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector made 1 long."""
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
