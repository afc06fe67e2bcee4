"""Which points of a sweep the camera sees: what a 3D detector works on, in training as in service."""

from __future__ import annotations

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat32, PinholeCamera


def in_view(points_velo_m: NDArrayFloat32, camera: PinholeCamera) -> NDArrayBool:
    """Which points fall into the image.

    Args:
        points_velo_m: ``(N,3 or more)`` x, y, z in metres, velo frame; further columns are ignored.
        camera: its view, and its pose on the LiDAR.

    Returns:
        ``(N,) bool``.
    """
    points_cam = camera.cam_SE3_velo.transform_points(points_velo_m[:, :3].astype(np.float64))
    return camera.in_image(*camera.project_cam(points_cam))
