"""Which detection shows which track: by overlap in the image, one to one, among classes that may be confused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.edge.lifting.placement import quick_bounds_px
from vedette.edge.lifting.priors import Group, prior
from vedette.edge.tracking.track import Track, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt
from vedette.geometry.iou import iou_2d

UNMATCHED: Final = -1
_MIN_OVERLAP: Final = 0.25
_DUPLICATE_OVERLAP: Final = 0.65
_TRACE_LIFE_NS: Final = 350_000_000
_MIN_DEPTH_M: Final = 0.5
# number of each class's group
_GROUPS: Final = np.array([list(Group).index(prior(object_class).group) for object_class in ObjectClass])


def without_duplicates(detections: Detections2D) -> Detections2D:
    """Drop boxes that show the same object under another class of its group; the best score stays.

    A detector suppresses overlaps within a class only, and calls a van both car and truck.
    """
    order = np.argsort(-detections.scores, kind="stable")
    overlap = iou_2d(detections.boxes_px, detections.boxes_px)
    same_group = _same_group(detections.class_ids, detections.class_ids)
    clash = (overlap > _DUPLICATE_OVERLAP) & same_group
    kept: list[int] = []
    for index in order:
        if not clash[index, kept].any():
            kept.append(int(index))
    return detections.select(kept)


def associate(tracks: Sequence[Track], detections: Detections2D, viewpoint: Viewpoint) -> NDArrayInt:
    """Match detections with tracks.

    Args:
        tracks: predicted to the frame's time.
        detections: of its image.
        viewpoint: of the frame.

    Returns:
        ``(D,) int64`` index of the track that each detection shows, `UNMATCHED` for a new object.
    """
    matched = np.full(len(detections), UNMATCHED, np.int64)
    if not tracks or len(detections) == 0:
        return matched
    overlap = np.maximum(
        iou_2d(projected_px(tracks, viewpoint), detections.boxes_px),
        iou_2d(_traced_px(tracks, viewpoint.stamp_ns), detections.boxes_px),
    )
    track_ids = np.array([int(track.size.object_class) for track in tracks])
    overlap = np.where(_same_group(track_ids, detections.class_ids), overlap, 0.0)
    rows, columns = linear_sum_assignment(-overlap)
    good = overlap[rows, columns] > _MIN_OVERLAP
    matched[columns[good]] = rows[good]
    return matched


def projected_px(tracks: Sequence[Track], viewpoint: Viewpoint) -> NDArrayFloat:
    """``(N,4)`` image boxes of the tracks; of no area for those out of view."""
    boxes = boxes_velo(tracks, viewpoint)
    bounds = quick_bounds_px(boxes, viewpoint.camera)
    matrix = viewpoint.camera.projection_velo
    behind = boxes[:, :3] @ matrix[2, :3] + matrix[2, 3] < _MIN_DEPTH_M
    bounds[behind] = 0.0
    return bounds


def _traced_px(tracks: Sequence[Track], stamp_ns: int) -> NDArrayFloat:
    """Where the image showed the tracks of late, moved on; of no area for the others."""
    boxes = np.zeros((len(tracks), 4))
    for row, track in enumerate(tracks):
        if track.trace is not None and stamp_ns - track.trace.stamp_ns <= _TRACE_LIFE_NS:
            boxes[row] = track.trace.expected_px(stamp_ns)
    return boxes


def _same_group(a_ids: NDArrayInt, b_ids: NDArrayInt) -> NDArrayBool:
    same: NDArrayBool = _GROUPS[a_ids][:, None] == _GROUPS[b_ids]
    return same
