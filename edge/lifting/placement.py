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
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
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


@dataclass(frozen=True)
class Stand:
    """A box that has to be placed, and what it has to agree with.

    Args:
        outline: of the object's points, along the box's axes.
        size_m: length, width, height.
        bottom_z: height of the local ground, velo frame.
        detection_px: ``(4,)`` x1, y1, x2, y2.
        cut_by_border: whether the left or right border of the image cuts the object: then what is seen is its far end.
        predicted_xy: ``(2,)`` where the track expects it, or None.
    """

    outline: Extents
    size_m: tuple[float, float, float]
    bottom_z: float
    detection_px: NDArrayFloat
    cut_by_border: bool
    predicted_xy: NDArrayFloat | None

    def centres(self) -> list[tuple[float, float]]:
        """Places worth a look, velo frame."""
        range_m = math.hypot(*self.outline.middle_m)
        along, across = (
            _choices(self.outline, axis, self.size_m[axis], range_m, cut_by_border=self.cut_by_border and axis == 0)
            for axis in range(2)
        )
        return [self.outline.xy_velo(a, b) for a in along for b in across]


@dataclass(frozen=True)
class Placed:
    """Where a box stands.

    Args:
        xy_velo: centre.
        agreement: of its image with the detection: overlap, less a penalty for the distance from the prediction.
    """

    xy_velo: tuple[float, float]
    agreement: float


def place(stands: Sequence[Stand], camera: PinholeCamera) -> list[Placed]:
    """Find the centres of boxes seen from above, of all of an image at once.

    Args:
        stands: what has to be placed.
        camera: that made the detections.

    Returns:
        Parallel to the stands.
    """
    centres = [stand.centres() for stand in stands]
    boxes = [
        (x, y, stand.bottom_z + stand.size_m[2] / 2, *stand.size_m, stand.outline.yaw)
        for stand, places in zip(stands, centres, strict=True)
        for x, y in places
    ]
    detections_px = np.repeat([stand.detection_px for stand in stands], [len(places) for places in centres], axis=0)
    overlaps = iter(_overlaps(quick_bounds_px(np.array(boxes), camera), detections_px).tolist())
    return [
        _best(stand, [(next(overlaps), at) for at in places]) for stand, places in zip(stands, centres, strict=True)
    ]


def _best(stand: Stand, choices: Sequence[tuple[float, tuple[float, float]]]) -> Placed:
    """Of overlaps and places the best, those near the prediction preferred."""
    if stand.predicted_xy is not None:
        x, y = stand.predicted_xy.tolist()
        choices = [
            (overlap - _PREDICTION_PENALTY * min(math.hypot(at[0] - x, at[1] - y), _MAX_PENALTY_M), at)
            for overlap, at in choices
        ]
    agreement, at = max(choices, key=itemgetter(0))
    return Placed(at, agreement)


def _choices(outline: Extents, axis: int, size_m: float, range_m: float, *, cut_by_border: bool) -> list[float]:
    """Possible centres along one axis."""
    low, high = outline.low_m[axis], outline.high_m[axis]
    middle = (low + high) / 2
    behind_near = low + size_m / 2 if middle > 0 else high - size_m / 2
    before_far = high - size_m / 2 if middle > 0 else low + size_m / 2
    sees_face = _sees_face(axis, low, high, range_m)
    if high - low >= _FULL_SHARE * size_m and (cut_by_border or not sees_face):
        return [middle]
    if cut_by_border:
        return [before_far]
    if sees_face:
        return [behind_near]
    step = (before_far - behind_near) / (_SLIDES - 1)
    return [behind_near + step * index for index in range(_SLIDES)]


def _sees_face(axis: int, low: float, high: float, range_m: float) -> bool:
    beyond_m = low if low + high > 0 else -high
    return beyond_m > max(_FACE_BEYOND_SHARE[axis] * range_m, _FACE_BEYOND_M[axis])


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


def _overlaps(boxes_px: NDArrayFloat, others_px: NDArrayFloat) -> NDArrayFloat:
    """``(N,)`` IoU of boxes, row by row."""
    low, high = np.maximum(boxes_px[:, :2], others_px[:, :2]), np.minimum(boxes_px[:, 2:], others_px[:, 2:])
    shared = np.maximum(high - low, 0.0).prod(axis=1)
    areas = (boxes_px[:, 2:] - boxes_px[:, :2]).prod(axis=1) + (others_px[:, 2:] - others_px[:, :2]).prod(axis=1)
    overlap: NDArrayFloat = shared / np.maximum(areas - shared, 1e-9)
    return overlap
