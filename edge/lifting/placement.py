"""The image of boxes, quickly."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, PinholeCamera

_MIN_DEPTH_M: Final = 0.5
_CORNER_SIGNS: Final = np.array([[i, j, k] for i in (0.5, -0.5) for j in (0.5, -0.5) for k in (0.5, -0.5)])


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


def overlaps_px(boxes_px: NDArrayFloat, others_px: NDArrayFloat) -> NDArrayFloat:
    """Overlap of image boxes, row by row.

    Args:
        boxes_px: ``(N,4)`` x1, y1, x2, y2.
        others_px: ``(N,4)`` likewise.

    Returns:
        ``(N,)`` intersection over union, 0 to 1.
    """
    low, high = np.maximum(boxes_px[:, :2], others_px[:, :2]), np.minimum(boxes_px[:, 2:], others_px[:, 2:])
    shared = np.maximum(high - low, 0.0).prod(axis=1)
    areas = (boxes_px[:, 2:] - boxes_px[:, :2]).prod(axis=1) + (others_px[:, 2:] - others_px[:, :2]).prod(axis=1)
    overlap: NDArrayFloat = shared / np.maximum(areas - shared, 1e-9)
    return overlap
