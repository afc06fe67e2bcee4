"""Where the sensors stood when a frame was taken."""

from __future__ import annotations

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
    """

    stamp_ns: int
    world_SE3_ego: SE3
    camera: PinholeCamera
    velocity_world_mps: NDArrayFloat = field(default_factory=lambda: np.zeros(2))

    @cached_property
    def ego_SE3_world(self) -> SE3:
        """The pose's inverse."""
        return self.world_SE3_ego.inverse()

    @cached_property
    def yaw(self) -> float:
        """Heading of the ego in the world, rad."""
        return self.world_SE3_ego.yaw

    def covariance_to_world(self, covariance_m2: NDArrayFloat) -> NDArrayFloat:
        """Turn a ``(2,2)`` covariance from the velo frame's axes to the world's."""
        turn = self.world_SE3_ego.rotation[:2, :2]
        turned: NDArrayFloat = turn @ covariance_m2 @ turn.T
        return turned
