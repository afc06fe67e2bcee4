"""A small street for a model's first answer, so that no request pays for what runtimes do on the first call.

camera, LiDAR at the origin, 1.7 m above the ground; a car-sized block ahead:

     z
     |            _______
     o- - - - - -|  car  |- - -> x
  ___|___________|_______|_______
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.frames import Sweep
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera

WARM_UP_BUDGET_S: Final = 1200.0
"""A first answer may include building an engine for the device, which takes minutes."""

_GROUND_Z_M: Final = -1.7


def warm_up_camera() -> PinholeCamera:
    """A camera like KITTI's, at the LiDAR's place."""
    cam_R_velo = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    projection = np.array([[720.0, 0.0, 610.0, 0.0], [0.0, 720.0, 175.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    return PinholeCamera(projection, SE3(cam_R_velo, np.zeros(3)), 1242, 375)


def warm_up_sweep() -> Sweep:
    """Ground and one car, 15 m ahead; about 6,000 points, the same each time."""
    ground = _grid(np.arange(6.0, 40.0, 0.4), np.arange(-12.0, 12.0, 0.4), np.array([_GROUND_Z_M]))
    rear = _grid(np.array([15.0]), np.arange(-0.8, 0.81, 0.1), np.arange(_GROUND_Z_M + 0.2, -0.2, 0.1))
    side = _grid(np.arange(15.0, 19.0, 0.1), np.array([0.8]), np.arange(_GROUND_Z_M + 0.2, -0.2, 0.1))
    points_m = np.concatenate([ground, rear, side])
    points = np.column_stack([points_m, np.full(len(points_m), 0.3)]).astype(np.float32)
    return Sweep(points, 0, 0)


def _grid(x_m: NDArrayFloat, y_m: NDArrayFloat, z_m: NDArrayFloat) -> NDArrayFloat:
    return np.stack(np.meshgrid(x_m, y_m, z_m, indexing="ij"), axis=-1).reshape(-1, 3)
