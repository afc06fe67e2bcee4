"""A 3D detector on trial: from sweeps to boxes, judged against labels in the camera's view."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vedette.classes import CLASS_TO_KITTI, ObjectClass
from vedette.cli.model_trials import Outcome, Question, Watch
from vedette.datasets.labelled import LabelledFrame, examined
from vedette.detections import Detector3D
from vedette.errors import ConfigError
from vedette.evaluation.detector3d import DEFINITIONS, Asked, Examined, evaluate_detections3d
from vedette.frames import Frame, Sweep
from vedette.models.cards import ModelCard
from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids
from vedette.models.registry import ModelRegistry

FOLD: Final = "{fold}"
"""In a model's name stands for the number of the fold that a frame is of."""


class SweepTrial:
    """A 3D detector on trial.

    Args:
        registry: has the model.
        name: of the model, perhaps with `FOLD` in it.
        card: of the model, or of that of one fold.
    """

    def __init__(self, registry: ModelRegistry, name: str, card: ModelCard) -> None:
        self._name = name
        self._registry = registry
        self._card = card
        self._loaded: dict[str, Detector3D] = {}
        self._examined: list[Examined] = []
        self._watch = Watch()
        self._set_aside = 0
        self._joined = 0

    def see(self, item: LabelledFrame, sweep: Sweep | None, /) -> None:
        """Detect in one more frame; see `Trial`."""
        frame, labels = item.frame, item.labels
        if not isinstance(frame, Frame) or frame.sweep is None or labels is None or sweep is None:
            self._set_aside += 1
            return
        detector = self._detector(item.fold)
        found = self._watch.timed(lambda: detector.detect(sweep, frame.camera))
        self._joined += len(sweep) > len(frame.sweep)
        self._examined.append(examined(frame, labels, found, item.drive))

    def outcome(self, question: Question) -> Outcome:
        """What came out of all frames; see `Trial`."""
        asked = Asked(question.recalls, _detected_types(self._card))
        evaluation = evaluate_detections3d(self._examined, asked, resamples=question.resamples, seed=question.seed)
        counts = {
            "frames": len(self._examined),
            "frames_set_aside": self._set_aside,
            "frames_of_joined_sweeps": self._joined,
            "drives": len({frame.drive for frame in self._examined}),
        }
        evaluation = replace(evaluation, figures=evaluation.figures | self._watch.figures())
        return Outcome(self._name, counts, evaluation, DEFINITIONS)

    def _detector(self, fold: int | None) -> Detector3D:
        if FOLD in self._name and fold is None:
            raise ConfigError(f"model {self._name!r}: a frame that is of no fold; {FOLD} is for kitti-object frames")
        name = self._name.replace(FOLD, str(fold))
        if name not in self._loaded:
            self._loaded[name] = self._registry.load_detector3d(name)
        return self._loaded[name]


def _detected_types(card: ModelCard) -> frozenset[str]:
    """Names of KITTI's type column, lower case, of the classes that a model knows."""
    known = {int(class_id) for class_id in channel_class_ids(card)} - {NOT_AN_OBJECT}
    return frozenset(CLASS_TO_KITTI[ObjectClass(class_id)].lower() for class_id in known)
