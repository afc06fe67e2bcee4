"""KITTI's average precision, as the official evaluator (`evaluate_object_3d_offline.cpp`) computes it.

Definition, for one class, one difficulty and one kind of overlap (2D box, BEV rectangle, 3D box):

- A label *counts* if it is of the class and its 2D box is at least as tall, and it is at most as occluded and
  truncated, as the difficulty says: easy 40 px, 0, 0.15; moderate 25 px, 1, 0.30; hard 25 px, 2, 0.50. Labels of the
  class that miss this, and those of a neighbouring class (van for car, sitting person for pedestrian), are *neutral*.
- A detection whose 2D box is lower than the difficulty's height is neutral, whatever its class. Other detections of the
  class count. Detections of other classes are not there.
- Labels, in file order, each take one detection that no earlier label took and whose IoU is *more than* the minimum
  (official: car 0.7, others 0.5; the same for all three overlaps). A counting label that takes a counting detection is
  a true positive; one that takes none is a miss; with a neutral partner nothing is counted.
- Score cuts: with all detections there and each label taking the *highest score*, the scores of the true positives,
  best first, are thinned to those where recall comes nearest to 0, 1/40, 2/40, ...: at most 41 cuts.
- At each cut, detections with lower scores are left out and each label takes the *greatest overlap*, neutral detections
  last. A counting detection that no label took is a false positive, unless (2D only) more than the IoU minimum of its
  2D box lies in one ``DontCare`` region; in BEV and 3D those regions have no box and excuse nothing.
- Precision at a cut is TP / (TP + FP), and then the greatest of this and all later cuts; cuts that do not exist have
  precision 0. R40 is the mean over cuts 1 to 40 (the first is left out), R11 the mean over cuts 0, 4, ..., 40.
- AOS is the same with each true positive weighed by (1 + cos of the error in alpha) / 2; only for the 2D overlap, and
  only if every detection of the evaluation has an alpha (not -10).

With n counting labels there are at most n cuts. So labels scored as detections give 100 from n = 41 on, and below that
(n - 1) / 40 * 100 in R40. Figures are 0 to 100.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.evaluation.greedy import Candidates, match_greedily
from vedette.evaluation.rows import Rows
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import Difficulty, Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

RECALL_CUTS: Final = 41
_NO_ALPHA: Final = -10.0


@dataclass(frozen=True)
class PrecisionCurve:
    """Precision over recall of one class, difficulty and overlap.

    Args:
        precision: ``(41,) float64`` in [0, 1], never rising.
        orientation: ``(41,) float64`` orientation similarity likewise, or None where it is not defined.
        label_count: labels that count.
        false_positives: at the lowest cut.
        true_positives: at the lowest cut.
    """

    precision: NDArrayFloat
    orientation: NDArrayFloat | None
    label_count: int
    true_positives: int
    false_positives: int

    @property
    def ap_r40(self) -> float:
        """Average precision over 40 recall positions, 0 to 100."""
        return _mean_r40(self.precision)

    @property
    def ap_r11(self) -> float:
        """Average precision over 11 recall positions, 0 to 100."""
        return _mean_r11(self.precision)

    @property
    def aos_r40(self) -> float | None:
        """Average orientation similarity over 40 recall positions, 0 to 100."""
        return None if self.orientation is None else _mean_r40(self.orientation)

    @property
    def aos_r11(self) -> float | None:
        """Average orientation similarity over 11 recall positions, 0 to 100."""
        return None if self.orientation is None else _mean_r11(self.orientation)


def precision_curve(
    table: Table, target: Target, difficulty: Difficulty, metric: Metric, min_overlap: float
) -> PrecisionCurve:
    """Score one class at one difficulty.

    Args:
        table: labels and detections of all frames.
        target: the class.
        difficulty: which labels count.
        metric: which overlap decides.
        min_overlap: IoU that a match must exceed, above 0 and below 1.
    """
    cell = _Cell.of(table, target, difficulty, metric, min_overlap)
    thresholds = recall_thresholds(cell.scores_of_best_matches(), cell.label_count)
    with_orientation = metric is Metric.IMAGE and not (table.detections.alpha == _NO_ALPHA).any()
    tally = cell.tally(thresholds, with_orientation=with_orientation)
    return PrecisionCurve(
        precision=_envelope(tally.true_positives, tally.positives),
        orientation=None if tally.similarity is None else _envelope(tally.similarity, tally.positives),
        label_count=cell.label_count,
        true_positives=int(tally.true_positives[-1]) if len(thresholds) else 0,
        false_positives=int(tally.false_positives[-1]) if len(thresholds) else 0,
    )


def recall_thresholds(scores: NDArrayFloat, label_count: int) -> NDArrayFloat:
    """Thin the scores of true positives to those nearest to evenly spaced recalls.

    The arithmetic is that of the official ``getThresholds``, sums of 1/40 included, since cuts depend on its rounding.

    Args:
        scores: ``(N,) float64`` scores of the true positives, any order.
        label_count: labels that count, at least N.

    Returns:
        At most 41 scores, best first.
    """
    best_first = np.sort(scores)[::-1].tolist()
    thresholds = []
    wanted_recall = 0.0
    for i, score in enumerate(best_first):
        is_last = i == len(best_first) - 1
        recall = (i + 1) / label_count
        next_recall = (i + 2) / label_count
        if not is_last and next_recall - wanted_recall < wanted_recall - recall:
            continue
        thresholds.append(score)
        wanted_recall += 1.0 / (RECALL_CUTS - 1.0)
    return np.array(thresholds, np.float64)


@dataclass(frozen=True)
class _Tally:
    """Counts at each of T score cuts."""

    true_positives: NDArrayInt
    false_positives: NDArrayInt
    similarity: NDArrayFloat | None

    @property
    def positives(self) -> NDArrayInt:
        total: NDArrayInt = self.true_positives + self.false_positives
        return total


@dataclass(frozen=True)
class _Cell:
    """Labels and detections as one class, difficulty and overlap sees them."""

    table: Table
    counting_labels: NDArrayBool
    counting_detections: NDArrayBool
    neutral_detections: NDArrayBool
    excused: NDArrayBool
    pairs: NDArrayInt
    overlaps: NDArrayFloat

    @classmethod
    def of(cls, table: Table, target: Target, difficulty: Difficulty, metric: Metric, min_overlap: float) -> _Cell:
        of_class = table.labels.is_any(target.types)
        matchable = of_class | table.labels.is_any(target.neutral_types)
        too_low = table.detections.height_px < difficulty.min_height_px
        counting = table.detections.is_any(target.types) & ~too_low
        overlap = table.overlaps[metric]
        usable = matchable[table.pair_label] & (counting | too_low)[table.pair_detection] & (overlap > min_overlap)
        pairs = np.flatnonzero(usable)
        in_dont_care = table.dont_care_share > min_overlap
        return cls(
            table=table,
            counting_labels=of_class & meets(table.labels, difficulty),
            counting_detections=counting,
            neutral_detections=too_low,
            excused=in_dont_care if metric is Metric.IMAGE else np.zeros_like(in_dont_care),
            pairs=pairs,
            overlaps=overlap[pairs],
        )

    @property
    def label_count(self) -> int:
        return int(self.counting_labels.sum())

    def scores_of_best_matches(self) -> NDArrayFloat:
        """Scores of the true positives when every label takes the highest score."""
        scores = self.table.detections.scores
        candidates = self._candidates(scores[self.table.pair_detection[self.pairs]])
        there = (self.counting_detections | self.neutral_detections)[:, None]
        taken = match_greedily(candidates, there)
        matched: NDArrayFloat = scores[taken[self._is_true_positive(candidates, taken)]]
        return matched

    def tally(self, thresholds: NDArrayFloat, *, with_orientation: bool) -> _Tally:
        """Counts when detections below each threshold are left out and labels take the greatest overlap."""
        # neutral detections come last, among themselves in file order: overlaps are positive
        neutral = self.neutral_detections[self.table.pair_detection[self.pairs]]
        candidates = self._candidates(np.where(neutral, 0.0, self.overlaps))
        there = self.table.detections.scores[:, None] >= thresholds
        taken = match_greedily(candidates, there)
        true_positive = self._is_true_positive(candidates, taken)
        row, cut = np.nonzero(taken >= 0)
        left = there & (self.counting_detections & ~self.excused)[:, None]
        left[taken[row, cut], cut] = False
        similarity = self._similarity(candidates, taken, true_positive) if with_orientation else None
        return _Tally(true_positive.sum(axis=0), left.sum(axis=0), similarity)

    def _candidates(self, preference: NDArrayFloat) -> Candidates:
        pair_label, pair_detection = self.table.pair_label[self.pairs], self.table.pair_detection[self.pairs]
        frame, count = self.table.labels.frame, len(self.table.detections)
        return Candidates.from_pairs(pair_label, pair_detection, preference, frame, count)

    def _is_true_positive(self, candidates: Candidates, taken: NDArrayInt) -> NDArrayBool:
        counts: NDArrayBool = self.counting_labels[candidates.label][:, None] & self.counting_detections[taken]
        both: NDArrayBool = counts & (taken >= 0)
        return both

    def _similarity(self, candidates: Candidates, taken: NDArrayInt, true_positive: NDArrayBool) -> NDArrayFloat:
        error = self.table.labels.alpha[candidates.label][:, None] - self.table.detections.alpha[taken]
        similarity: NDArrayFloat = np.where(true_positive, (1.0 + np.cos(error)) / 2.0, 0.0).sum(axis=0)
        return similarity


def meets(rows: Rows, difficulty: Difficulty) -> NDArrayBool:
    """Which labels are tall and visible enough for a difficulty.

    Args:
        rows: N labels.
        difficulty: the limits.

    Returns:
        ``(N,) bool``.
    """
    visible = (rows.occlusion <= difficulty.max_occlusion) & (rows.truncation <= difficulty.max_truncation)
    enough: NDArrayBool = visible & (rows.height_px >= difficulty.min_height_px)
    return enough


def _envelope(gained: NDArrayFloat | NDArrayInt, positives: NDArrayInt) -> NDArrayFloat:
    """Share gained per cut, made never rising and filled up with zeros to 41 cuts; 0 where there are no positives."""
    share = np.zeros(RECALL_CUTS)
    np.divide(gained, positives, out=share[: len(positives)], where=positives > 0)
    envelope: NDArrayFloat = np.maximum.accumulate(share[::-1])[::-1]
    return envelope


def _mean_r40(curve: NDArrayFloat) -> float:
    return float(curve[1:].mean() * 100.0)


def _mean_r11(curve: NDArrayFloat) -> float:
    return float(curve[::4].mean() * 100.0)
