"""Answers moved on at constant velocity, and shown only where the image has a detection that agrees.

Forecasts are those of `PropagatingAgent`, unconfirmed: of the next frame there is no image yet.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.clock import Clock
from vedette.detections import Detections2D, Detector2D
from vedette.edge.lifting.placement import quick_bounds_px
from vedette.edge.lifting.priors import prior
from vedette.edge.offload.policy import OffloadPolicy
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.frames import Frame
from vedette.geometry import NDArrayInt
from vedette.geometry.iou import iou_2d
from vedette.publication import Sink
from vedette.telemetry.stages import StageTimer

_MIN_OVERLAP: Final = 0.3


class ConfirmedAgent(PropagatingAgent):
    """Asks the image of every frame which of the boxes are there.

    Args:
        detector2d: finds objects in the image.
        policy: decides what to offload.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
    """

    def __init__(
        self, detector2d: Detector2D, policy: OffloadPolicy, sink: Sink, clock: Clock, stages: StageTimer
    ) -> None:
        super().__init__(policy, sink, clock, stages)
        self._detector2d = detector2d

    def _chosen(self, frame: Frame, boxes: PublishedBoxes) -> PublishedBoxes:
        if frame.image is None:
            return boxes
        with self._stages.stage("detect2d"):
            detections = self._detector2d.detect(frame.image)
        return boxes.select(_confirmed(boxes, detections, frame))


def _confirmed(boxes: PublishedBoxes, detections: Detections2D, frame: Frame) -> NDArrayInt:
    """Rows of the boxes that overlap a detection of their group of classes in the image."""
    if len(boxes.detections) == 0 or len(detections) == 0:
        return np.zeros(0, np.int64)
    overlap = iou_2d(quick_bounds_px(boxes.detections.boxes_velo, frame.camera), detections.boxes_px)
    same = np.equal.outer(_groups(boxes.detections.class_ids), _groups(detections.class_ids))
    return np.flatnonzero((np.where(same, overlap, 0.0) >= _MIN_OVERLAP).any(axis=1))


def _groups(class_ids: NDArrayInt) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return np.array([prior(ObjectClass(int(class_id))).group.value for class_id in class_ids])
