"""All frames of an evaluation as one table, with the overlap of every label and detection computed once.

Overlap is intersection over union: of the 2D boxes in the image (`2d`), of the rotated rectangles on the ground (`bev`)
or of the upright 3D boxes (`3d`). ``DontCare`` rows have a 2D box alone; of them the table keeps, per detection, the
greatest share of its 2D box that lies in one such region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from vedette.evaluation.objects import DONT_CARE, ScoredFrame
from vedette.evaluation.rows import Rows
from vedette.geometry import NDArrayFloat, NDArrayInt, bev_iou_pairs, iou_3d_pairs

# Labels compared together: bounds the memory for pairs that do not overlap.
_BLOCK: Final = 4096


class Metric(StrEnum):
    """Where overlap is measured; the value is the word in metric keys."""

    IMAGE = "2d"
    GROUND = "bev"
    BOX = "3d"


@dataclass(frozen=True)
class Table:
    """Labels, detections and the pairs of them that overlap at all.

    Args:
        labels: all labels, ``DontCare`` included.
        detections: all detections.
        pair_label: ``(P,) int64`` row of the label; pairs are sorted by label, then by detection.
        pair_detection: ``(P,) int64`` row of the detection, of the same frame.
        overlaps: per metric ``(P,) float64`` IoU in [0, 1].
        dont_care_share: ``(D,) float64`` greatest share of a detection's 2D box in one region without labels.
    """

    labels: Rows
    detections: Rows
    pair_label: NDArrayInt
    pair_detection: NDArrayInt
    overlaps: dict[Metric, NDArrayFloat]
    dont_care_share: NDArrayFloat

    @classmethod
    def from_frames(cls, frames: Sequence[ScoredFrame]) -> Table:
        """Measure every overlap of the frames.

        Args:
            frames: labels and detections, frame by frame; all coordinates finite.
        """
        labels = Rows.from_objects([frame.labels for frame in frames])
        detections = Rows.from_objects([frame.detections for frame in frames])
        is_region = labels.is_any(frozenset({DONT_CARE.lower()}))
        objects, regions = np.flatnonzero(~is_region), np.flatnonzero(is_region)
        blocks = [objects[start : start + _BLOCK] for start in range(0, max(len(objects), 1), _BLOCK)]
        parts = [_overlapping_pairs(labels, detections, block) for block in blocks]
        return cls(
            labels=labels,
            detections=detections,
            pair_label=np.concatenate([label for label, _, _ in parts]),
            pair_detection=np.concatenate([detection for _, detection, _ in parts]),
            overlaps={metric: np.concatenate([overlaps[metric] for _, _, overlaps in parts]) for metric in Metric},
            dont_care_share=_dont_care_share(labels, detections, regions),
        )


def _overlapping_pairs(
    labels: Rows, detections: Rows, label_rows: NDArrayInt
) -> tuple[NDArrayInt, NDArrayInt, dict[Metric, NDArrayFloat]]:
    """Rows of label and detection, and their overlaps, for pairs that overlap in the image or on the ground."""
    label, detection = _pairs_within_frames(labels, detections, label_rows)
    label_boxes, detection_boxes = labels.upright_boxes[label], detections.upright_boxes[detection]
    overlaps = {
        Metric.IMAGE: _image_iou(labels.boxes_px[label], detections.boxes_px[detection]),
        Metric.GROUND: bev_iou_pairs(label_boxes, detection_boxes),
        Metric.BOX: iou_3d_pairs(label_boxes, detection_boxes),
    }
    kept = np.flatnonzero((overlaps[Metric.IMAGE] > 0) | (overlaps[Metric.GROUND] > 0))
    return label[kept], detection[kept], {metric: overlap[kept] for metric, overlap in overlaps.items()}


def _pairs_within_frames(labels: Rows, detections: Rows, label_rows: NDArrayInt) -> tuple[NDArrayInt, NDArrayInt]:
    """Each of the given labels with every detection of its frame."""
    frame = labels.frame[label_rows]
    first = np.searchsorted(detections.frame, frame, side="left")
    count = np.searchsorted(detections.frame, frame, side="right") - first
    place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(label_rows, count), place + np.repeat(first, count)


def _dont_care_share(labels: Rows, detections: Rows, regions: NDArrayInt) -> NDArrayFloat:
    region, detection = _pairs_within_frames(labels, detections, regions)
    boxes_px = detections.boxes_px[detection]
    shared = _image_intersection(labels.boxes_px[region], boxes_px)
    share = np.zeros(len(detections))
    np.maximum.at(share, detection, _ratio(shared, _image_area(boxes_px)))
    return share


def _image_iou(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    """IoU of 2D boxes, row by row."""
    shared = _image_intersection(a, b)
    return _ratio(shared, _image_area(a) + _image_area(b) - shared)


def _image_intersection(a: NDArrayFloat, b: NDArrayFloat) -> NDArrayFloat:
    sides = np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2])
    area: NDArrayFloat = np.maximum(sides, 0.0).prod(axis=1)
    return area


def _image_area(boxes_px: NDArrayFloat) -> NDArrayFloat:
    area: NDArrayFloat = (boxes_px[:, 2:] - boxes_px[:, :2]).prod(axis=1)
    return area


def _ratio(shared: NDArrayFloat, whole: NDArrayFloat) -> NDArrayFloat:
    """Shared over whole; 0 where nothing is shared."""
    return np.divide(shared, whole, out=np.zeros_like(shared), where=shared > 0)
