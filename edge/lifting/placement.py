"""Where a box of known size and heading stands, given the outline of the points on its visible faces.

Along each axis of the box, the end of the outline that faces the sensor is a face of the box if the sensor is clearly
beyond it; the box then lies behind it. Otherwise the sensor looks along that face, the outline is only part of the
extent, and of the places that hold the outline the one is taken whose image agrees best with the detection.

```
            ┌───────────────┐
            │      box      │ width: behind the visible face
            └──· · · · · · ·┘ <- face
               sensor           length: may slide while it holds the points
```
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from vedette.edge.lifting.rectangle import Extents
from vedette.geometry import NDArrayFloat, PinholeCamera

_SLIDES: Final = 5
_FULL_SHARE: Final = 0.95
_PREDICTION_PENALTY: Final = 0.15
_MAX_PENALTY_M: Final = 2.0
_MIN_DEPTH_M: Final = 0.5
# the sensor must be beyond a face by this much, and by this share of the range, to see it
_FACE_BEYOND_M: Final = (0.3, 0.5)
_FACE_BEYOND_SHARE: Final = (0.06, 0.12)
_CORNER_SIGNS: Final = np.array([[i, j, k] for i in (0.5, -0.5) for j in (0.5, -0.5) for k in (0.5, -0.5)])


def place(
    outline: Extents,
    box_size_yaw: NDArrayFloat,
    bottom_z: float,
    detection_px: NDArrayFloat,
    camera: PinholeCamera,
    *,
    cut_by_border: bool,
    predicted_xy: NDArrayFloat | None,
) -> tuple[NDArrayFloat, float]:
    """Find the centre of the box seen from above.

    Args:
        outline: of the object's points, along the box's axes.
        box_size_yaw: ``(4,)`` length, width, height, yaw.
        bottom_z: height of the local ground, velo frame.
        detection_px: ``(4,)`` x1, y1, x2, y2.
        camera: that made the detection.
        cut_by_border: whether the left or right border of the image cuts the object: then what is seen is its far end.
        predicted_xy: ``(2,)`` where the track expects it, or None.

    Returns:
        ``(2,)`` metres, velo frame; and how well the image of the box there agrees with the detection: overlap, less a
        penalty for the distance from the prediction.
    """
    range_m = math.hypot(*((outline.low + outline.high) / 2).tolist())
    along = [
        _choices(outline, axis, float(box_size_yaw[axis]), range_m, cut_by_border=cut_by_border and axis == 0)
        for axis in range(2)
    ]
    centres = np.array([(a, b) for a in along[0] for b in along[1]]) @ outline.axes
    bounds_px = _bounds_at_px(centres, box_size_yaw, bottom_z, camera)
    agreement = _overlap(bounds_px, detection_px)
    if predicted_xy is not None:
        offset_m = np.hypot(centres[:, 0] - predicted_xy[0], centres[:, 1] - predicted_xy[1])
        agreement = agreement - _PREDICTION_PENALTY * np.minimum(offset_m, _MAX_PENALTY_M)
    best = int(np.argmax(agreement))
    return centres[best], float(agreement[best])


def _choices(outline: Extents, axis: int, size_m: float, range_m: float, *, cut_by_border: bool) -> list[float]:
    """Possible centres along one axis."""
    low, high = float(outline.low[axis]), float(outline.high[axis])
    middle = (low + high) / 2
    behind_near = low + size_m / 2 if middle > 0 else high - size_m / 2
    before_far = high - size_m / 2 if middle > 0 else low + size_m / 2
    if high - low >= _FULL_SHARE * size_m and (cut_by_border or not _sees_face(axis, low, high, range_m)):
        return [middle]
    if cut_by_border:
        return [before_far]
    if _sees_face(axis, low, high, range_m):
        return [behind_near]
    step = (before_far - behind_near) / (_SLIDES - 1)
    return [behind_near + step * index for index in range(_SLIDES)]


def _sees_face(axis: int, low: float, high: float, range_m: float) -> bool:
    beyond_m = low if low + high > 0 else -high
    return beyond_m > max(_FACE_BEYOND_SHARE[axis] * range_m, _FACE_BEYOND_M[axis])


def _bounds_at_px(
    centres: NDArrayFloat, box_size_yaw: NDArrayFloat, bottom_z: float, camera: PinholeCamera
) -> NDArrayFloat:
    """``(N,4)`` image boxes of one box at several places: its corners are projected once, and shifted."""
    length, width, height, yaw = box_size_yaw.tolist()
    cos, sin = math.cos(yaw), math.sin(yaw)
    local = _CORNER_SIGNS * (length, width, height)
    turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    matrix = camera.projection_velo
    corners = local @ turn @ matrix[:, :3].T
    shifts = centres @ matrix[:, :2].T + (matrix[:, 2] * (bottom_z + height / 2) + matrix[:, 3])
    return _bounds_px(shifts[:, None, :] + corners, camera)


def quick_bounds_px(boxes_velo: NDArrayFloat, camera: PinholeCamera) -> NDArrayFloat:
    """Image boxes of 3D boxes, clipped to the image; corners behind the camera are taken just before it.

    A tenth of the time of `PinholeCamera.project_boxes` and the same for boxes wholly before the camera.

    Args:
        boxes_velo: ``(N,7)``.
        camera: to project with.

    Returns:
        ``(N,4)`` x1, y1, x2, y2; of no area for a box out of view.
    """
    cos, sin = np.cos(boxes_velo[:, 6, None]), np.sin(boxes_velo[:, 6, None])
    local = _CORNER_SIGNS * boxes_velo[:, None, 3:6]
    x = boxes_velo[:, 0, None] + cos * local[..., 0] - sin * local[..., 1]
    y = boxes_velo[:, 1, None] + sin * local[..., 0] + cos * local[..., 1]
    corners = np.stack([x, y, boxes_velo[:, 2, None] + local[..., 2]], axis=-1)
    return _bounds_px(corners @ camera.projection_velo[:, :3].T + camera.projection_velo[:, 3], camera)


def _bounds_px(scaled: NDArrayFloat, camera: PinholeCamera) -> NDArrayFloat:
    """``(N,4)`` bounds in the image of ``(N,8,3)`` homogeneous corners."""
    pixels = scaled[..., :2] / np.maximum(scaled[..., 2:], _MIN_DEPTH_M)
    bounds = np.concatenate([pixels.min(axis=1), pixels.max(axis=1)], axis=1)
    limits = (camera.width_px - 1.0, camera.height_px - 1.0) * 2
    clipped: NDArrayFloat = np.minimum(np.maximum(bounds, 0.0), limits)
    return clipped


def _overlap(boxes_px: NDArrayFloat, box_px: NDArrayFloat) -> NDArrayFloat:
    """``(N,)`` IoU of boxes with one box."""
    x1, y1, x2, y2 = box_px.tolist()
    width = np.minimum(boxes_px[:, 2], x2) - np.maximum(boxes_px[:, 0], x1)
    height = np.minimum(boxes_px[:, 3], y2) - np.maximum(boxes_px[:, 1], y1)
    shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
    area = (boxes_px[:, 2] - boxes_px[:, 0]) * (boxes_px[:, 3] - boxes_px[:, 1])
    overlap: NDArrayFloat = shared / np.maximum(area + (x2 - x1) * (y2 - y1) - shared, 1e-9)
    return overlap
