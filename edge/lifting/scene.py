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
_NO_INTENSITY: Final = np.zeros((2, 1), np.float32)


@dataclass(frozen=True)
class Scene:
    """A sweep, reduced to what lifting needs.

    Args:
        xyz_velo: ``(3,M) float32`` metres; points that the image shows and that stand above the ground. As rows,
            because coordinates are searched one by one.
        pixels: ``(2,M) float32`` their u and v.
        ground: of the view.
        inside: for every detection of the image the indices, ascending, of the points in its box, and in its mask
            where it has one. Kept in the masks' stead, which would fill the memory of a device within seconds.
    """

    xyz_velo: NDArrayFloat32
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
    xyz, pixels = _crop_to_image(sweep.points_velo, camera)
    ground = fit_ground(xyz)
    heights = xyz[2] - ground.height_m(xyz[0], xyz[1])
    standing = np.flatnonzero((heights > _GROUND_CLEARANCE_M) & (heights < _HIGHEST_M))
    pixels = pixels.take(standing, axis=1)
    return Scene(xyz.take(standing, axis=1), pixels, ground, points_inside(pixels, detections))


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
    """``(3,M)`` points in the image and their ``(2,M)`` pixels, in the sweep's order.

    In single precision, whose error is below a thousandth of a pixel. Most points are not before the camera: what can
    be told of them all without a division comes first.
    """
    projection = camera.projection_velo.astype(np.float32)
    half_px = np.float32(camera.width_px / 2)
    # u from the middle of the image and half the image's width, both times depth
    sideways = np.stack([projection[0] - half_px * projection[2], half_px * projection[2]])
    offset, reach = np.concatenate([sideways[:, :3], _NO_INTENSITY], axis=1) @ points_velo.T
    offset += sideways[0, 3]
    reach += sideways[1, 3]
    aside = np.flatnonzero((np.abs(offset, out=offset) <= reach) & (reach > half_px * _MIN_DEPTH_M))
    xyz = np.ascontiguousarray(points_velo.take(aside, axis=0).T[:3])
    scaled = projection[:, :3] @ xyz + projection[:, 3:]
    u, v = pixels = scaled[:2] / scaled[2]
    inside = np.flatnonzero((u >= 0) & (u < camera.width_px) & (v >= 0) & (v < camera.height_px))
    return xyz.take(inside, axis=1), pixels.take(inside, axis=1)
