"""Which share of objects is found, and which share of boxes is right, by points on the object and by distance.

Definition, for one class, at the score cut at which models of ours are meant to be cut (0.5):

- A label of the class is *found* if a detection of the class overlaps it with a BEV IoU of at least 0.5. *Recall* is
  the share of labels that are found, whatever hides or cuts them off. By points: those of the sweep in the label's box.
  By distance, from the camera along the ground: labels with at least one point.
- A detection of the class is *right* if it is the one with the highest score of those that find some label, so that a
  second box on the same object is not right. It is *neutral* if it is not right, and overlaps a label of a neighbouring
  class (van for car) with a BEV IoU of at least 0.5, or at least half of its 2D box lies in one ``DontCare`` region.
  *Precision* is the share of detections that are right among those that are not neutral.

Shares are 0 to 100; None where there is nothing to share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from vedette.evaluation.f1 import SCORE_CUT
from vedette.evaluation.false_boxes import DONT_CARE_SHARE, MIN_OVERLAP, best_scores
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

_POINT_BINS: Final = ((0, 1), (1, 10), (10, 30), (30, 100), (100, None))
_RANGE_BINS_M: Final = ((0, 20), (20, 40), (40, 60))


def recalls(table: Table, target: Target, label_points: NDArrayInt) -> dict[str, float | None]:
    """Recall by points and by distance; beside it how many labels there are.

    Args:
        table: labels and detections of all frames.
        target: the class.
        label_points: ``(L,)`` points of the sweep in the box of each label of the table.
    """
    of_class = table.labels.is_any(target.types)
    found = best_scores(table, _sure(table, target)) > -np.inf
    range_m = np.where(label_points > 0, table.labels.range_m, np.inf)
    figures: dict[str, float | None] = {}
    for name, inside in (*_bins("points", label_points, _POINT_BINS), *_bins("range_m", range_m, _RANGE_BINS_M)):
        figures[f"labels.{target.name}.{name}"] = int((of_class & inside).sum())
        figures[f"recall.{target.name}.{name}"] = _share(found[of_class & inside])
    return figures


def precisions(table: Table, target: Target) -> dict[str, float | None]:
    """Precision in all and by distance; beside it how many detections there are.

    Args:
        table: labels and detections of all frames.
        target: the class.
    """
    right, neutral = _judged(table, target)
    counting = _sure(table, target) & ~neutral
    figures = {f"precision.{target.name}.cut{SCORE_CUT:g}": _share(right[counting])}
    for name, inside in _bins("range_m", table.detections.range_m, _RANGE_BINS_M):
        figures[f"detections.{target.name}.{name}"] = int((counting & inside).sum())
        figures[f"precision.{target.name}.{name}"] = _share(right[counting & inside])
    return figures


def _sure(table: Table, target: Target) -> NDArrayBool:
    return table.detections.is_any(target.types) & (table.detections.scores >= SCORE_CUT)


def _judged(table: Table, target: Target) -> tuple[NDArrayBool, NDArrayBool]:
    """``(D,) bool`` which detections are right, and which are neutral."""
    labels, scores = table.labels, table.detections.scores
    finds = _sure(table, target)[table.pair_detection] & (table.overlaps[Metric.GROUND] >= MIN_OVERLAP)
    of_class = np.flatnonzero(finds & labels.is_any(target.types)[table.pair_label])
    best_first = of_class[np.argsort(-scores[table.pair_detection[of_class]], kind="stable")]
    _, best = np.unique(table.pair_label[best_first], return_index=True)
    right = np.zeros(len(scores), np.bool_)
    right[table.pair_detection[best_first[best]]] = True
    neutral = table.dont_care_share >= DONT_CARE_SHARE
    neutral[table.pair_detection[finds & labels.is_any(target.neutral_types)[table.pair_label]]] = True
    return right, neutral & ~right


def _bins(
    name: str, values: NDArrayFloat | NDArrayInt, bins: Sequence[tuple[int, int | None]]
) -> Iterator[tuple[str, NDArrayBool]]:
    """The end of a key, and which values are in the bin: from its lower end to less than its upper one."""
    for low, high in bins:
        inside: NDArrayBool = (values >= low) & (values < (np.inf if high is None else high))
        yield f"{name}.{low}-{'' if high is None else high}", inside


def _share(good: NDArrayBool) -> float | None:
    return 100.0 * float(good.mean()) if len(good) else None
