"""What a sweep shows in the camera's view: points above the ground with their pixels, and the ground itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.edge.lifting.ground import Ground, fit_ground
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat32, NDArrayInt, PinholeCamera

_MIN_DEPTH_M: Final = 0.5
_GROUND_CLEARANCE_M: Final = 0.22
_HIGHEST_M: Final = 4.5
_SPILL_PX: Final = 1.0
_BLOCK_POINTS: Final = 16_384


@dataclass(frozen=True)
class Scene:
    """A sweep, reduced to what lifting needs.

    Args:
        points_velo: ``(M,3) float32`` metres; points that the image shows and that stand above the ground.
        pixels: ``(2,M) float32`` their u and v, as rows: they are searched one by one.
        ground: of the view.
        inside: for every detection of the image the indices, ascending, of the points in its box, and in its mask
            where it has one. Kept in the masks' stead, which would fill the memory of a device within seconds.
    """

    points_velo: NDArrayFloat32
    pixels: NDArrayFloat32
    ground: Ground
    inside: tuple[NDArrayInt, ...]


def view_scene(sweep: Sweep, camera: PinholeCamera, detections: Detections2D) -> Scene:
    """Project a sweep once, crop it to the image, take the ground out, and see which points each detection holds.

    Args:
        sweep: full turn or part of one.
        camera: whose view counts.
        detections: of its image.
    """
    points, pixels = _crop_to_image(sweep.points_velo, camera)
    ground = fit_ground(points)
    heights = points[:, 2] - ground.height_m(points[:, :2]).astype(np.float32)
    standing = np.flatnonzero((heights > _GROUND_CLEARANCE_M) & (heights < _HIGHEST_M))
    points, pixels = np.ascontiguousarray(points.take(standing, axis=0)[:, :3]), pixels.take(standing, axis=1)
    return Scene(points, pixels, ground, points_inside(pixels, detections))


def points_inside(pixels: NDArrayFloat32, detections: Detections2D) -> tuple[NDArrayInt, ...]:
    """For every detection the points in its box, and in its mask where it has one.

    Args:
        pixels: ``(2,M)`` u and v of points in the image.
        detections: with masks or without.

    Returns:
        Indices of points, ascending, for each detection.
    """
    u, v = pixels
    found: list[NDArrayInt] = []
    for row, (x1, y1, x2, y2) in enumerate(detections.boxes_px.tolist()):
        index = np.flatnonzero(
            (u > x1 - _SPILL_PX) & (u < x2 + _SPILL_PX) & (v > y1 - _SPILL_PX) & (v < y2 + _SPILL_PX)
        )
        if detections.masks is not None:
            index = index[detections.masks[row, v[index].astype(np.int64), u[index].astype(np.int64)]]
        found.append(index)
    return tuple(found)


def _crop_to_image(points_velo: NDArrayFloat32, camera: PinholeCamera) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Points in the image and their pixels, in single precision (its error is below a thousandth of a pixel).

    Block by block, because fresh memory for the temporaries of a whole sweep costs more than the arithmetic.
    """
    projection = camera.projection_velo.astype(np.float32)
    size_px = (camera.width_px, camera.height_px)
    blocks = [
        _crop_block(points_velo[start : start + _BLOCK_POINTS], projection, size_px)
        for start in range(0, len(points_velo), _BLOCK_POINTS)
    ]
    return np.concatenate([points for points, _ in blocks]), np.concatenate([pixels for _, pixels in blocks], axis=1)


def _crop_block(
    points: NDArrayFloat32, projection: NDArrayFloat32, size_px: tuple[int, int]
) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    xyz = np.ascontiguousarray(points[:, :3].T)
    scaled_u, depth = projection[[0, 2], :3] @ xyz + projection[[0, 2], 3:]
    aside = np.flatnonzero((depth > _MIN_DEPTH_M) & (scaled_u >= 0) & (scaled_u < size_px[0] * depth))
    points, scaled_u, depth = points.take(aside, axis=0), scaled_u.take(aside), depth.take(aside)
    v = (projection[1, :3] @ xyz.take(aside, axis=1) + projection[1, 3]) / depth
    inside = np.flatnonzero((v >= 0) & (v < size_px[1]))
    pixels = np.stack([scaled_u.take(inside) / depth.take(inside), v.take(inside)])
    return points.take(inside, axis=0), pixels
