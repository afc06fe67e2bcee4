"""Detections are parallel arrays that are checked on construction and selected together."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D

BOX_3D = [10.0, 0.0, -1.0, 4.0, 1.6, 1.5, 0.3]


def detections_3d(count: int) -> Detections3D:
    boxes = np.tile(BOX_3D, (count, 1)).reshape(-1, 7)
    boxes[:, 0] = np.arange(count)
    return Detections3D(boxes, np.linspace(1.0, 0.0, count), np.arange(count, dtype=np.int64) % len(ObjectClass))


@pytest.mark.parametrize(
    ("boxes", "scores", "class_ids", "message"),
    [
        (np.zeros((1, 6)), np.zeros(1), np.zeros(1, np.int64), r"\(N, 7\)"),
        (np.array([BOX_3D], np.float32), np.zeros(1), np.zeros(1, np.int64), "float64"),
        (np.array([BOX_3D]), np.zeros(2), np.zeros(1, np.int64), r"\(1,\)"),
        (np.array([BOX_3D]), np.zeros(1), np.zeros(1, np.int32), "int64"),
        (np.array([BOX_3D]) * np.nan, np.zeros(1), np.zeros(1, np.int64), "finite"),
        (np.array([BOX_3D]), np.array([1.1]), np.zeros(1, np.int64), "scores span"),
        (np.array([BOX_3D]), np.array([-0.1]), np.zeros(1, np.int64), "scores span"),
        (np.array([BOX_3D]), np.zeros(1), np.array([8]), "class ids span"),
        (np.array([[0.0, 0.0, 0.0, 4.0, 0.0, 1.0, 0.0]]), np.zeros(1), np.zeros(1, np.int64), "positive"),
    ],
)
def test_bad_detections_are_refused(boxes: np.ndarray, scores: np.ndarray, class_ids: np.ndarray, message: str) -> None:
    """The message says what was expected."""
    with pytest.raises(ValueError, match=message):
        Detections3D(boxes, scores, class_ids)


@pytest.mark.parametrize(
    ("keep", "expected_x"),
    [
        ([2, 0], [2.0, 0.0]),
        ([], []),
        (np.array([False, True, True]), [1.0, 2.0]),
        (np.zeros(3, bool), []),
    ],
    ids=["order", "nothing", "mask", "empty mask"],
)
def test_selecting_keeps_the_arrays_parallel(keep: list[int] | np.ndarray, expected_x: list[float]) -> None:
    """Boxes, scores and classes move together."""
    chosen = detections_3d(3).select(keep)
    assert chosen.boxes_velo[:, 0].tolist() == expected_x
    assert chosen.class_ids.tolist() == [int(x) for x in expected_x]
    assert chosen.scores.tolist() == [1.0 - x / 2 for x in expected_x]


def test_2d_boxes_must_not_be_inside_out() -> None:
    """x2 before x1 is a bug upstream, never an empty box."""
    with pytest.raises(ValueError, match="x2 >= x1"):
        Detections2D(np.array([[5.0, 0.0, 4.0, 1.0]]), np.ones(1), np.zeros(1, np.int64))


def test_masks_follow_their_boxes() -> None:
    """Selecting detections selects their masks."""
    masks = np.zeros((2, 4, 6), bool)
    masks[1] = True
    both = Detections2D(np.array([[0.0, 0, 1, 1], [2, 2, 3, 3]]), np.ones(2), np.zeros(2, np.int64), masks)
    chosen = both.select([1])
    assert chosen.masks is not None
    assert chosen.masks.all()


def test_masks_must_be_one_per_box() -> None:
    """A stack of another length belongs to another image."""
    with pytest.raises(ValueError, match="masks"):
        Detections2D(np.zeros((1, 4)), np.ones(1), np.zeros(1, np.int64), np.zeros((2, 4, 6), bool))


@pytest.mark.parametrize("empty", [Detections2D.empty(), Detections3D.empty()])
def test_empty_is_legal(empty: Detections2D | Detections3D) -> None:
    """Seeing nothing is an answer."""
    assert len(empty) == 0
    assert len(empty.select([])) == 0
