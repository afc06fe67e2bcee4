"""From pixels to rays: the camera's model turned round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.geometry import SE3, NDArrayFloat32, PinholeCamera


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

    def points_at(self, range_m: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,3) float32`` points on the rays.

        Args:
            range_m: ``(N,) float32`` finite.
        """
        return self.origin_m + self.directions * range_m[:, None]

    def select(self, rows: np.ndarray) -> Rays:
        """Some of the rays.

        Args:
            rows: indices or a mask.
        """
        return Rays(self.origin_m, self.directions[rows], self.metres_per_depth[rows])


def pixel_rays(camera: PinholeCamera, world_SE3_velo: SE3, pixels_px: NDArrayFloat32) -> Rays:
    """Rays through places in the image.

    With `projection` = [K | k], the centre is where the projection vanishes, -K⁻¹k, and every point of a pixel's ray is
    that centre + depth · K⁻¹(u, v, 1).

    Args:
        camera: the camera.
        world_SE3_velo: pose of the LiDAR that it is calibrated to.
        pixels_px: ``(N,2) float32`` u and v; pixel centres are whole.
    """
    inverse = np.linalg.inv(camera.projection[:, :3])
    world_SE3_cam = world_SE3_velo.compose(camera.cam_SE3_velo.inverse())
    origin = world_SE3_cam.transform_points(-inverse @ camera.projection[:, 3])
    to_world = world_SE3_cam.rotation @ inverse
    per_depth = pixels_px @ to_world[:, :2].T.astype(np.float32) + to_world[:, 2].astype(np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", per_depth, per_depth))
    return Rays(origin.astype(np.float32), per_depth / length[:, None], length)


def all_pixels(camera: PinholeCamera) -> NDArrayFloat32:
    """``(H·W,2) float32`` centres of all pixels, row by row.

    Args:
        camera: whose image.
    """
    v, u = np.mgrid[: camera.height_px, : camera.width_px].astype(np.float32)
    return np.stack([u.ravel(), v.ravel()], axis=1)
