"""Boxes where nothing stands, at a given share of objects found: what average precision hides.

Definition, for one class, within 45 m of the camera along the ground:

- A label *counts* if it is of the class, within that range, and has at least 10 points of the sweep in its box; how
  much of it is hidden or cut off does not matter.
- A counting label is *found* at a score cut if a detection of the class with that score or more overlaps it with a BEV
  IoU of at least 0.5. *Recall* is the share of counting labels that are found.
- A *false box* is a detection of the class within that range with the cut's score or more whose BEV IoU with every
  label of any class is 0, and of whose 2D box less than half lies in one ``DontCare`` region. A box that is merely
  inaccurate, or of the wrong class, is none.
- *False boxes per frame at a recall* are those at the highest cut that reaches the recall; not defined where no cut
  does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import Target
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

MAX_RANGE_M: Final = 45.0
MIN_POINTS: Final = 10
MIN_OVERLAP: Final = 0.5
DONT_CARE_SHARE: Final = 0.5


@dataclass(frozen=True)
class Sightings:
    """What of a class was found, and what was found where nothing stands.

    Args:
        found_scores: ``(L,) float64`` of each counting label the best score of a box that finds it, -inf where none
            does.
        false_scores: ``(F,) float64`` of all false boxes.
    """

    found_scores: NDArrayFloat
    false_scores: NDArrayFloat

    def recall(self, score_cut: float) -> float | None:
        """Share of the counting labels that are found, 0 to 1; None where there are none.

        Args:
            score_cut: lowest score that takes part.
        """
        return float(np.mean(self.found_scores >= score_cut)) if len(self.found_scores) else None

    @property
    def best_recall(self) -> float | None:
        """Recall without a score cut, 0 to 1; None where there are no counting labels."""
        return float(np.mean(self.found_scores > -np.inf)) if len(self.found_scores) else None

    def false_boxes(self, score_cut: float) -> int:
        """How many there are.

        Args:
            score_cut: lowest score that takes part.
        """
        return int(np.count_nonzero(self.false_scores >= score_cut))

    def cut_for(self, recall: float) -> float | None:
        """The highest score cut that reaches a recall; None where none does.

        Args:
            recall: above 0, at most 1.
        """
        wanted = int(np.ceil(recall * len(self.found_scores) - 1e-9))
        if wanted == 0:
            return None
        cut = float(np.sort(self.found_scores)[-wanted])
        return cut if np.isfinite(cut) else None


def sightings(table: Table, target: Target, label_points: NDArrayInt) -> Sightings:
    """Compare the boxes of a class with all labels.

    Args:
        table: labels and detections of all frames.
        target: the class.
        label_points: ``(L,)`` points of the sweep in the box of each label of the table.
    """
    labels, detections = table.labels, table.detections
    counting = labels.is_any(target.types) & (labels.range_m <= MAX_RANGE_M) & (label_points >= MIN_POINTS)
    of_class = detections.is_any(target.types)
    false = of_class & (detections.range_m <= MAX_RANGE_M) & _alone(table) & (table.dont_care_share < DONT_CARE_SHARE)
    return Sightings(best_scores(table, of_class)[counting], detections.scores[false])


def best_scores(table: Table, usable: NDArrayBool) -> NDArrayFloat:
    """Of each label the best score of the detections that overlap it enough, -inf where there is none.

    Args:
        table: labels and detections of all frames.
        usable: ``(D,) bool`` the detections that may find.
    """
    finds = usable[table.pair_detection] & (table.overlaps[Metric.GROUND] >= MIN_OVERLAP)
    best = np.full(len(table.labels), -np.inf)
    np.maximum.at(best, table.pair_label[finds], table.detections.scores[table.pair_detection[finds]])
    return best


def _alone(table: Table) -> NDArrayBool:
    """Which detections overlap no label from above."""
    alone = np.ones(len(table.detections), np.bool_)
    alone[table.pair_detection[table.overlaps[Metric.GROUND] > 0]] = False
    return alone
