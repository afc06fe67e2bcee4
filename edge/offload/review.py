"""How far an answer and the agent's own boxes for the same frame agree: what an offload turned out to be worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.lifting.priors import prior
from vedette.geometry.iou import iou_3d

SURE_SCORE: Final = 0.5
"""Boxes below take no part."""
MIN_OVERLAP: Final = 0.5
"""3D IoU from which two boxes say the same."""


@dataclass(frozen=True)
class Review:
    """An answer beside what the agent had published for its frame.

    Args:
        agreeing: pairs of boxes of one group of classes whose 3D IoU is at least `MIN_OVERLAP`, one to one.
        own: boxes of the agent.
        answered: boxes of the answer that the sweep supports.
        unsupported: boxes of the answer that it does not; they were left out.
    """

    agreeing: int
    own: int
    answered: int
    unsupported: int = 0

    @property
    def f1(self) -> float:
        """Agreement from 0 to 1, as F1 with the answer in the place of labels; 1 where neither saw anything."""
        return 2 * self.agreeing / (self.own + self.answered) if self.own + self.answered else 1.0

    @property
    def corrected(self) -> int:
        """Boxes that the answer changes: those it alone has, and those it alone has not."""
        return self.own + self.answered - 2 * self.agreeing


def review_answer(own: Detections3D, answer: Detections3D, *, unsupported: int = 0) -> Review:
    """Compare an answer with the agent's boxes.

    Args:
        own: published for the answer's frame, or what would be published for it now.
        answer: boxes in the same velo frame, those left out already gone.
        unsupported: how many were left out.
    """
    own, answer = own.select(own.scores >= SURE_SCORE), answer.select(answer.scores >= SURE_SCORE)
    if len(own) == 0 or len(answer) == 0:
        return Review(0, len(own), len(answer), unsupported)
    same_group = _groups(own)[:, None] == _groups(answer)
    good = np.where(same_group, iou_3d(own.boxes_velo, answer.boxes_velo), 0.0) >= MIN_OVERLAP
    rows, columns = linear_sum_assignment(~good)
    return Review(int(good[rows, columns].sum()), len(own), len(answer), unsupported)


def _groups(detections: Detections3D) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
    return np.array([prior(ObjectClass(int(class_id))).group.value for class_id in detections.class_ids])
