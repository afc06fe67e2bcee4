"""Leaving out what the camera does not see."""

from __future__ import annotations

import numpy as np

from vedette.errors import InvalidFrameError
from vedette.frames import Sweep
from vedette.geometry import NDArrayBool, NDArrayFloat32, PinholeCamera


def crop_to_camera(sweep: Sweep, camera: PinholeCamera) -> Sweep:
    """The points of a sweep that fall into a camera's image, in their order.

    Detectors that were trained on labels of the camera's view look at nothing else, and it is a sixth of a full turn.

    Args:
        sweep: the points.
        camera: its calibration.

    Raises:
        InvalidFrameError: the camera sees none of the points.
    """
    points = sweep.points_velo[_may_be_seen(sweep.points_velo, camera)]
    points = points[camera.in_image(*camera.project_velo(points))]
    if len(points) == 0:
        raise InvalidFrameError(
            f"none of the {len(sweep)} points is in the camera's view of {camera.width_px}x{camera.height_px} px;"
            " expected some (is the calibration of this camera and LiDAR?)"
        )
    return Sweep(points, sweep.start_ns, sweep.end_ns)


def _may_be_seen(points_velo: NDArrayFloat32, camera: PinholeCamera) -> NDArrayBool:
    """All points that the image may show, and few others: spares five in six the exact projection.

    With (a, b, d) = P @ (x, y, z, 1), a point is between the left and right border where 0 <= a <= (width - 1) d, which
    needs no division. A pixel more on either side, and a pixel at a metre, cover float32's rounding.
    """
    row_u, _, row_depth = camera.projection_velo
    planes = np.stack([row_u + row_depth, camera.width_px * row_depth - row_u, row_depth]).astype(np.float32)
    signed = planes[:, :3] @ points_velo[:, :3].T
    inside: NDArrayBool = np.logical_and.reduce(signed > -1.0 - planes[:, 3:], axis=0)
    return inside
