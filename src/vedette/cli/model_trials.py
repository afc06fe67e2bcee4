"""A model on trial: shown labelled frames one after another, timed, and judged at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from vedette.errors import ConfigError

if TYPE_CHECKING:
    from vedette.datasets.labelled import LabelledFrame
    from vedette.detections import Detector3D
    from vedette.evaluation.bootstrap import Interval
    from vedette.evaluation.detector3d import Examined
    from vedette.frames import Sweep
    from vedette.models.cards import ModelCard
    from vedette.models.registry import ModelRegistry

FOLD: Final = "{fold}"
"""In a model's name stands for the number of the fold that a frame is of."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Question:
    """What is asked of every model.

    Args:
        recalls: of cars, at which false boxes are counted.
        resamples: how often drives are drawn for intervals.
        seed: of the draws.
    """

    recalls: tuple[float, ...]
    resamples: int
    seed: int


@dataclass(frozen=True)
class Outcome:
    """What a trial came to.

    Args:
        model: as it was named.
        counts: of frames and drives.
        figures: by metric key; None where not defined.
        intervals: by metric key, of some.
    """

    model: str
    counts: dict[str, int]
    figures: dict[str, float | None]
    intervals: dict[str, Interval | None]

    def as_run(self) -> dict[str, object]:
        """The entry under `runs`."""
        ends = {key: None if bound is None else [bound.low, bound.high] for key, bound in self.intervals.items()}
        draws = {key: 0 if bound is None else bound.draws for key, bound in self.intervals.items()}
        return {
            "model": self.model,
            **self.counts,
            **self.figures,
            **{f"interval95.{key}": value for key, value in ends.items()},
            **{f"interval95_draws.{key}": value for key, value in draws.items()},
        }


class Trial(Protocol):
    """A model on trial."""

    def see(self, item: LabelledFrame, sweep: Sweep | None) -> None:
        """Detect in one more frame.

        Args:
            item: a frame, which is set aside where it cannot be read or has no labels.
            sweep: of the frame, with earlier ones joined where that was asked for; None where there is none.
        """
        ...

    def outcome(self, question: Question) -> Outcome:
        """What came out of all frames.

        Args:
            question: what is asked.
        """
        ...


def trial_of(registry: ModelRegistry, name: str, folds: Collection[int] | None) -> Trial:
    """Put a model on trial.

    Args:
        registry: has it.
        name: of the model; with `FOLD` in it, one for each fold.
        folds: that frames will be of; None for all.

    Raises:
        UnknownModelError: no such model.
        ModelCardError: its card cannot be used.
        ConfigError: it is no detector.
    """
    card = registry.store.find(name.replace(FOLD, str(min(folds or [0])))).card
    if card.task == "detect3d":
        return SweepTrial(registry, name, card)
    raise ConfigError(f"{card.label} is a model for {card.task}; expected one for detect3d")


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
        self._watch = _Watch()
        self._set_aside = 0
        self._joined = 0

    def see(self, item: LabelledFrame, sweep: Sweep | None) -> None:
        """Detect in one more frame; see `Trial`."""
        from vedette.datasets.labelled import examined
        from vedette.frames import Frame

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
        from vedette.evaluation.detector3d import Asked, evaluate_detections3d

        asked = Asked(question.recalls, _detected_types(self._card))
        evaluation = evaluate_detections3d(self._examined, asked, resamples=question.resamples, seed=question.seed)
        counts = {
            "frames": len(self._examined),
            "frames_set_aside": self._set_aside,
            "frames_of_joined_sweeps": self._joined,
            "drives": len({frame.drive for frame in self._examined}),
        }
        return Outcome(self._name, counts, evaluation.figures | self._watch.figures(), evaluation.intervals)

    def _detector(self, fold: int | None) -> Detector3D:
        if FOLD in self._name and fold is None:
            raise ConfigError(f"model {self._name!r}: a frame that is of no fold; {FOLD} is for kitti-object frames")
        name = self._name.replace(FOLD, str(fold))
        if name not in self._loaded:
            self._loaded[name] = self._registry.load_detector3d(name)
        return self._loaded[name]


def _detected_types(card: ModelCard) -> frozenset[str]:
    """Names of KITTI's type column, lower case, of the classes that a model knows."""
    from vedette.classes import CLASS_TO_KITTI, ObjectClass
    from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids

    known = {int(class_id) for class_id in channel_class_ids(card)} - {NOT_AN_OBJECT}
    return frozenset(CLASS_TO_KITTI[ObjectClass(class_id)].lower() for class_id in known)


@dataclass
class _Watch:
    """Times calls, the first one left out of the figures: in it memory is fetched."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def timed(self, call: Callable[[], Found]) -> Found:
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        self.cpu_s.append(time.process_time() - cpu)
        self.wall_s.append(time.perf_counter() - wall)
        return result

    def figures(self) -> dict[str, float | None]:
        """Milliseconds by the clock, and of CPU time of all threads: on a busy machine the clock shows more."""
        import numpy as np

        figures: dict[str, float | None] = {}
        for name, seconds in (("detect_ms", self.wall_s[1:]), ("detect_cpu_ms", self.cpu_s[1:])):
            for percentile in (50, 90):
                value = 1e3 * float(np.percentile(seconds, percentile)) if seconds else None
                figures[f"{name}.p{percentile}"] = value
        return figures
