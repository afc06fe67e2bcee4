"""Which points of a sweep the camera sees: what a 3D detector works on, in training as in service."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, PinholeCamera

_BLOCK: Final = 8192  # points whose intermediate values fit a core's cache: a full sweep in a quarter of the time


def in_view(points_velo_m: NDArrayFloat32, camera: PinholeCamera) -> NDArrayBool:
    """Which points fall into the image: those for which `camera.in_image` holds, without a division.

    Args:
        points_velo_m: ``(N,3 or more)`` x, y, z in metres, velo frame; further columns are ignored.
        camera: its view, and its pose on the LiDAR.

    Returns:
        ``(N,) bool``.
    """
    seen = np.empty(len(points_velo_m), np.bool_)
    for start in range(0, len(points_velo_m), _BLOCK):
        block = points_velo_m[start : start + _BLOCK, :3]
        seen[start : start + _BLOCK] = _block_in_view(np.ascontiguousarray(block.T, dtype=np.float64), camera)
    return seen


def _block_in_view(axes: NDArrayFloat, camera: PinholeCamera) -> NDArrayBool:
    """Of ``(3,N)`` points."""
    projection = camera.projection_velo
    u_depth, v_depth, depth_m = projection[:, :3] @ axes + projection[:, 3:]
    inside: NDArrayBool = (depth_m > 0) & (u_depth >= 0) & (v_depth >= 0)
    inside &= (u_depth <= (camera.width_px - 1) * depth_m) & (v_depth <= (camera.height_px - 1) * depth_m)
    return inside
