"""Where somebody is at any time: how far he has come by then, on the line that he follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vedette.datasets.synth.actors import Shape
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.terrain import Terrain
from vedette.geometry import SE3, NDArrayFloat


@dataclass(frozen=True, eq=False)
class Trail:
    """The line that somebody follows, by the distance that he has come.

    Args:
        distance_m: ``(N,)`` rising.
        xy_m: ``(N,2)`` world metres.
        yaw: ``(N,)`` direction, radians, without jumps.
        above_m: ``(N,)`` metres above carriageway level.
    """

    distance_m: NDArrayFloat
    xy_m: NDArrayFloat
    yaw: NDArrayFloat
    above_m: NDArrayFloat

    def at(self, distance_m: float) -> tuple[float, float, float, float]:
        """X, y, yaw and height above carriageway level.

        Args:
            distance_m: come so far; before the first and beyond the last point, those hold.
        """
        grid = self.distance_m
        i = min(max(int(grid.searchsorted(distance_m, side="right")) - 1, 0), len(grid) - 2)
        share = min(max((distance_m - grid[i]) / (grid[i + 1] - grid[i]), 0.0), 1.0)
        x, y = self.xy_m[i] + share * (self.xy_m[i + 1] - self.xy_m[i])
        yaw = self.yaw[i] + share * (self.yaw[i + 1] - self.yaw[i])
        return float(x), float(y), float(yaw), float(self.above_m[i] + share * (self.above_m[i + 1] - self.above_m[i]))


@dataclass(frozen=True, eq=False)
class Progress:
    """How far somebody has come, in steps of constant acceleration.

    Args:
        step_s: length of a step.
        distance_m: ``(K,)`` at the beginning of every step.
        speed_m_s: ``(K,)`` likewise.
    """

    step_s: float
    distance_m: NDArrayFloat
    speed_m_s: NDArrayFloat

    def distance_at(self, t_s: float) -> float:
        """Metres come by a time.

        Args:
            t_s: seconds, 0 or more; after the last step, its speed holds.
        """
        k = min(max(int(t_s / self.step_s), 0), len(self.distance_m) - 1)
        tau = t_s - k * self.step_s
        speed = float(self.speed_m_s[k])
        following = float(self.speed_m_s[min(k + 1, len(self.speed_m_s) - 1)])
        return float(self.distance_m[k]) + tau * (speed + (following - speed) * tau / (2.0 * self.step_s))


@dataclass(frozen=True, eq=False)
class Driving:
    """A vehicle on its way: its rear axle follows the trail and points along it, and it leans with the ground.

    Args:
        terrain: the ground.
        trail: of the rear axle.
        progress: along it.
        centre_m: the middle of the vehicle, ahead of its rear axle.
        is_still: whether it never moves.
    """

    terrain: Terrain
    trail: Trail
    progress: Progress
    centre_m: float
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        """`world_SE3_actor` of the bottom centre.

        Args:
            t_s: seconds since the world's beginning.
        """
        x, y, yaw, above = self.trail.at(self.progress.distance_at(t_s))
        centre = (x + self.centre_m * math.cos(yaw), y + self.centre_m * math.sin(yaw))
        return self.terrain.pose_on(centre, yaw, above)


@dataclass(frozen=True, eq=False)
class Walking:
    """Somebody on foot, upright on any slope.

    Args:
        terrain: the ground.
        trail: of the feet.
        progress: along it.
        is_still: whether he never moves.
    """

    terrain: Terrain
    trail: Trail
    progress: Progress
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        """`world_SE3_actor` of the feet.

        Args:
            t_s: seconds since the world's beginning.
        """
        x, y, yaw, above = self.trail.at(self.progress.distance_at(t_s))
        return SE3.from_yaw(yaw, [x, y, float(self.terrain.height_m([x, y])) + above])


@dataclass(frozen=True, eq=False)
class InStep:
    """A shape whose limbs move with the way that is made, so that they rest while it waits.

    Args:
        shape: as it moves at its pace.
        progress: of its actor.
        pace_m_s: pace that `shape` was made for, above 0.
        is_rigid: whether the mesh is the same at all times; limbs move, so it is not.
    """

    shape: Shape
    progress: Progress
    pace_m_s: float
    is_rigid: bool = False

    @property
    def size_m(self) -> tuple[float, float, float]:
        """Length, width and height of the box that encloses it."""
        return self.shape.size_m

    def mesh(self, t_s: float) -> Mesh:
        """The triangles at a time.

        Args:
            t_s: seconds since the world's beginning.
        """
        return self.shape.mesh(self.progress.distance_at(t_s) / self.pace_m_s)
