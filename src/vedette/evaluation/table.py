"""All frames of an evaluation as one table, with the overlap of every label and detection computed once.

Overlap is intersection over union: of the 2D boxes in the image (`2d`), of the rotated rectangles on the ground (`bev`)
or of the upright 3D boxes (`3d`). ``DontCare`` rows have a 2D box alone; of them the table keeps, per detection, the
greatest share of its 2D box that lies in one such region.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vedette.evaluation.objects import DONT_CARE, CameraObjects, ScoredFrame
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, bev_iou, ioa_2d, iou_2d, iou_3d


class Metric(StrEnum):
    """Where overlap is measured; the value is the word in metric keys."""

    IMAGE = "2d"
    GROUND = "bev"
    BOX = "3d"


@dataclass(frozen=True)
class Rows:
    """Labels or detections of all frames, one row each, frame by frame in their order.

    Args:
        frame: ``(N,) int64`` index of the frame.
        types: ``(N,)`` names of KITTI's type column, lower case.
        truncation: ``(N,) float64``.
        occlusion: ``(N,) int64``.
        alpha: ``(N,) float64`` observation angle, rad.
        height_px: ``(N,) float64`` height of the 2D box, pixels.
        range_m: ``(N,) float64`` distance from the camera along the ground, metres.
        scores: ``(N,) float64``; zero for labels.
    """

    frame: NDArrayInt
    types: np.ndarray[tuple[int, ...], np.dtype[np.str_]]
    truncation: NDArrayFloat
    occlusion: NDArrayInt
    alpha: NDArrayFloat
    height_px: NDArrayFloat
    range_m: NDArrayFloat
    scores: NDArrayFloat

    @classmethod
    def from_objects(cls, frames: Sequence[CameraObjects]) -> Rows:
        """The rows of all frames, one after another."""
        everything = [CameraObjects.empty(scored=True), *frames]  # so that no frames at all still concatenate
        boxes_px = np.concatenate([objects.boxes_px for objects in everything])
        boxes_cam = np.concatenate([objects.boxes_cam for objects in everything])
        return cls(
            frame=np.repeat(np.arange(len(frames)), [len(objects) for objects in frames]),
            types=np.array([name.lower() for objects in everything for name in objects.types], dtype=np.str_),
            truncation=np.concatenate([objects.truncation for objects in everything]),
            occlusion=np.concatenate([objects.occlusion for objects in everything]),
            alpha=np.concatenate([objects.alpha for objects in everything]),
            height_px=np.abs(boxes_px[:, 3] - boxes_px[:, 1]),
            range_m=np.hypot(boxes_cam[:, 0], boxes_cam[:, 2]),
            scores=np.concatenate([_scores(objects) for objects in everything]),
        )

    def __len__(self) -> int:
        return len(self.frame)

    def is_any(self, types: frozenset[str]) -> NDArrayBool:
        """``(N,) bool``: whose type is one of these, given in lower case."""
        found: NDArrayBool = np.isin(self.types, sorted(types))
        return found


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
        first_label = _first_rows([len(frame.labels) for frame in frames])
        first_detection = _first_rows([len(frame.detections) for frame in frames])
        pairs = [_FramePairs.of(frame) for frame in frames]
        return cls(
            labels=Rows.from_objects([frame.labels for frame in frames]),
            detections=Rows.from_objects([frame.detections for frame in frames]),
            pair_label=_joined_rows((pair.label for pair in pairs), first_label),
            pair_detection=_joined_rows((pair.detection for pair in pairs), first_detection),
            overlaps={metric: _joined([pair.overlaps[metric] for pair in pairs]) for metric in Metric},
            dont_care_share=_joined([_dont_care_share(frame) for frame in frames]),
        )


@dataclass(frozen=True)
class _FramePairs:
    label: NDArrayInt
    detection: NDArrayInt
    overlaps: dict[Metric, NDArrayFloat]

    @classmethod
    def of(cls, frame: ScoredFrame) -> _FramePairs:
        """The pairs of one frame that overlap in any metric, by rows of that frame."""
        rows = np.flatnonzero([name.lower() != DONT_CARE.lower() for name in frame.labels.types])
        labels, detections = frame.labels.select(rows), frame.detections
        ground_labels, ground_detections = _upright_boxes(labels.boxes_cam), _upright_boxes(detections.boxes_cam)
        matrices = {
            Metric.IMAGE: iou_2d(labels.boxes_px, detections.boxes_px),
            Metric.GROUND: bev_iou(ground_labels, ground_detections),
            Metric.BOX: iou_3d(ground_labels, ground_detections),
        }
        label, detection = np.nonzero((matrices[Metric.IMAGE] > 0) | (matrices[Metric.GROUND] > 0))
        return cls(rows[label], detection, {metric: matrix[label, detection] for metric, matrix in matrices.items()})


def _upright_boxes(boxes_cam: NDArrayFloat) -> NDArrayFloat:
    """KITTI's camera boxes as boxes of the geometry package, on the axes x, z and up.

    Rotation about the camera's y axis, which points down, turns z towards x: the yaw from x towards z is its negative.
    """
    x, y, z, height, width, length, rotation_y = boxes_cam.T
    return np.stack([x, z, height / 2 - y, length, width, height, -rotation_y], axis=1)


def _dont_care_share(frame: ScoredFrame) -> NDArrayFloat:
    regions = frame.labels.boxes_px[[name.lower() == DONT_CARE.lower() for name in frame.labels.types]]
    share: NDArrayFloat = ioa_2d(frame.detections.boxes_px, regions).max(axis=1, initial=0.0)
    return share


def _scores(objects: CameraObjects) -> NDArrayFloat:
    return np.zeros(len(objects)) if objects.scores is None else objects.scores


def _joined(parts: Sequence[NDArrayFloat]) -> NDArrayFloat:
    return np.concatenate([np.zeros(0), *parts])


def _joined_rows(rows: Iterable[NDArrayInt], first_rows: NDArrayInt) -> NDArrayInt:
    """Rows of each frame as rows of the table, given where each frame begins there."""
    shifted = [row + first for row, first in zip(rows, first_rows, strict=True)]
    return np.concatenate([np.zeros(0, np.int64), *shifted])


def _first_rows(lengths: Sequence[int]) -> NDArrayInt:
    first_rows: NDArrayInt = np.cumsum([0, *lengths], dtype=np.int64)[:-1]
    return first_rows
