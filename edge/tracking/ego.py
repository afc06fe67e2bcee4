"""The ego's pose for every frame, also where the odometry has a gap."""

from __future__ import annotations

import numpy as np

from vedette.geometry import SE3, NDArrayFloat


class EgoMotion:
    """Takes the poses that frames bring and fills in those they do not bring.

    A gap is bridged at the last velocity and turn rate; an ego without any odometry stands still at the origin, and
    the world is then its own frame. A first pose after frames without one starts a new world, in which nothing of the
    old one is known.
    """

    def __init__(self) -> None:
        self._stamp_ns: int | None = None
        self._world_SE3_ego = SE3.identity()
        self._velocity_ego_mps = np.zeros(3)
        self._yaw_rate_radps = 0.0
        self._has_odometry = False

    def pose(self, stamp_ns: int, world_SE3_ego: SE3 | None) -> SE3:
        """The pose of a frame.

        Args:
            stamp_ns: capture time, later than that of the call before.
            world_SE3_ego: as the frame has it.
        """
        elapsed_s = 0.0 if self._stamp_ns is None else max(stamp_ns - self._stamp_ns, 0) / 1e9
        if world_SE3_ego is None:
            self._world_SE3_ego = self._extrapolated(elapsed_s)
        else:
            self._observe(world_SE3_ego, elapsed_s)
        self._stamp_ns = stamp_ns
        return self._world_SE3_ego

    @property
    def velocity_world_mps(self) -> NDArrayFloat:
        """``(2,)`` over ground, as of the last pose; zero while it is not known."""
        velocity: NDArrayFloat = (self._world_SE3_ego.rotation @ self._velocity_ego_mps)[:2]
        return velocity

    def foreseen(self, stamp_ns: int) -> SE3:
        """The pose at a time to come, at the last velocity and turn rate."""
        return self._extrapolated(0.0 if self._stamp_ns is None else (stamp_ns - self._stamp_ns) / 1e9)

    def starts_new_world(self, world_SE3_ego: SE3 | None) -> bool:
        """Whether this would be the first pose of all, after frames without one."""
        return world_SE3_ego is not None and not self._has_odometry and self._stamp_ns is not None

    def _observe(self, world_SE3_ego: SE3, elapsed_s: float) -> None:
        if self._has_odometry and elapsed_s > 0:
            step = self._world_SE3_ego.inverse().compose(world_SE3_ego)
            self._velocity_ego_mps = step.translation / elapsed_s
            self._yaw_rate_radps = step.yaw / elapsed_s
        self._world_SE3_ego = world_SE3_ego
        self._has_odometry = True

    def _extrapolated(self, elapsed_s: float) -> SE3:
        step = SE3.from_yaw(self._yaw_rate_radps * elapsed_s, self._velocity_ego_mps * elapsed_s)
        return self._world_SE3_ego.compose(step)
