"""What a sweep shows in the camera's view: points above the ground with their pixels, and the ground itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.edge.lifting.ground import Ground, fit_ground
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat32, PinholeCamera

_MIN_DEPTH_M: Final = 0.5
_GROUND_CLEARANCE_M: Final = 0.22
_HIGHEST_M: Final = 4.5


@dataclass(frozen=True)
class Scene:
    """A sweep, reduced to what lifting needs.

    Args:
        points_velo: ``(M,3) float32`` metres; points that the image shows and that stand above the ground.
        pixels: ``(M,2) float32`` their u, v.
        ground: of the view.
    """

    points_velo: NDArrayFloat32
    pixels: NDArrayFloat32
    ground: Ground


def view_scene(sweep: Sweep, camera: PinholeCamera) -> Scene:
    """Project a sweep once, crop it to the image and take the ground out.

    Args:
        sweep: full turn or part of one.
        camera: whose view counts.
    """
    points, pixels = _crop_to_image(sweep.points_velo, camera)
    ground = fit_ground(points)
    heights = points[:, 2] - ground.height_m(points[:, :2]).astype(np.float32)
    standing = np.flatnonzero((heights > _GROUND_CLEARANCE_M) & (heights < _HIGHEST_M))
    return Scene(points[standing, :3], pixels[standing], ground)


def _crop_to_image(points_velo: NDArrayFloat32, camera: PinholeCamera) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Points in the image and their pixels, in single precision (its error is below a thousandth of a pixel)."""
    projection = camera.projection_velo.astype(np.float32)
    # a zero for the intensity keeps the product on the contiguous array of four columns
    rows, shift = np.hstack([projection[:, :3], np.zeros((3, 1), np.float32)]), projection[:, 3]
    depth = points_velo @ rows[2] + shift[2]
    ahead = np.flatnonzero(depth > _MIN_DEPTH_M)
    points, depth = points_velo[ahead], depth[ahead]
    scaled_u = points @ rows[0] + shift[0]
    aside = np.flatnonzero((scaled_u >= 0) & (scaled_u < camera.width_px * depth))
    points, depth, scaled_u = points[aside], depth[aside], scaled_u[aside]
    v = (points @ rows[1] + shift[1]) / depth
    inside = np.flatnonzero((v >= 0) & (v < camera.height_px))
    return points[inside], np.stack([scaled_u[inside] / depth[inside], v[inside]], axis=1)
