"""F1 at a fixed score and a fixed overlap: how right the boxes are that somebody would act on.

Definition, for one class, one kind of overlap (BEV rectangle, 3D box, 2D box), an IoU minimum, a range and a score cut:

- Detections of the class with a score of at least the cut (0.5) take part; all others are not there.
- A label *counts* if it is of the class, KITTI's hard level sees it (occlusion at most 2, truncation at most 0.5, 2D
  box at least 25 px tall), and it lies within the range (distance along the ground from the camera to the box centre).
  Labels of the class that miss this, and those of a neighbouring class (van for car, car for van, sitting person for
  pedestrian, tram for truck and vehicle), are *neutral*.
- A detection is *in question* if it lies within the range, its 2D box is at least 25 px tall (or empty: a detection
  without a 2D box is not excused), and not more than half of its 2D box lies in one ``DontCare`` region. The others are
  neutral: they may find a label, and are no false alarms if they do not.
- Matching is one to one, between labels and detections of one frame whose IoU is more than the minimum: the assignment
  with the most matches of counting labels; among those, the one that leaves the fewest detections in question
  unmatched; among those, the greatest sum of IoU. Scores play no part.
- TP: counting labels matched (also by a neutral detection: a box 0.1 m beyond the range has found a label just inside).
  FN: counting labels not matched. FP: detections in question not matched; one matched to a neutral label is none.
- F1 = 2 TP / (2 TP + FP + FN), over all frames together, 0 to 100; not defined where no label counts.

A range of heights may be given in place of "at least 25 px": it then holds for labels and for detections in question.

Class `vehicle` pools car, van, truck and bus: any vehicle label matches any vehicle detection, so that a detector that
does not tell vans from cars is not punished twice. Labels exist only for what the camera sees: detections outside its
view must be left out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from vedette.evaluation.kitti_ap import meets
from vedette.evaluation.rows import Rows
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import HARD, Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

SCORE_CUT: Final = 0.5
MAX_RANGE_M: Final = 50.0
HEIGHTS_PX: Final = (HARD.min_height_px, float("inf"))
_DONT_CARE_SHARE: Final = 0.5


@dataclass(frozen=True)
class MatchCounts:
    """What F1 is made of.

    Args:
        true_positives: counting labels that were found.
        false_positives: detections in question that match nothing.
        false_negatives: counting labels that were missed.
    """

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def labels(self) -> int:
        """Labels that count."""
        return self.true_positives + self.false_negatives

    @property
    def f1(self) -> float | None:
        """F1, 0 to 100; None where no label counts."""
        if self.labels == 0:
            return None
        doubled = 2 * self.true_positives
        return 100.0 * doubled / (doubled + self.false_positives + self.false_negatives)


def count_matches(
    table: Table,
    target: Target,
    metric: Metric,
    min_overlap: float,
    *,
    max_range_m: float = MAX_RANGE_M,
    score_cut: float = SCORE_CUT,
    heights_px: tuple[float, float] = HEIGHTS_PX,
) -> MatchCounts:
    """Match labels and detections of one class and count.

    Args:
        table: labels and detections of all frames.
        target: the class.
        metric: which overlap decides.
        min_overlap: IoU that a match must exceed, above 0 and below 1.
        max_range_m: labels and detections farther away are neutral, metres.
        score_cut: lowest score that takes part.
        heights_px: of 2D boxes, from the first to less than the second; others are neutral. At least 25.
    """
    by_frame = count_matches_by_frame(
        table, target, metric, min_overlap, max_range_m=max_range_m, score_cut=score_cut, heights_px=heights_px
    )
    return MatchCounts(*by_frame.sum(axis=0).tolist())


def count_matches_by_frame(
    table: Table,
    target: Target,
    metric: Metric,
    min_overlap: float,
    *,
    frame_count: int = 0,
    max_range_m: float = MAX_RANGE_M,
    score_cut: float = SCORE_CUT,
    heights_px: tuple[float, float] = HEIGHTS_PX,
) -> NDArrayInt:
    """The same counts frame by frame, for whoever pools frames in other ways.

    Args:
        table: labels and detections of all frames.
        target: the class.
        metric: which overlap decides.
        min_overlap: IoU that a match must exceed, above 0 and below 1.
        frame_count: frames there are; the table itself does not know of empty ones at the end.
        max_range_m: labels and detections farther away are neutral, metres.
        score_cut: lowest score that takes part.
        heights_px: as in `count_matches`.

    Returns:
        ``(F,3) int64`` true positives, false positives, false negatives; F is ``frame_count`` or more.
    """
    labels, detections = table.labels, table.detections
    matchable = labels.is_any(target.types | target.neutral_types)
    counting = counting_labels(labels, target, max_range_m=max_range_m, heights_px=heights_px)
    there = present_detections(detections, target, score_cut=score_cut)
    in_question = there & detections_in_question(table, max_range_m=max_range_m, heights_px=heights_px)

    overlap = table.overlaps[metric]
    usable = matchable[table.pair_label] & there[table.pair_detection] & (overlap > min_overlap)
    label, detection = table.pair_label[usable], table.pair_detection[usable]
    pairs = _Pairs(label, detection, overlap[usable], counting[label], in_question[detection])
    matched = pairs.assigned(labels.frame[label])

    length = max(frame_count, *(int(rows.frame.max(initial=-1)) + 1 for rows in (labels, detections)))
    found, claimed = label[matched], detection[matched]
    true_positives = np.bincount(labels.frame[found[counting[found]]], minlength=length)
    return np.stack(
        [
            true_positives,
            np.bincount(detections.frame[in_question], minlength=length)
            - np.bincount(detections.frame[claimed[in_question[claimed]]], minlength=length),
            np.bincount(labels.frame[counting], minlength=length) - true_positives,
        ],
        axis=1,
    )


def counting_labels(
    labels: Rows,
    target: Target,
    *,
    max_range_m: float = MAX_RANGE_M,
    heights_px: tuple[float, float] = HEIGHTS_PX,
) -> NDArrayBool:
    """``(L,) bool``: which labels count.

    Args:
        labels: of all frames.
        target: the class.
        max_range_m: farther ones do not, metres.
        heights_px: of their 2D boxes, from the first to less than the second.
    """
    near_and_tall = (labels.range_m <= max_range_m) & _within(labels.height_px, heights_px)
    counting: NDArrayBool = labels.is_any(target.types) & meets(labels, HARD) & near_and_tall
    return counting


def present_detections(detections: Rows, target: Target, *, score_cut: float = SCORE_CUT) -> NDArrayBool:
    """``(D,) bool``: which detections take part.

    Args:
        detections: of all frames.
        target: the class.
        score_cut: lowest score that does.
    """
    present: NDArrayBool = detections.is_any(target.types) & (detections.scores >= score_cut)
    return present


def detections_in_question(
    table: Table,
    *,
    max_range_m: float = MAX_RANGE_M,
    heights_px: tuple[float, float] = HEIGHTS_PX,
) -> NDArrayBool:
    """``(D,) bool``: which detections, of whatever class and score, are false alarms if they match nothing.

    Args:
        table: labels and detections of all frames.
        max_range_m: farther ones are none, metres.
        heights_px: of their 2D boxes, from the first to less than the second.
    """
    detections = table.detections
    tall_enough = (detections.height_px <= 0) | _within(detections.height_px, heights_px)
    in_range = detections.range_m <= max_range_m
    in_question: NDArrayBool = in_range & tall_enough & (table.dont_care_share <= _DONT_CARE_SHARE)
    return in_question


def _within(values: NDArrayFloat, limits: tuple[float, float]) -> NDArrayBool:
    within: NDArrayBool = (values >= limits[0]) & (values < limits[1])
    return within


@dataclass(frozen=True)
class _Pairs:
    """Labels and detections that may be matched, one pair a row, sorted by frame."""

    label: NDArrayInt
    detection: NDArrayInt
    overlap: NDArrayFloat
    counting: NDArrayBool
    in_question: NDArrayBool

    def assigned(self, frame: NDArrayInt) -> NDArrayInt:
        """Rows that the best assignment of every frame uses, given each row's frame."""
        rivals = np.bincount(self.label)[self.label] * np.bincount(self.detection)[self.detection]
        contested = np.flatnonzero(rivals > 1)
        _, first = np.unique(frame[contested], return_index=True)
        settled = [self._assigned_among(contested[rows]) for rows in _slices(first, len(contested))]
        return np.concatenate([np.flatnonzero(rivals == 1), *settled])

    def _assigned_among(self, rows: NDArrayInt) -> NDArrayInt:
        labels, row = np.unique(self.label[rows], return_inverse=True)
        detections, column = np.unique(self.detection[rows], return_inverse=True)
        # each level outweighs all that the levels below can sum up to; IoU is at most 1
        most = min(len(labels), len(detections)) + 1
        gain = np.zeros((len(labels), len(detections)))
        gain[row, column] = self.overlap[rows] + most * self.in_question[rows] + most**2 * self.counting[rows]
        pair = np.full(gain.shape, -1)
        pair[row, column] = rows
        chosen = pair[linear_sum_assignment(gain, maximize=True)]
        used: NDArrayInt = chosen[chosen >= 0]
        return used


def _slices(first: NDArrayInt, end: int) -> list[slice]:
    return [slice(*borders) for borders in pairwise([*first.tolist(), end])]
