"""Where the sensors stood when a frame was taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vedette.geometry import SE3, NDArrayFloat, PinholeCamera


@dataclass(frozen=True)
class Viewpoint:
    """Pose and calibration of one frame.

    Args:
        stamp_ns: capture time.
        world_SE3_ego: pose of the ego (velo) frame.
        camera: calibration.
        velocity_world_mps: ``(2,)`` of the ego over ground; zero where it is not known.
        sweep_s: when the sweep's turn began and ended, from the capture time; equal for a sweep of one instant.
    """

    stamp_ns: int
    world_SE3_ego: SE3
    camera: PinholeCamera
    velocity_world_mps: NDArrayFloat = field(default_factory=lambda: np.zeros(2))
    sweep_s: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def ego_SE3_world(self) -> SE3:
        """The pose's inverse."""
        return self.world_SE3_ego.inverse()

    @cached_property
    def yaw(self) -> float:
        """Heading of the ego in the world, rad."""
        return self.world_SE3_ego.yaw

    def lag_s(self, xy_velo: NDArrayFloat) -> float:
        """How long after the capture time the turning sensor looked in a direction; before it where negative.

        A turn goes counter-clockwise from behind to behind, as Velodyne's in KITTI's files.
        """
        begin_s, end_s = self.sweep_s
        turned = 0.5 + math.atan2(xy_velo[1], xy_velo[0]) / (2 * math.pi)
        return begin_s + turned * (end_s - begin_s)

    def seen_place(self, point_velo: NDArrayFloat) -> tuple[NDArrayFloat, float]:
        """Where something was when the sensor looked at it.

        Args:
            point_velo: ``(3,)`` as the sweep has it: from where the sensor was at that instant.

        Returns:
            ``(3,)`` in the world, and how long after the capture time it was there.
        """
        lag_s = self.lag_s(point_velo)
        place = self.world_SE3_ego.transform_points(point_velo)
        place[:2] += lag_s * self.velocity_world_mps
        return place, lag_s

    def covariance_to_world(self, covariance_m2: NDArrayFloat) -> NDArrayFloat:
        """Turn a ``(2,2)`` covariance from the velo frame's axes to the world's."""
        turn = self.world_SE3_ego.rotation[:2, :2]
        turned: NDArrayFloat = turn @ covariance_m2 @ turn.T
        return turned
