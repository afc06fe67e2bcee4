"""From the network's maps to boxes: a box where the heat has a peak, and of boxes that overlap the hottest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, rotated_nms
from vedette.models.pillars.box_code import decode_boxes
from vedette.models.pillars.grid import COLUMNS, AnswerGrid

MIN_SCORE: Final = 0.1
"""Peaks below are not decoded; 0.5 is a good cut, and lower ones serve precision-recall curves."""
MAX_PEAKS: Final = 150
"""The hottest are decoded. More cars than this are in no view; a broken output has thousands of peaks."""
NMS_IOU: Final = 0.2
"""Vehicles do not stand in each other, nor people: boxes that overlap more, seen from above, are of one."""


@dataclass(frozen=True)
class Found:
    """Scored boxes, best first.

    Args:
        boxes_velo: ``(N,7) float64``, velo frame, yaw in [-pi, pi).
        scores: ``(N,) float64`` in [0, 1].
        channels: ``(N,) int64`` which heat map each was found on.
    """

    boxes_velo: NDArrayFloat
    scores: NDArrayFloat
    channels: NDArrayInt

    @classmethod
    def nothing(cls) -> Found:
        """No boxes."""
        return cls(np.zeros((0, 7)), np.zeros(0), np.zeros(0, np.int64))

    def select(self, keep: NDArrayBool | NDArrayInt) -> Found:
        """The boxes at the given indices or where a mask is true, in that order."""
        return Found(self.boxes_velo[keep], self.scores[keep], self.channels[keep])


def decode(heat: NDArrayFloat32, regression: NDArrayFloat32, rivals: NDArrayInt, min_score: float = MIN_SCORE) -> Found:
    """Find the boxes.

    Args:
        heat: ``(K,R,C) float32`` a map for each class, in [0, 1].
        regression: ``(10,R,C) float32``, see `box_code`.
        rivals: ``(K,) int64`` classes with the same number exclude each other: what is a car is no van.
        min_score: lower finds more, with more false alarms.
    """
    channels, cells, scores = _peaks(heat, min_score)
    grid = AnswerGrid(COLUMNS // heat.shape[2])
    boxes = decode_boxes(regression.reshape(len(regression), -1)[:, cells].T, cells, grid)
    return apart(Found(boxes, scores, channels), rivals)


def apart(found: Found, rivals: NDArrayInt) -> Found:
    """Best first, without boxes that overlap better ones of rivals.

    Args:
        found: in any order.
        rivals: as for `decode`.
    """
    return found.select(rotated_nms(found.boxes_velo, found.scores, NMS_IOU, rivals[found.channels]))


def _peaks(heat: NDArrayFloat32, min_score: float) -> tuple[NDArrayInt, NDArrayInt, NDArrayFloat]:
    """Channel, cell and score where the heat is as high as in all eight cells around, hottest first."""
    size = heat.shape[1] * heat.shape[2]
    is_peak = (heat >= min_score) & (heat == _largest_around(heat))
    places = np.flatnonzero(is_peak)
    values = heat.ravel()[places].astype(np.float64)
    hottest = np.argsort(-values, kind="stable")[:MAX_PEAKS]
    channels, cells = np.divmod(places[hottest], size)
    return channels, cells, values[hottest]


def _largest_around(heat: NDArrayFloat32) -> NDArrayFloat32:
    """The largest of the 3 by 3 cells around each."""
    padded = np.pad(heat, ((0, 0), (1, 1), (1, 1)))
    wide = np.maximum(np.maximum(padded[:, :, :-2], padded[:, :, 1:-1]), padded[:, :, 2:])
    largest: NDArrayFloat32 = np.maximum(np.maximum(wide[:, :-2], wide[:, 1:-1]), wide[:, 2:])
    return largest
