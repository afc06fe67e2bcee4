"""Where the sensors sit on a vehicle, and the camera they come with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.world import World
from vedette.geometry import SE3, PinholeCamera

_KITTI_PROJECTION: Final = np.array(
    [[721.5377, 0.0, 609.5593, 0.0], [0.0, 721.5377, 172.854, 0.0], [0.0, 0.0, 1.0, 0.0]]
)
_CAM_ROTATION_VELO: Final = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True, eq=False)
class SensorRig:
    """A LiDAR on the roof and a camera before it.

    Args:
        actor_SE3_velo: pose of the LiDAR on the vehicle, whose origin is the bottom centre.
        camera: as calibrated to that LiDAR.
    """

    actor_SE3_velo: SE3
    camera: PinholeCamera


KITTI_RIG: Final = SensorRig(
    SE3(np.eye(3), np.array([-0.1, 0.0, 1.73])),
    PinholeCamera(_KITTI_PROJECTION, SE3(_CAM_ROTATION_VELO, np.array([0.0, -0.08, -0.27])), 1242, 375),
)
"""KITTI's platform: an HDL-64E 1.73 m above the road, the left colour camera 0.27 m before and 0.08 m below it."""


def world_SE3_velo(world: World, actor_id: int, rig: SensorRig, t_s: float) -> SE3:
    """Pose of a vehicle's LiDAR, free of error.

    Args:
        world: the world.
        actor_id: the vehicle.
        rig: its sensors.
        t_s: seconds since the world's beginning.
    """
    return world.by_id[actor_id].motion.pose(t_s).compose(rig.actor_SE3_velo)
