"""A 2D detector on trial: from pictures to boxes, judged against labelled boxes in the image."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.cli.model_trials import Outcome, Question, Watch
from vedette.datasets.kitti.convert import camera_objects_from_boxes2d
from vedette.datasets.labelled import LabelledFrame
from vedette.detections import Detections2D
from vedette.evaluation.detector2d import DEFINITIONS, ExaminedPicture, evaluate_detections2d
from vedette.evaluation.objects import ScoredFrame
from vedette.frames import Frame, Sweep
from vedette.models.cards import ModelCard
from vedette.models.registry import ModelRegistry

MASKS: Final = "+"
"""Between the name of a detector and that of a model that gives its boxes masks."""
_LEAST_SCORE: Final = 0.05
"""Of the boxes that average precision is made of: below, precision is near 0 at any rate."""
_ON_FOOT_OR_WHEELS: Final = (ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST, ObjectClass.MOTORCYCLE)


class ImageTrial:
    """A 2D detector on trial: looks at each picture as it is used, which is timed, and again for its faintest boxes.

    Args:
        registry: has the model.
        name: of the model, or of a detector and a mask model with `MASKS` between.
        card: of the detector.
        score_threshold: at which it is used.

    Raises:
        UnknownModelError: no such model.
        ModelError: it cannot be used, or is of another task.
    """

    def __init__(self, registry: ModelRegistry, name: str, card: ModelCard, score_threshold: float) -> None:
        boxes, _, masks = name.partition(MASKS)
        self._name = name
        self._used = registry.load_detector2d(boxes, score_threshold, masks or None)
        self._faint = registry.load_detector2d(boxes, _LEAST_SCORE)
        self._joins_riders = card.labels == "coco"
        self._examined: list[ExaminedPicture] = []
        self._watch = Watch()
        self._set_aside = 0

    def see(self, item: LabelledFrame, _sweep: Sweep | None, /) -> None:
        """Detect in one more frame; see `Trial`."""
        frame, labels = item.frame, item.labels
        if not isinstance(frame, Frame) or frame.image is None or labels is None:
            self._set_aside += 1
            return
        image = frame.image
        used = self._watch.timed(lambda: self._used.detect(image))
        faint = self._faint.detect(image)
        every = with_people_of(faint, used) if self._joins_riders else faint
        scored = [ScoredFrame(labels, camera_objects_from_boxes2d(boxes)) for boxes in (every, used)]
        self._examined.append(ExaminedPicture(scored[0], scored[1], item.drive))

    def outcome(self, question: Question) -> Outcome:
        """What came out of all frames; see `Trial`."""
        evaluation = evaluate_detections2d(self._examined, resamples=question.resamples, seed=question.seed)
        counts = {
            "frames": len(self._examined),
            "frames_set_aside": self._set_aside,
            "drives": len({frame.drive for frame in self._examined}),
        }
        evaluation = replace(evaluation, figures=evaluation.figures | self._watch.figures())
        return Outcome(self._name, counts, evaluation, DEFINITIONS)


def with_people_of(faint: Detections2D, used: Detections2D) -> Detections2D:
    """People as they are used, all else down to the faintest.

    A model that knows people and bicycles apart has them joined afterwards, and among faint boxes there is a bicycle
    under everybody: sure people would become riders.

    Args:
        faint: all boxes down to a low score.
        used: those at the score cut at which the detector is used.
    """
    others = faint.select(~np.isin(faint.class_ids, _ON_FOOT_OR_WHEELS))
    people = used.select(np.isin(used.class_ids, _ON_FOOT_OR_WHEELS))
    return Detections2D(
        np.concatenate([others.boxes_px, people.boxes_px]),
        np.concatenate([others.scores, people.scores]),
        np.concatenate([others.class_ids, people.class_ids]),
    )
