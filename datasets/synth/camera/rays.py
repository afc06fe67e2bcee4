"""From pixels to rays: the camera's model turned round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.geometry import SE3, NDArrayFloat, NDArrayFloat32, PinholeCamera

_NEAR_M = 0.1
"""What is nearer to the plane of the camera than this, or behind it, does not show."""


@dataclass(frozen=True, eq=False)
class Rays:
    """Rays of one camera, in the world frame.

    Args:
        origin_m: ``(3,) float32`` where they all begin: the camera's centre.
        directions: ``(N,3) float32`` unit vectors.
        metres_per_depth: ``(N,) float32`` length of ray in which the depth along the optical axis grows by 1 m.
    """

    origin_m: NDArrayFloat32
    directions: NDArrayFloat32
    metres_per_depth: NDArrayFloat32

    def __len__(self) -> int:
        return len(self.directions)


class View:
    """A camera at a place in the world.

    With `projection` = [K | k], the centre is where the projection vanishes, -K⁻¹k, and every point of a pixel's ray is
    that centre + depth · K⁻¹(u, v, 1).

    Args:
        camera: the camera.
        world_SE3_velo: pose of the LiDAR that it is calibrated to.
    """

    def __init__(self, camera: PinholeCamera, world_SE3_velo: SE3) -> None:
        self.size = (camera.height_px, camera.width_px)
        """Height and width of the image."""
        self.pixel = 1.0 / camera.fx
        """Angle that a pixel covers, radians."""
        inverse = np.linalg.inv(camera.projection[:, :3])
        world_SE3_cam = world_SE3_velo.compose(camera.cam_SE3_velo.inverse())
        self.origin_m = world_SE3_cam.transform_points(-inverse @ camera.projection[:, 3])
        """``(3,)`` the camera's centre."""
        self.forward = world_SE3_cam.rotation[:, 2]
        """``(3,)`` unit vector along the optical axis."""
        self._per_depth_from_pixel = (world_SE3_cam.rotation @ inverse).astype(np.float32)
        self._world_from_cam = world_SE3_cam.rotation
        self._intrinsics = camera.projection[:, :3]

    def rays(self, pixels_px: NDArrayFloat32) -> Rays:
        """Rays through places in the image.

        Args:
            pixels_px: ``(N,2) float32`` u and v; pixel centres are whole.
        """
        matrix = self._per_depth_from_pixel
        per_depth = pixels_px @ matrix[:, :2].T + matrix[:, 2]
        length = np.sqrt(np.einsum("ij,ij->i", per_depth, per_depth))
        return Rays(self.origin_m.astype(np.float32), per_depth / length[:, None], length)

    def frames(self, points_m: NDArrayFloat32, slack_px: float = 2.0) -> tuple[slice, slice]:
        """Rows and columns of the pixels that points and everything between them can show in.

        Args:
            points_m: ``(N,3)``, world frame, at least one.
            slack_px: added on every side.
        """
        ahead = (points_m - self.origin_m) @ self._world_from_cam
        if ahead[:, 2].max() < _NEAR_M:
            return slice(0, 0), slice(0, 0)
        if ahead[:, 2].min() < _NEAR_M:
            ahead = _box_from(_NEAR_M, ahead)
        uvw = ahead @ self._intrinsics.T
        uv = uvw[:, :2] / uvw[:, 2:]
        (left, top), (right, bottom) = uv.min(axis=0) - slack_px, uv.max(axis=0) + slack_px
        return _within(top, bottom, self.size[0]), _within(left, right, self.size[1])

    def pixels(self) -> NDArrayFloat32:
        """``(H·W,2) float32`` centres of all pixels, row by row."""
        height, width = self.size
        pixels = np.empty((height, width, 2), dtype=np.float32)
        pixels[..., 0] = np.arange(width)
        pixels[..., 1] = np.arange(height)[:, None]
        return pixels.reshape(-1, 2)


def _box_from(near_m: float, points_m: NDArrayFloat) -> NDArrayFloat:
    """(8,3) corners of the box that holds points, along the camera's axes, without what is nearer than a depth."""
    low, high = points_m.min(axis=0), points_m.max(axis=0)
    low[2] = near_m
    return np.asarray(np.where(np.indices((2, 2, 2)).reshape(3, 8).T == 1, high, low))


def _within(first: float, last: float, count: int) -> slice:
    start, stop = np.clip([int(first), int(last) + 1], 0, count).tolist()
    return slice(start, stop)
