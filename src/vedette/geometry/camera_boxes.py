"""KITTI's boxes in the rectified camera frame, and the way to and from ours.

KITTI writes `[x, y, z, height, width, length, rotation_y]`: the centre of the bottom face in the rectified reference
camera (x right, y down, z forward), and the turn of the length axis about y, which leaves it pointing along
`(cos, 0, -sin)`. (KITTI object development kit, readme.txt.)

The two frames' vertical axes differ by up to a degree or so, and both kinds of box are upright in their own frame. The
yaw in velo is that of the heading vector carried over, its height dropped; the way back solves the same equation, so
that the round trip is exact.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.angles import wrap_pi
from vedette.geometry.arrays import NDArrayFloat, finite_rows
from vedette.geometry.boxes import BOX_COLUMNS
from vedette.geometry.se3 import SE3

_LEAST_UPRIGHT: Final = 0.5
"""Cosine between the camera's y axis and the vertical."""


def boxes_velo_from_cam(cam_SE3_velo: SE3, boxes_cam: ArrayLike) -> NDArrayFloat:
    """Bring KITTI's camera boxes to the velo frame.

    Args:
        cam_SE3_velo: rectified reference camera from velo.
        boxes_cam: (N, 7) [x, y, z, height, width, length, rotation_y], bottom centre, metres and radians.

    Returns:
        (N, 7) [x, y, z, length, width, height, yaw], centre of volume, yaw in [-pi, pi).

    Raises:
        ValueError: wrong shape or not finite.
    """
    table = finite_rows(boxes_cam, BOX_COLUMNS, "camera boxes")
    centre = table[:, :3].copy()
    centre[:, 1] -= table[:, 3] / 2
    heading = np.stack([np.cos(table[:, 6]), -np.sin(table[:, 6])]).T @ _ground_map(cam_SE3_velo).T
    result = np.empty_like(table)
    result[:, :3] = cam_SE3_velo.inverse().transform_points(centre)
    result[:, 3:6] = table[:, [5, 4, 3]]
    result[:, 6] = wrap_pi(np.arctan2(heading[:, 1], heading[:, 0]))
    return result


def boxes_cam_from_velo(cam_SE3_velo: SE3, boxes: ArrayLike) -> NDArrayFloat:
    """Bring boxes of the velo frame to KITTI's form.

    Args:
        cam_SE3_velo: rectified reference camera from velo.
        boxes: (N, 7) [x, y, z, length, width, height, yaw], centre of volume, metres and radians.

    Returns:
        (N, 7) [x, y, z, height, width, length, rotation_y], bottom centre, rotation_y in [-pi, pi).

    Raises:
        ValueError: wrong shape or not finite.
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    to_cam = np.linalg.inv(_ground_map(cam_SE3_velo))
    heading = np.stack([np.cos(table[:, 6]), np.sin(table[:, 6])]).T @ to_cam.T
    result = np.empty_like(table)
    result[:, :3] = cam_SE3_velo.transform_points(table[:, :3])
    result[:, 1] += table[:, 5] / 2
    result[:, 3:6] = table[:, [5, 4, 3]]
    result[:, 6] = wrap_pi(np.arctan2(-heading[:, 1], heading[:, 0]))
    return result


def check_upright(cam_SE3_velo: SE3) -> None:
    """Refuse a camera whose y axis is not nearly the vertical: upright boxes of one frame are not upright in the other.

    Args:
        cam_SE3_velo: rectified reference camera from velo.

    Raises:
        ValueError: it is tilted by more than 60 degrees, or its axes are mixed up; the message holds its rotation.
    """
    ground = cam_SE3_velo.inverse().rotation[:2][:, [0, 2]]
    if np.linalg.det(ground) < _LEAST_UPRIGHT:
        raise ValueError(
            "cam_SE3_velo: expected a camera that looks along the ground (x right, y down, z forward, from x forward,"
            f" y left, z up), its rotation is {cam_SE3_velo.rotation.round(4).tolist()}"
        )


def _ground_map(cam_SE3_velo: SE3) -> NDArrayFloat:
    """(2, 2) matrix that takes a camera heading (x, z) to a velo heading (x, y)."""
    check_upright(cam_SE3_velo)
    return cam_SE3_velo.inverse().rotation[:2][:, [0, 2]]
