"""All that is said of a 3D detector on labelled sweeps: AP, F1, false boxes, recall and precision, and intervals.

Keys are those of `summary` (people at IoU minima of 0.5 and 0.25), and:

- `false_boxes_per_frame.car.recallR`: boxes of cars where nothing stands, at the highest score cut that reaches recall
  R (module `false_boxes`), and `score_cut.car.recallR`, that cut. `best_recall.car` is what is reached without a cut.
- `false_boxes_per_frame`, `false_boxes.score_cut`, `false_boxes.recall`: the same of the first recall asked for.
- `false_boxes_per_frame.CLASS.cut0.5`, `recall.CLASS.cut0.5`: at the score at which models of ours are meant to be cut.
- `precision.CLASS.…`, `recall.CLASS.points.BIN`, `recall.CLASS.range_m.BIN`, likewise at that score (module `shares`).

Shares are 0 to 100. What is not defined is None, and so is all of a class that the detector does not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.evaluation.bootstrap import DEFINITION as INTERVAL_DEFINITION
from vedette.evaluation.bootstrap import Evaluation, by_drive, intervals
from vedette.evaluation.f1 import MAX_RANGE_M, SCORE_CUT, count_matches
from vedette.evaluation.false_boxes import MAX_RANGE_M as MAX_FALSE_RANGE_M
from vedette.evaluation.false_boxes import MIN_OVERLAP, MIN_POINTS, Sightings, sightings
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.shares import precisions, recalls
from vedette.evaluation.summary import DEFINITIONS as SUMMARY_DEFINITIONS
from vedette.evaluation.summary import accuracy_keys, table_metrics
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, MODERATE, PEDESTRIAN, TRUCK, VAN, VEHICLE, Target
from vedette.geometry import NDArrayInt

DEFINITIONS: Final[Mapping[str, str]] = {
    "ap": SUMMARY_DEFINITIONS["ap"],
    "f1": SUMMARY_DEFINITIONS["f1"],
    "false_boxes": (
        f"False boxes of a class: detections within {MAX_FALSE_RANGE_M:g} m whose BEV IoU with every label of any "
        "class is 0, and of whose 2D box less than half lies in one DontCare region. recallR: at the highest score cut "
        f"at which share R of the cars within that range with at least {MIN_POINTS} points have a box with a BEV IoU "
        f"of {MIN_OVERLAP:g} or more; - where no cut reaches it."
    ),
    "shares": (
        f"recall, precision: share of the labels that have a box of their class with a BEV IoU of {MIN_OVERLAP:g} or "
        f"more and a score of {SCORE_CUT:g} or more; share of boxes of that score that are the best of a label, boxes "
        "of neighbouring classes and in DontCare regions left out. points: of the sweep in the label's box; range_m: "
        "along the ground, of labels with at least one point."
    ),
    "intervals": INTERVAL_DEFINITION,
    "time": "detect_ms: from points to boxes, one frame, one thread; detect_cpu_ms: CPU time, for busy machines.",
}
"""What to print beside the figures."""

RECALLS: Final = (0.85, 0.88)
"""Of cars, at which false boxes are counted unless others are asked for."""
_PEOPLE_OVERLAPS: Final = (0.5, 0.25)
_CLASSES: Final = (
    CAR,
    VAN,
    replace(PEDESTRIAN, min_overlaps=_PEOPLE_OVERLAPS),
    replace(CYCLIST, min_overlaps=_PEOPLE_OVERLAPS),
)
_TARGETS: Final = (*_CLASSES, TRUCK, VEHICLE)
_METRICS: Final = (Metric.GROUND, Metric.BOX)


@dataclass(frozen=True)
class Examined:
    """One frame with all that is needed to judge what was found in it.

    Args:
        scored: labels, and detections in the camera's view.
        label_points: ``(L,) int64`` points of the sweep in the box of each label, ``DontCare`` regions included.
        drive: recordings of one drive are alike.
    """

    scored: ScoredFrame
    label_points: NDArrayInt
    drive: str


@dataclass(frozen=True)
class Asked:
    """What is to be said.

    Args:
        recalls: of cars, above 0, at most 1, at which false boxes are counted.
        detected_types: names of KITTI's type column, lower case, that the detector can answer; None for all.
    """

    recalls: tuple[float, ...] = RECALLS
    detected_types: frozenset[str] | None = None

    def known(self, targets: Sequence[Target]) -> list[Target]:
        """Those of some classes that the detector can answer."""
        return [one for one in targets if self.detected_types is None or one.types & self.detected_types]


def evaluate_detections3d(
    frames: Sequence[Examined], asked: Asked | None = None, *, resamples: int = 0, seed: int = 0
) -> Evaluation:
    """Judge detections, from wherever they come: those of several models on frames of their own are simply pooled.

    Args:
        frames: labels and detections.
        asked: what is to be said.
        resamples: how often drives are drawn for intervals; 0 for no intervals.
        seed: of the draws.
    """
    asked = Asked() if asked is None else asked
    drives = by_drive(frames, lambda frame: frame.drive)
    bounds = intervals(drives, lambda some: _looked_at(some, asked), resamples, seed)
    return Evaluation(_figures(frames, asked), bounds)


def _figures(frames: Sequence[Examined], asked: Asked) -> dict[str, float | None]:
    table, points = _pooled(frames)
    figures: dict[str, float | None] = dict.fromkeys(accuracy_keys(_TARGETS))
    figures |= table_metrics(table, asked.known(_TARGETS))
    figures |= _false_boxes(table, points, len(frames), asked)
    for target in asked.known(_CLASSES):
        figures |= recalls(table, target, points) | precisions(table, target)
    return figures


def _looked_at(frames: Sequence[Examined], asked: Asked) -> dict[str, float | None]:
    """Those figures that get an interval."""
    table, points = _pooled(frames)
    figures: dict[str, float | None] = {}
    for target in asked.known(_CLASSES):
        for metric in _METRICS:
            for overlap in target.min_overlaps:
                curve = precision_curve(table, target, MODERATE, metric, overlap)
                key = f"{target.name}.{metric}.{overlap:g}"
                figures[f"ap.r40.{key}.moderate"] = curve.ap_r40 if curve.label_count else None
    for target in asked.known((*_CLASSES, VEHICLE)):
        for metric in _METRICS:
            key = f"f1.{target.name}.{metric}.0.5.r{MAX_RANGE_M:g}"
            figures[key] = count_matches(table, target, metric, 0.5).f1
    alone = _false_boxes(table, points, len(frames), asked)
    return figures | {
        key: value for key, value in alone.items() if key.startswith(("false_boxes_per_frame", "recall."))
    }


def _pooled(frames: Sequence[Examined]) -> tuple[Table, NDArrayInt]:
    points: NDArrayInt = np.concatenate([np.zeros(0, np.int64), *(frame.label_points for frame in frames)])
    return Table.from_frames([frame.scored for frame in frames]), points


def _false_boxes(table: Table, points: NDArrayInt, frames: int, asked: Asked) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    cars = sightings(table, CAR, points)
    figures["best_recall.car"] = _percent(cars.best_recall)
    for recall in asked.recalls:
        cut = cars.cut_for(recall)
        key = f"car.recall{recall:g}"
        figures[f"false_boxes_per_frame.{key}"] = None if cut is None else cars.false_boxes(cut) / frames
        figures[f"score_cut.{key}"] = cut
    for recall in asked.recalls[:1]:
        figures["false_boxes_per_frame"] = figures[f"false_boxes_per_frame.car.recall{recall:g}"]
        figures["false_boxes.score_cut"] = figures[f"score_cut.car.recall{recall:g}"]
        figures["false_boxes.recall"] = 100.0 * recall
    for target in asked.known(_CLASSES):
        figures |= _at_the_cut(sightings(table, target, points), target, frames)
    return figures


def _at_the_cut(seen: Sightings, target: Target, frames: int) -> dict[str, float | None]:
    key = f"{target.name}.cut{SCORE_CUT:g}"
    return {
        f"false_boxes_per_frame.{key}": seen.false_boxes(SCORE_CUT) / frames if frames else None,
        f"recall.{key}": _percent(seen.recall(SCORE_CUT)),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share
