"""Non-maximum suppression: of boxes that overlap too much, the one with the best score stays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.arrays import NDArrayBool, NDArrayFloat, NDArrayInt, finite_rows
from vedette.geometry.boxes import BOX_COLUMNS
from vedette.geometry.iou import bev_iou, iou_2d

# Boxes settled together: one IoU call for many rows, without the whole N by N matrix where thousands of boxes pile up.
_HEAD = 64


def rotated_nms(
    boxes: ArrayLike, scores: ArrayLike, iou_threshold: float, class_ids: ArrayLike | None = None
) -> NDArrayInt:
    """Suppress 3D boxes by their overlap seen from above.

    Args:
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        scores: (N,) higher is better.
        iou_threshold: in [0, 1]; a box goes when its IoU with a better one that stays is above this.
        class_ids: (N,) integers; where given, boxes suppress only those of their own class.

    Returns:
        (K,) indices of the boxes that stay, best first, ties in the order given.

    Raises:
        ValueError: wrong shape, not finite, or a threshold outside [0, 1].
    """
    table = finite_rows(boxes, BOX_COLUMNS, "boxes")
    return _suppress(table, scores, iou_threshold, class_ids, bev_iou)


def nms_2d(
    boxes_px: ArrayLike, scores: ArrayLike, iou_threshold: float, class_ids: ArrayLike | None = None
) -> NDArrayInt:
    """Suppress image boxes.

    Args:
        boxes_px: (N, 4) [x1, y1, x2, y2], pixels.
        scores: (N,) higher is better.
        iou_threshold: in [0, 1]; a box goes when its IoU with a better one that stays is above this.
        class_ids: (N,) integers; where given, boxes suppress only those of their own class.

    Returns:
        (K,) indices of the boxes that stay, best first, ties in the order given.

    Raises:
        ValueError: wrong shape, not finite, or a threshold outside [0, 1].
    """
    table = finite_rows(boxes_px, 4, "image boxes")
    return _suppress(table, scores, iou_threshold, class_ids, iou_2d)


def _suppress(
    boxes: NDArrayFloat,
    scores: ArrayLike,
    iou_threshold: float,
    class_ids: ArrayLike | None,
    iou: Callable[[NDArrayFloat, NDArrayFloat], NDArrayFloat],
) -> NDArrayInt:
    """Greedy suppression, best score first, a head of boxes at a time."""
    ranks = _column(scores, len(boxes), "scores")
    classes = np.zeros(len(boxes)) if class_ids is None else _column(class_ids, len(boxes), "class_ids")
    if not 0.0 <= iou_threshold <= 1.0:
        raise ValueError(f"iou_threshold: expected a number in [0, 1], got {iou_threshold}")
    left = np.argsort(-ranks, kind="stable")
    kept: list[NDArrayInt] = [np.empty(0, dtype=np.int64)]
    while len(left):
        head = left[:_HEAD]
        clash = (iou(boxes[head], boxes[left]) > iou_threshold) & (classes[head, None] == classes[left])
        stays = _greedy(clash[:, : len(head)])
        kept.append(head[stays])
        left = left[_HEAD:][~clash[stays, _HEAD:].any(axis=0)]
    return np.concatenate(kept)


def _greedy(clash: NDArrayBool) -> NDArrayInt:
    """Positions that stay, given (H, H) which boxes, best first, exclude each other."""
    gone = np.zeros(len(clash), dtype=np.bool_)
    stays = []
    for position, row in enumerate(clash):
        if not gone[position]:
            stays.append(position)
            gone |= row
    return np.array(stays, dtype=np.int64)


def _column(values: ArrayLike, length: int, name: str) -> NDArrayFloat:
    """Check one number per box."""
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (length,):
        raise ValueError(f"{name}: expected shape ({length},), one per box, got {column.shape}")
    if not np.isfinite(column).all():
        raise ValueError(f"{name}: expected finite values, got {column[~np.isfinite(column)][0]}")
    return column
