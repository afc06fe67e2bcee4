"""Pinhole camera of a rectified image, with KITTI's full chain from the LiDAR to the pixel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.arrays import NDArrayBool, NDArrayFloat, finite_rows, frozen_array
from vedette.geometry.boxes import BOX_COLUMNS
from vedette.geometry.frustum import frustum_bounds, near_bounds
from vedette.geometry.se3 import SE3

MAX_PROJECTION_PX: Final = 1e9
"""Far above any camera, and small enough that no product in a projection overflows, in float32 neither."""
MAX_SIDE_PX: Final = 65_535
"""Of an image."""
# Points projected together: for a full sweep, fresh memory for temporaries would cost more than the arithmetic.
_BLOCK = 16384


@dataclass(frozen=True, eq=False)
class PinholeCamera:
    """A camera that maps velo points to pixels by `projection @ cam_SE3_velo`.

    KITTI: `projection` is P_rect of this camera (P2 for the left colour image), `cam_SE3_velo` is R0_rect times
    Tr_velo_to_cam, into the rectified *reference* camera; the fourth column of P2 carries the offset between the two
    cameras. (Geiger et al., Vision meets Robotics, IJRR 2013, equations 4 to 8.)

    Pixel centres have whole coordinates, so the image reaches from 0 to width - 1 and height - 1, as KITTI's labels do.

    Args:
        projection: (3, 4) in pixels; third row 0 0 1 and an offset, so that the third coordinate is a depth in metres.
        cam_SE3_velo: rectified reference camera from velo.
        width_px: pixels, above 0, at most `MAX_SIDE_PX`.
        height_px: likewise.

    Raises:
        ValueError: wrong shape, not finite, elements or a size over the limits, a focal length or size that is not
            positive.
    """

    projection: NDArrayFloat
    cam_SE3_velo: SE3
    width_px: int
    height_px: int

    def __post_init__(self) -> None:
        projection = frozen_array(self.projection, (3, 4), "camera projection")
        if not np.allclose(projection[2, :3], [0.0, 0.0, 1.0], rtol=0.0, atol=1e-6):
            raise ValueError(f"camera projection: expected third row 0 0 1 t, got {projection[2].tolist()}")
        if projection[0, 0] <= 0 or projection[1, 1] <= 0:
            focal = (float(projection[0, 0]), float(projection[1, 1]))
            raise ValueError(f"camera projection: expected focal lengths above 0, got {focal}")
        if np.abs(projection).max() > MAX_PROJECTION_PX:
            raise ValueError(
                f"camera projection: expected elements of at most {MAX_PROJECTION_PX:g}, got {projection.tolist()}"
            )
        if not (0 < self.width_px <= MAX_SIDE_PX and 0 < self.height_px <= MAX_SIDE_PX):
            met = f"{self.width_px} x {self.height_px}"
            raise ValueError(f"camera: expected an image size above 0 and at most {MAX_SIDE_PX} px, got {met}")
        object.__setattr__(self, "projection", projection)

    @property
    def fx(self) -> float:
        """Horizontal focal length, pixels."""
        return float(self.projection[0, 0])

    @property
    def fy(self) -> float:
        """Vertical focal length, pixels."""
        return float(self.projection[1, 1])

    @property
    def cx(self) -> float:
        """Horizontal principal point, pixels."""
        return float(self.projection[0, 2])

    @property
    def cy(self) -> float:
        """Vertical principal point, pixels."""
        return float(self.projection[1, 2])

    @cached_property
    def projection_velo(self) -> NDArrayFloat:
        """(3, 4) matrix from velo points to (u·depth, v·depth, depth)."""
        return self.projection @ self.cam_SE3_velo.matrix

    def project_cam(self, points_cam: ArrayLike) -> tuple[NDArrayFloat, NDArrayFloat]:
        """Project points of the rectified reference camera.

        Args:
            points_cam: (..., 3) metres, x right, y down, z forward.

        Returns:
            (..., 2) pixels, NaN where the depth is not above 0, and (...,) depths in metres.

        Raises:
            ValueError: the last axis is not 3 long.
        """
        return _project(self.projection, points_cam)

    def project_velo(self, points_velo: ArrayLike) -> tuple[NDArrayFloat, NDArrayFloat]:
        """Project points of the LiDAR.

        Args:
            points_velo: (..., 3 or more) metres, x forward, y left, z up; further columns are ignored.

        Returns:
            (..., 2) pixels, NaN where the depth is not above 0, and (...,) depths in metres.

        Raises:
            ValueError: the last axis is shorter than 3.
        """
        return _project(self.projection_velo, np.asarray(points_velo)[..., :3])

    def in_image(self, uv: ArrayLike, depth_m: ArrayLike) -> NDArrayBool:
        """Whether projected points lie before the camera and in the image, so that rounding gives a pixel of it.

        Args:
            uv: (..., 2) pixels.
            depth_m: (...,) metres.

        Returns:
            (...,) bool.
        """
        pixels = np.asarray(uv, dtype=np.float64)
        u, v = pixels[..., 0], pixels[..., 1]
        inside: NDArrayBool = (u >= 0) & (u <= self.width_px - 1) & (v >= 0) & (v <= self.height_px - 1)
        return inside & (np.asarray(depth_m) > 0)

    def project_boxes(self, boxes_velo: ArrayLike) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayBool]:
        """Image boxes of 3D boxes, cut at a near plane 0.1 m before the camera.

        Args:
            boxes_velo: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.

        Returns:
            (N, 4) [x1, y1, x2, y2] pixels around what the image shows, within [0, width - 1] and [0, height - 1];
            (N, 4) the same if the image had no borders; (N,) whether the image shows anything. Rows of NaN: in the
            first where it does not, in the second where the whole box is behind the near plane.

        Raises:
            ValueError: wrong shape or not finite.
        """
        boxes = finite_rows(boxes_velo, BOX_COLUMNS, "boxes")
        unclipped_px = near_bounds(boxes, self.projection_velo)
        boxes_px = frustum_bounds(boxes, self.projection_velo, (self.width_px - 1.0, self.height_px - 1.0))
        # NaN compares false, so that a box out of view is not visible either
        visible = np.logical_and(boxes_px[:, 2] > boxes_px[:, 0], boxes_px[:, 3] > boxes_px[:, 1])
        boxes_px[~visible] = np.nan
        return boxes_px, unclipped_px, visible


def _project(projection: NDArrayFloat, points: ArrayLike) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Pixels and depths of (..., 3) points by a (3, 4) matrix."""
    values = np.asarray(points)
    if values.ndim == 0 or values.shape[-1] != 3:
        raise ValueError(f"points: expected shape (..., 3), got {values.shape}")
    flat = values.reshape(-1, 3)
    uv, depth_m = np.empty((len(flat), 2)), np.empty(len(flat))
    for start in range(0, len(flat), _BLOCK):
        block = slice(start, start + _BLOCK)
        axes = np.ascontiguousarray(flat[block].T, dtype=np.float64)
        homogeneous = projection[:, :3] @ axes + projection[:, 3:]
        depth_m[block] = homogeneous[2]
        ahead = np.where(homogeneous[2] > 0, homogeneous[2], np.nan)
        np.divide(homogeneous[0], ahead, out=uv[block, 0])
        np.divide(homogeneous[1], ahead, out=uv[block, 1])
    return uv.reshape(*values.shape[:-1], 2), depth_m.reshape(values.shape[:-1])
