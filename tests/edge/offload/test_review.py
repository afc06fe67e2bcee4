"""How far an answer and the agent's own boxes agree."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.offload.review import Review, review_answer

CAR, VAN, WALKER = ObjectClass.CAR, ObjectClass.VAN, ObjectClass.PEDESTRIAN
NONE = Detections3D.empty()


def boxes(*places: tuple[float, float], score: float = 0.9, kind: ObjectClass = CAR) -> Detections3D:
    """Cars of 4 x 2 x 1.5 m at places."""
    table = np.array([[x, y, 0.0, 4.0, 2.0, 1.5, 0.0] for x, y in places]).reshape(-1, 7)
    return Detections3D(table, np.full(len(places), score), np.full(len(places), int(kind), np.int64))


@pytest.mark.parametrize(
    ("own", "answer", "agreeing", "f1", "corrected"),
    [
        pytest.param(NONE, NONE, 0, 1.0, 0, id="both empty"),
        pytest.param(boxes((9, 0)), NONE, 0, 0.0, 1, id="the answer sees nothing"),
        pytest.param(NONE, boxes((9, 0)), 0, 0.0, 1, id="the agent sees nothing"),
        pytest.param(boxes((9, 0), (20, 3)), boxes((20, 3), (9, 0)), 2, 1.0, 0, id="the same, in another order"),
        # IoU of boxes shifted by d along their 4 m is (4 - d) / (4 + d): 0.6 and 0.45
        pytest.param(boxes((9, 0)), boxes((10, 0)), 1, 1.0, 0, id="a metre off"),
        pytest.param(boxes((9, 0)), boxes((10.5, 0)), 0, 0.0, 2, id="a metre and a half off"),
        pytest.param(boxes((9, 0), (20, 3)), boxes((9, 0)), 1, 2 / 3, 1, id="one too many"),
        pytest.param(boxes((9, 0)), boxes((9, 0), (9.2, 0)), 1, 2 / 3, 1, id="one to one"),
        pytest.param(boxes((9, 0)), boxes((9, 0), kind=VAN), 1, 1.0, 0, id="a van for a car"),
        pytest.param(boxes((9, 0)), boxes((9, 0), kind=WALKER), 0, 0.0, 2, id="a person for a car"),
        pytest.param(boxes((9, 0), score=0.49), boxes((9, 0)), 0, 0.0, 1, id="own too weak"),
        pytest.param(boxes((9, 0)), boxes((9, 0), score=0.49), 0, 0.0, 1, id="answered too weakly"),
    ],
)
def test_agreement(own: Detections3D, answer: Detections3D, agreeing: int, f1: float, corrected: int) -> None:
    """Pairs, F1 and corrections, each counted by hand."""
    review = review_answer(own, answer)
    assert (review.agreeing, review.f1, review.corrected) == (agreeing, pytest.approx(f1), corrected)


def test_what_was_left_out_is_told() -> None:
    """It takes no part in the score."""
    review = review_answer(boxes((9, 0)), boxes((9, 0)), unsupported=3)
    assert review == Review(agreeing=1, own=1, answered=1, unsupported=3)
    assert review.f1 == 1.0
