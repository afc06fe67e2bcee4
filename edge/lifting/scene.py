"""What a sweep shows in the camera's view: points above the ground with their pixels, and the ground itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.edge.lifting.ground import Ground, fit_ground
from vedette.edge.lifting.view import BORDER_PX
from vedette.frames import Sweep
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

_MIN_DEPTH_M: Final = 0.5
_GROUND_CLEARANCE_M: Final = 0.22
_HIGHEST_M: Final = 4.5
_SPILL_PX: Final = 1.0
_BESIDE_SHARE: Final = 0.25
_EROSION_SHARE: Final = 0.02
_MOST_EROSION_PX: Final = 3
_DIRECTIONS: Final = ((-1, 0), (1, 0), (0, -1), (0, 1))
_LONGEST_PER_HEIGHT: Final = 3.5
_FARTHEST_BEYOND_PX: Final = 1200.0
_BELOW_PX: Final = 400.0
_NO_INTENSITY: Final = np.zeros((2, 1), np.float32)


@dataclass(frozen=True)
class Scene:
    """A sweep, reduced to what lifting needs.

    Args:
        xyz_velo: ``(3,M) float32`` metres; points that the image shows and that stand above the ground. As rows,
            because coordinates are searched one by one.
        pixels: ``(2,M) float32`` their u and v.
        ground: of the view.
        around: for every detection of the image the indices, ascending, of the points in its box and beside it: what
            continues there is rather someone else's.
        inside: parallel to those, whether each is in the box, and in the mask where there is one. Kept in the masks'
            stead, which would fill the memory of a device within seconds.
    """

    xyz_velo: NDArrayFloat32
    pixels: NDArrayFloat32
    ground: Ground
    around: tuple[NDArrayInt, ...]
    inside: tuple[NDArrayBool, ...]


def view_scene(sweep: Sweep, camera: PinholeCamera, detections: Detections2D) -> Scene:
    """Project a sweep once, crop it to the image, take the ground out, and see which points each detection holds.

    Args:
        sweep: full turn or part of one.
        camera: whose view counts.
        detections: of its image.
    """
    bounds_px = beyond_border_px(detections.boxes_px, camera)
    low_px, high_px = float(bounds_px[:, 0].min(initial=0.0)), float(bounds_px[:, 2].max(initial=camera.width_px))
    lowest_px = float(bounds_px[:, 3].max(initial=camera.height_px))
    xyz, pixels = _crop_to_view(sweep.points_velo, camera, (low_px, high_px), lowest_px)
    ground = fit_ground(xyz)
    heights = xyz[2] - ground.height_m(xyz[0], xyz[1])
    standing = np.flatnonzero((heights > _GROUND_CLEARANCE_M) & (heights < _HIGHEST_M))
    pixels = pixels.take(standing, axis=1)
    return Scene(xyz.take(standing, axis=1), pixels, ground, *points_around(pixels, detections, bounds_px))


def beyond_border_px(boxes_px: NDArrayFloat, camera: PinholeCamera) -> NDArrayFloat:
    """``(N,4)`` boxes of detections; those that a border cuts reach on beyond it, as far as the object may.

    The sweep sees on where the image ends, and an object is not longer than a multiple of its height. The sky is no
    matter: what is cut above is near and tall, and its width tells where it stands.
    """
    bounds_px = boxes_px.copy()
    most_px = np.minimum(_LONGEST_PER_HEIGHT * (boxes_px[:, 3] - boxes_px[:, 1]), _FARTHEST_BEYOND_PX)
    left, right = boxes_px[:, 0] < BORDER_PX, boxes_px[:, 2] > camera.width_px - 1 - BORDER_PX
    below = boxes_px[:, 3] > camera.height_px - 1 - BORDER_PX
    bounds_px[left, 0] = np.minimum(boxes_px[left, 2] - most_px[left], 0.0)
    bounds_px[right, 2] = np.maximum(boxes_px[right, 0] + most_px[right], camera.width_px)
    bounds_px[below, 3] = camera.height_px + _BELOW_PX
    return bounds_px


def points_around(
    pixels: NDArrayFloat32, detections: Detections2D, bounds_px: NDArrayFloat
) -> tuple[tuple[NDArrayInt, ...], tuple[NDArrayBool, ...]]:
    """For every detection the points in its box and beside it, and which of them are in it, and in its mask.

    Args:
        pixels: ``(2,M)`` u and v of points, some of them beside the image.
        detections: with masks or without.
        bounds_px: ``(N,4)`` their boxes, drawn out where the border of the image cuts them.

    Returns:
        For each detection indices of points, ascending; and whether each of them is inside.
    """
    u, v = pixels
    around: list[NDArrayInt] = []
    inside: list[NDArrayBool] = []
    for row, (left, top, right, bottom) in enumerate(bounds_px.tolist()):
        aside_px, above_px = _BESIDE_SHARE * (right - left) + _SPILL_PX, _BESIDE_SHARE * (bottom - top) + _SPILL_PX
        near = np.flatnonzero(
            (u > left - aside_px) & (u < right + aside_px) & (v > top - above_px) & (v < bottom + _SPILL_PX)
        )
        x, y = u.take(near), v.take(near)
        within = (x > left - _SPILL_PX) & (x < right + _SPILL_PX) & (y > top - _SPILL_PX)
        if detections.masks is not None:
            within &= _in_mask(pixels.take(near, axis=1), detections.masks[row], erosion_px(right - left, bottom - top))
        around.append(near)
        inside.append(within)
    return tuple(around), tuple(inside)


def _in_mask(pixels: NDArrayFloat32, mask: NDArrayBool, erosion_px: int) -> NDArrayBool:
    """Whether points are in an eroded mask; beside the image, of which it tells nothing, they are.

    A point must be in the mask and the given number of pixels from its rim, upwards, downwards, and to both sides.
    """
    height, width = mask.shape
    u, v = pixels.astype(np.int64)
    inside: NDArrayBool = mask[np.clip(v, 0, height - 1), np.clip(u, 0, width - 1)]
    for across, down in _DIRECTIONS if erosion_px else ():
        rows, columns = np.clip(v + down * erosion_px, 0, height - 1), np.clip(u + across * erosion_px, 0, width - 1)
        inside &= mask[rows, columns]
    inside |= (u < 0) | (u >= width) | (v >= height)
    return inside


def erosion_px(width_px: float, height_px: float) -> int:
    """How much of a mask's rim to distrust.

    Masks spill over edges: a network draws them on a coarse grid, and the sweep's points project a pixel or two off.
    What spills is background, metres behind. A rim of three pixels costs a large object little, a small one half of its
    points; so it is a share of the smaller side, and nothing below 25 pixels.

    Args:
        width_px: of the detection.
        height_px: likewise.
    """
    return min(round(_EROSION_SHARE * min(width_px, height_px)), _MOST_EROSION_PX)


def _crop_to_view(
    points_velo: NDArrayFloat32, camera: PinholeCamera, across_px: tuple[float, float], lowest_px: float
) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """``(3,M)`` points whose u is in a range and whose v is from 0 to a limit, and their ``(2,M)`` pixels, in order.

    In single precision, whose error is below a thousandth of a pixel. Most points are not before the camera: what can
    be told of them all without a division comes first.
    """
    low_px, high_px = across_px
    projection = camera.projection_velo.astype(np.float32)
    # how far to the right of the left border and to the left of the right one, times depth; both only before the camera
    sides = np.stack([projection[0] - low_px * projection[2], high_px * projection[2] - projection[0]])
    from_left, from_right = np.concatenate([sides[:, :3], _NO_INTENSITY], axis=1) @ points_velo.T
    aside = np.flatnonzero((from_left >= -sides[0, 3]) & (from_right >= -sides[1, 3]))
    xyz = np.ascontiguousarray(points_velo.take(aside, axis=0).T[:3])
    scaled = projection[:, :3] @ xyz + projection[:, 3:]
    u, v = pixels = scaled[:2] / np.maximum(scaled[2], _MIN_DEPTH_M)
    inside = np.flatnonzero((scaled[2] > _MIN_DEPTH_M) & (u >= low_px) & (u < high_px) & (v >= 0) & (v < lowest_px))
    return xyz.take(inside, axis=1), pixels.take(inside, axis=1)
