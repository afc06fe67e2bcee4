"""All that is said of a 3D detector on labelled sweeps: AP, F1, false boxes, recall by points and by distance.

Keys are those of `summary`, and:

- `false_boxes_per_frame`: cars where nothing stands, at the highest score cut that reaches a recall (module
  `false_boxes`); beside it `false_boxes.recall`, which was asked for, and `false_boxes.score_cut`.
  `false_boxes_per_frame.CLASS.cut0.5`: at the score at which models of ours are meant to be cut, and
  `recall.CLASS.cut0.5` there.
- `recall.CLASS.points.BIN`, `recall.CLASS.range_m.BIN`: share of the labels in a bin that are found (BEV IoU of 0.5 or
  more) at that score, and `labels.…` beside each. The points are those of the sweep in the label's box.

Shares are 0 to 100; what is not defined is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.evaluation.bootstrap import intervals
from vedette.evaluation.f1 import SCORE_CUT, count_matches
from vedette.evaluation.false_boxes import Sightings, best_scores, sightings
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.summary import accuracy_keys, accuracy_metrics
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, MODERATE, PEDESTRIAN, VAN, Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

CLASSES: Final = (CAR, VAN, PEDESTRIAN, CYCLIST)
_POINT_BINS: Final = ((1, 10), (10, 30), (30, 100), (100, None))
_RANGE_BINS_M: Final = ((0, 20), (20, 40), (40, 60))
_BOUNDED: Final = tuple((metric, overlap) for metric in (Metric.GROUND, Metric.BOX) for overlap in (0.5, 0.7))
"""Of cars, figures that get an interval."""


@dataclass(frozen=True)
class Examined:
    """One frame with all that is needed to judge what was found in it.

    Args:
        scored: labels and detections.
        label_points: ``(L,) int64`` points of the sweep in the box of each label, ``DontCare`` regions included.
        drive: recordings of one drive are alike.
    """

    scored: ScoredFrame
    label_points: NDArrayInt
    drive: str


def detector_figures(frames: Sequence[Examined], recall: float) -> dict[str, float | None]:
    """All figures.

    Args:
        frames: labels, and detections in the camera's view.
        recall: above 0, at most 1, at which false boxes are counted.
    """
    scored = [frame.scored for frame in frames]
    table, points = Table.from_frames(scored), _points(frames)
    figures: dict[str, float | None] = dict.fromkeys(accuracy_keys())
    figures |= accuracy_metrics(scored)
    figures |= _false_boxes(table, points, len(frames), recall)
    for target in CLASSES:
        figures |= _recalls(table, target, points)
    return figures


def interval_figures(
    frames: Sequence[Examined], recall: float, resamples: int
) -> dict[str, tuple[float, float] | None]:
    """Intervals of the figures that are most looked at, by drawing drives.

    Args:
        frames: as in `detector_figures`.
        recall: likewise.
        resamples: how often drives are drawn.
    """
    drives: dict[str, list[Examined]] = {}
    for frame in frames:
        drives.setdefault(frame.drive, []).append(frame)
    return intervals(list(drives.values()), lambda some: _looked_at(some, recall), resamples)


def _looked_at(frames: Sequence[Examined], recall: float) -> Mapping[str, float | None]:
    table, points = Table.from_frames([frame.scored for frame in frames]), _points(frames)
    figures: dict[str, float | None] = {}
    for metric, overlap in _BOUNDED:
        curve = precision_curve(table, CAR, MODERATE, metric, overlap)
        figures[f"ap.r40.car.{metric}.{overlap:g}.moderate"] = curve.ap_r40 if curve.label_count else None
    figures["f1.car.3d.0.5.r50"] = count_matches(table, CAR, Metric.BOX, 0.5).f1
    figures["f1.car.bev.0.5.r50"] = count_matches(table, CAR, Metric.GROUND, 0.5).f1
    at_recall = _false_boxes(table, points, len(frames), recall)
    figures["false_boxes_per_frame"] = at_recall["false_boxes_per_frame"]
    return figures


def _points(frames: Sequence[Examined]) -> NDArrayInt:
    points: NDArrayInt = np.concatenate([np.zeros(0, np.int64), *(frame.label_points for frame in frames)])
    return points


def _false_boxes(table: Table, points: NDArrayInt, frames: int, recall: float) -> dict[str, float | None]:
    cars = sightings(table, CAR, points)
    cut = cars.cut_for(recall)
    figures: dict[str, float | None] = {
        "false_boxes_per_frame": None if cut is None else cars.false_boxes(cut) / frames,
        "false_boxes.recall": 100.0 * recall,
        "false_boxes.score_cut": cut,
    }
    for target in CLASSES:
        figures |= _at_the_cut(sightings(table, target, points), target, frames)
    return figures


def _at_the_cut(seen: Sightings, target: Target, frames: int) -> dict[str, float | None]:
    recall = seen.recall(SCORE_CUT)
    return {
        f"false_boxes_per_frame.{target.name}.cut{SCORE_CUT:g}": seen.false_boxes(SCORE_CUT) / max(frames, 1),
        f"recall.{target.name}.cut{SCORE_CUT:g}": None if recall is None else 100.0 * recall,
    }


def _recalls(table: Table, target: Target, points: NDArrayInt) -> dict[str, float | None]:
    of_class = table.labels.is_any(target.types) & (points > 0)
    sure = table.detections.is_any(target.types) & (table.detections.scores >= SCORE_CUT)
    found = best_scores(table, sure) > -np.inf
    figures = _in_bins(f"{target.name}.points", points.astype(np.float64), _POINT_BINS, of_class, found)
    return figures | _in_bins(f"{target.name}.range_m", table.labels.range_m, _RANGE_BINS_M, of_class, found)


def _in_bins(
    name: str,
    values: NDArrayFloat,
    bins: Sequence[tuple[int, int | None]],
    of_class: NDArrayBool,
    found: NDArrayBool,
) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    for low, high in bins:
        inside = of_class & (values >= low) & (values < (np.inf if high is None else high))
        key = f"{name}.{low}-{'' if high is None else high}"
        figures[f"labels.{key}"] = int(inside.sum())
        figures[f"recall.{key}"] = 100.0 * float(found[inside].mean()) if inside.any() else None
    return figures
