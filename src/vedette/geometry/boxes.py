"""Upright 3D boxes in the velo frame: corners, sizes, membership and motion.

A box is a row `[x, y, z, length, width, height, yaw]`: the centre of the volume in metres (x forward, y left, z up),
the three sizes in metres, and the heading of the length axis in radians, counter-clockwise from +x. A box with a size
of zero or less is empty: it has no volume and holds no point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.angles import wrap_pi
from vedette.geometry.arrays import NDArrayBool, NDArrayFloat, finite_rows
from vedette.geometry.se3 import SE3

BOX_COLUMNS = 7

# Corner signs along (length, width), counter-clockwise seen from above, from front left.
_BEV_SIGNS = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


def bev_corners(boxes: ArrayLike) -> NDArrayFloat:
    """Corners of the boxes seen from above, counter-clockwise from front left.

    ```
        1 ────── 0
        │    →   │  heading
        2 ────── 3
    ```

    Args:
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.

    Returns:
        (N, 4, 2) metres.

    Raises:
        ValueError: wrong shape or not finite.
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    local = _BEV_SIGNS * (table[:, None, 3:5] / 2)
    cos, sin = np.cos(table[:, 6, None]), np.sin(table[:, 6, None])
    x = table[:, 0, None] + cos * local[..., 0] - sin * local[..., 1]
    y = table[:, 1, None] + sin * local[..., 0] + cos * local[..., 1]
    return np.stack([x, y], axis=-1)


def corners(boxes: ArrayLike) -> NDArrayFloat:
    """The eight corners of the boxes: the bottom counter-clockwise from front left, then the top likewise.

    ```
          5 ─────── 4
         ╱│        ╱│        z  x (heading)
        6 ─────── 7 │        │ ╱
        │ 1 ──────│ 0        │╱
        │╱        │╱    y ───┘
        2 ─────── 3        front is the face 0 3 7 4
    ```

    Args:
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.

    Returns:
        (N, 8, 3) metres, in the frame of the boxes.

    Raises:
        ValueError: wrong shape or not finite.
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    result = np.empty((len(table), 8, 3))
    result[:, :4, :2] = result[:, 4:, :2] = bev_corners(table)
    half_height = table[:, 5, None] / 2
    result[:, :4, 2] = table[:, 2, None] - half_height
    result[:, 4:, 2] = table[:, 2, None] + half_height
    return result


def bev_area(boxes: ArrayLike) -> NDArrayFloat:
    """Area of the boxes seen from above.

    Args:
        boxes: (N, 7), metres and radians.

    Returns:
        (N,) square metres; 0 for an empty box.

    Raises:
        ValueError: wrong shape or not finite.
    """
    sizes = np.maximum(finite_rows(boxes, BOX_COLUMNS, "boxes")[:, 3:5], 0.0)
    area: NDArrayFloat = sizes[:, 0] * sizes[:, 1]
    return area


def volume(boxes: ArrayLike) -> NDArrayFloat:
    """Volume of the boxes.

    Args:
        boxes: (N, 7), metres and radians.

    Returns:
        (N,) cubic metres; 0 for an empty box.

    Raises:
        ValueError: wrong shape or not finite.
    """
    height = np.maximum(finite_rows(boxes, BOX_COLUMNS, "boxes")[:, 5], 0.0)
    return bev_area(boxes) * height


def points_in_boxes(points: ArrayLike, boxes: ArrayLike) -> NDArrayBool:
    """Which points lie in which boxes, faces included.

    Args:
        points: (P, 3 or more) metres, same frame as the boxes; further columns are ignored, NaN lies in no box.
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.

    Returns:
        (N, P) bool.

    Raises:
        ValueError: wrong shape, or boxes that are not finite.
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    cloud = np.asarray(points)
    if cloud.ndim != 2 or cloud.shape[1] < 3:
        raise ValueError(f"points: expected shape (P, 3 or more), got {cloud.shape}")
    axes = np.ascontiguousarray(cloud[:, :3].T, dtype=np.float64)
    inside = np.zeros((len(table), len(cloud)), dtype=np.bool_)
    reach = np.hypot(table[:, 3], table[:, 4])[:, None] / 2 + 1e-6
    low, high = table[:, :2] - reach, table[:, :2] + reach
    for row, box in enumerate(table):
        # a sweep has 120,000 points and a box some hundred: a cheap test leaves few for the exact one
        close = (axes[0] >= low[row, 0]) & (axes[0] <= high[row, 0])
        close &= (axes[1] >= low[row, 1]) & (axes[1] <= high[row, 1])
        near = np.flatnonzero(close)
        inside[row, near] = _inside_box(axes[:, near], box)
    return inside


def transform_boxes(dst_SE3_src: SE3, boxes: ArrayLike) -> NDArrayFloat:
    """Move boxes to another frame; boxes stay upright, so what a motion pitches and rolls is dropped from them.

    Args:
        dst_SE3_src: the motion, near level.
        boxes: (N, 7) [x, y, z, length, width, height, yaw], in src.

    Returns:
        (N, 7), in dst, yaw in [-pi, pi): that of the heading vector after the motion.

    Raises:
        ValueError: wrong shape or not finite.
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    heading = np.stack([np.cos(table[:, 6]), np.sin(table[:, 6]), np.zeros(len(table))], axis=1)
    turned = dst_SE3_src.rotate_vectors(heading)
    moved = table.copy()
    moved[:, :3] = dst_SE3_src.transform_points(table[:, :3])
    moved[:, 6] = wrap_pi(np.arctan2(turned[:, 1], turned[:, 0]))
    return moved


def _inside_box(points: NDArrayFloat, box: NDArrayFloat) -> NDArrayBool:
    """Exact test of (3, P) points against one box: their offsets along its axes against its half sizes."""
    offset = points - box[:3, None]
    cos, sin = np.cos(box[6]), np.sin(box[6])
    along = np.abs(cos * offset[0] + sin * offset[1])
    across = np.abs(cos * offset[1] - sin * offset[0])
    half_length, half_width, half_height = box[3:6] / 2
    inside: NDArrayBool = (along <= half_length) & (across <= half_width) & (np.abs(offset[2]) <= half_height)
    return inside & bool((box[3:6] > 0).all())
