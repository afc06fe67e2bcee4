"""The last step that the 2D detectors share: raw boxes to objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import VEHICLES
from vedette.detections import Detections2D
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt, nms_2d
from vedette.models.cards import ModelCard
from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids
from vedette.models.riders import merge_riders

_NMS_IOU: Final = 0.6
"""NanoDet-Plus's own; higher than usual, so that cars that hide one another in a row stay apart."""
_MIN_SIDE_PX: Final = 1.0


@dataclass(frozen=True)
class ScoredCells:
    """Which cells of a detector's grid saw which class.

    Args:
        cells: ``(N,) int64`` rows of the output.
        class_ids: ``(N,) int64`` values of `ObjectClass`.
        scores: ``(N,) float64`` in [0, 1].
    """

    cells: NDArrayInt
    class_ids: NDArrayInt
    scores: NDArrayFloat


class ImageObjects:
    """Turns scores and boxes of a grid into objects.

    Args:
        card: tells what the channels mean.
        score_threshold: in [0, 1]; lower finds more, with false alarms.
    """

    def __init__(self, card: ModelCard, score_threshold: float) -> None:
        class_ids = channel_class_ids(card)
        self._channels = np.flatnonzero(class_ids != NOT_AN_OBJECT)
        self._class_ids = class_ids[self._channels]
        self._has_riders_apart = card.labels == "coco"
        self._score_threshold = score_threshold

    def pick(self, scores: NDArrayFloat32) -> ScoredCells:
        """The cells worth decoding; one that saw two classes comes twice.

        Args:
            scores: ``(M,C) float32`` in [0, 1], a row for a cell, a column for a class of the card.
        """
        ours = scores[:, self._channels]
        cells, columns = np.nonzero(ours >= self._score_threshold)
        picked = np.clip(ours[cells, columns].astype(np.float64), 0.0, 1.0)
        return ScoredCells(cells, self._class_ids[columns], picked)

    def finish(self, picked: ScoredCells, boxes_px: NDArrayFloat, size_px: tuple[int, int]) -> Detections2D:
        """Clip, suppress, and join riders with what they ride; for models without masks.

        Args:
            picked: from `pick`.
            boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in the image, a row for each picked cell.
            size_px: width and height of the image.

        Returns:
            The objects, best score first.
        """
        boxes = clipped(boxes_px, size_px)
        kept = self.survivors(picked, boxes)
        found = Detections2D(boxes[kept], picked.scores[kept], picked.class_ids[kept])
        if self._has_riders_apart:
            found = merge_riders(found)
        return found.select(np.argsort(-found.scores, kind="stable"))

    def survivors(self, picked: ScoredCells, boxes_px: NDArrayFloat) -> NDArrayInt:
        """Which of the picked cells stay: of boxes that overlap too much, the one with the best score.

        Args:
            picked: from `pick`.
            boxes_px: ``(N,4) float64`` a row for each picked cell, clipped to the image.

        Returns:
            Rows of `picked`, best score first; none of a box that is less than a pixel wide or high.
        """
        inside = np.flatnonzero(((boxes_px[:, 2:] - boxes_px[:, :2]) >= _MIN_SIDE_PX).all(axis=1))
        rivals = _rivals(picked.class_ids[inside])
        return inside[nms_2d(boxes_px[inside], picked.scores[inside], _NMS_IOU, rivals)]


def clipped(boxes_px: NDArrayFloat, size_px: tuple[int, int]) -> NDArrayFloat:
    """The parts of boxes that are in the image.

    Args:
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2.
        size_px: width and height of the image.
    """
    width, height = size_px
    return np.clip(boxes_px, 0.0, np.array([width, height, width, height], dtype=np.float64))


def _rivals(class_ids: NDArrayInt) -> NDArrayInt:
    """Group of each object; those of one group suppress one another. One vehicle is not both a car and a truck."""
    vehicle = min(VEHICLES)
    return np.where(np.isin(class_ids, list(VEHICLES)), int(vehicle), class_ids)
