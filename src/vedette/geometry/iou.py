"""Overlap of boxes: intersection over union seen from above, in 3D and in the image.

IoU is the area (volume) two boxes share over the area (volume) of their union; it is 0 where either box is empty, that
is, has a size of zero or less. Seen from above the boxes are rotated rectangles; in 3D they are upright, so the volume
shared is that area times the overlap in height.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.arrays import NDArrayFloat, NDArrayInt, finite_rows
from vedette.geometry.boxes import BOX_COLUMNS, bev_area, volume
from vedette.geometry.rectangles import shared_area

_BEV = [0, 1, 3, 4, 6]


def bev_intersection_area(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """Area that each box of `a` shares with each box of `b`, seen from above.

    Args:
        a: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        b: (M, 7) likewise, same frame.

    Returns:
        (N, M) square metres.

    Raises:
        ValueError: wrong shape or not finite.
    """
    boxes_a, boxes_b = _boxes(a, "a"), _boxes(b, "b")
    rows, columns = _near_pairs(boxes_a, boxes_b)
    area = np.zeros((len(boxes_a), len(boxes_b)))
    area[rows, columns] = shared_area(boxes_a[rows][:, _BEV], boxes_b[columns][:, _BEV])
    return area


def bev_iou(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """IoU of each box of `a` with each box of `b`, seen from above.

    Args:
        a: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        b: (M, 7) likewise, same frame.

    Returns:
        (N, M) in [0, 1].

    Raises:
        ValueError: wrong shape or not finite.
    """
    return _ratio(bev_intersection_area(a, b), bev_area(a)[:, None], bev_area(b))


def iou_3d(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """IoU of each box of `a` with each box of `b`, by volume.

    Args:
        a: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        b: (M, 7) likewise, same frame.

    Returns:
        (N, M) in [0, 1].

    Raises:
        ValueError: wrong shape or not finite.
    """
    boxes_a, boxes_b = _boxes(a, "a"), _boxes(b, "b")
    shared = bev_intersection_area(boxes_a, boxes_b) * _height_overlap(boxes_a[:, None], boxes_b)
    return _ratio(shared, volume(boxes_a)[:, None], volume(boxes_b))


def bev_iou_pairs(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """IoU of each box of `a` with the box of `b` in the same row, seen from above.

    Args:
        a: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        b: (N, 7) likewise, same frame.

    Returns:
        (N,) in [0, 1].

    Raises:
        ValueError: wrong shape, unequal numbers, or not finite.
    """
    boxes_a, boxes_b = _paired_boxes(a, b)
    shared = shared_area(boxes_a[:, _BEV], boxes_b[:, _BEV])
    return _ratio(shared, bev_area(boxes_a), bev_area(boxes_b))


def iou_3d_pairs(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """IoU of each box of `a` with the box of `b` in the same row, by volume.

    Args:
        a: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        b: (N, 7) likewise, same frame.

    Returns:
        (N,) in [0, 1].

    Raises:
        ValueError: wrong shape, unequal numbers, or not finite.
    """
    boxes_a, boxes_b = _paired_boxes(a, b)
    shared = shared_area(boxes_a[:, _BEV], boxes_b[:, _BEV]) * _height_overlap(boxes_a, boxes_b)
    return _ratio(shared, volume(boxes_a), volume(boxes_b))


def iou_2d(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """IoU of each image box of `a` with each of `b`; coordinates are edges, so a box has the area width times height.

    Args:
        a: (N, 4) [x1, y1, x2, y2], pixels.
        b: (M, 4) likewise.

    Returns:
        (N, M) in [0, 1].

    Raises:
        ValueError: wrong shape or not finite.
    """
    boxes_a, boxes_b = finite_rows(a, 4, "image boxes a"), finite_rows(b, 4, "image boxes b")
    return _ratio(_intersection_2d(boxes_a, boxes_b), _area_2d(boxes_a)[:, None], _area_2d(boxes_b))


def ioa_2d(a: ArrayLike, b: ArrayLike) -> NDArrayFloat:
    """Share of each image box of `a` that lies in each of `b`: intersection over the area of `a`.

    Args:
        a: (N, 4) [x1, y1, x2, y2], pixels.
        b: (M, 4) likewise.

    Returns:
        (N, M) in [0, 1]; 0 where the box of `a` is empty.

    Raises:
        ValueError: wrong shape or not finite.
    """
    boxes_a, boxes_b = finite_rows(a, 4, "image boxes a"), finite_rows(b, 4, "image boxes b")
    shared = _intersection_2d(boxes_a, boxes_b)
    own = np.broadcast_to(_area_2d(boxes_a)[:, None], shared.shape)
    return np.divide(shared, own, out=np.zeros_like(shared), where=own > 0)


def _boxes(boxes: ArrayLike, name: str) -> NDArrayFloat:
    """Check a table of boxes."""
    return finite_rows(boxes, BOX_COLUMNS, f"boxes {name}")


def _paired_boxes(a: ArrayLike, b: ArrayLike) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Check two tables of boxes that go row by row."""
    boxes_a, boxes_b = _boxes(a, "a"), _boxes(b, "b")
    if len(boxes_a) != len(boxes_b):
        raise ValueError(f"pairs of boxes: expected as many a as b, got {len(boxes_a)} and {len(boxes_b)}")
    return boxes_a, boxes_b


def _near_pairs(a: NDArrayFloat, b: NDArrayFloat) -> tuple[NDArrayInt, NDArrayInt]:
    """Pairs whose circumscribed circles meet; no other pair can overlap."""
    reach = np.hypot(a[:, 3], a[:, 4])[:, None] / 2 + np.hypot(b[:, 3], b[:, 4]) / 2
    shift_x, shift_y = a[:, 0, None] - b[:, 0], a[:, 1, None] - b[:, 1]
    rows, columns = np.nonzero(shift_x**2 + shift_y**2 <= reach**2)
    return rows, columns


def _height_overlap(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """Metres of height that boxes share, for boxes (..., 7) that broadcast."""
    half_a, half_b = np.maximum(a[..., 5], 0.0) / 2, np.maximum(b[..., 5], 0.0) / 2
    # relative to the centre of b, so that identical boxes share exactly their height
    offset = a[..., 2] - b[..., 2]
    overlap = np.minimum(offset + half_a, half_b) - np.maximum(offset - half_a, -half_b)
    shared: NDArrayFloat = np.maximum(overlap, 0.0)
    return shared


def _intersection_2d(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """(N, M) square pixels shared by image boxes."""
    low = np.maximum(a[:, None, :2], b[:, :2])
    high = np.minimum(a[:, None, 2:], b[:, 2:])
    sides = np.maximum(high - low, 0.0)
    area: NDArrayFloat = sides[..., 0] * sides[..., 1]
    return area


def _area_2d(boxes: NDArrayFloat) -> NDArrayFloat:
    """(N,) square pixels of image boxes, 0 for empty ones."""
    sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0)
    area: NDArrayFloat = sides[:, 0] * sides[:, 1]
    return area


def _ratio(shared: NDArrayFloat, size_a: NDArrayFloat, size_b: NDArrayFloat) -> NDArrayFloat:
    """Intersection over union; 0 where nothing is shared."""
    union = size_a + size_b - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)
