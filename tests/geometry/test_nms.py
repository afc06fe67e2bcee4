"""Suppression: small examples by hand, and a plain one-by-one reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.geometry import bev_iou, nms_2d, rotated_nms


def row(*x: float) -> np.ndarray:
    """Boxes of 4 m by 2 m along x."""
    return np.array([[value, 0.0, 0.0, 4.0, 2.0, 1.5, 0.0] for value in x])


def reference(iou: np.ndarray, scores: np.ndarray, threshold: float, classes: np.ndarray) -> list[int]:
    """Greedy suppression, written one box at a time."""
    kept: list[int] = []
    for index in sorted(range(len(scores)), key=lambda i: (-scores[i], i)):
        if all(iou[index, k] <= threshold or classes[index] != classes[k] for k in kept):
            kept.append(index)
    return kept


@pytest.mark.parametrize(
    ("x", "scores", "threshold", "expected"),
    [
        ([0, 1, 10], [0.5, 0.9, 0.7], 0.5, [1, 2]),
        ([0, 1, 10], [0.5, 0.9, 0.7], 0.6, [1, 2, 0]),
        ([0, 0, 0], [0.5, 0.5, 0.5], 0.5, [0]),
        ([0, 10, 20], [0.5, 0.5, 0.5], 0.5, [0, 1, 2]),
        ([0, 2, 4], [0.9, 0.8, 0.7], 0.3, [0, 2]),
        ([0, 0], [0.1, 0.2], 1.0, [1, 0]),
        ([], [], 0.5, []),
    ],
)
def test_rotated_nms_table(x: list[float], scores: list[float], threshold: float, expected: list[int]) -> None:
    """Best first, ties by index; a box that goes suppresses no other; an IoU of the threshold itself is allowed."""
    boxes = row(*x) if x else np.zeros((0, 7))
    assert rotated_nms(boxes, scores, threshold).tolist() == expected


def test_rotation_counts() -> None:
    """Two long boxes that cross share little, though their outlines along the axes would not."""
    boxes = np.array([[0, 0, 0, 6, 1, 1, 0.8], [0, 0, 0, 6, 1, 1, -0.8]])
    assert len(rotated_nms(boxes, [0.9, 0.8], 0.3)) == 2


def test_classes_do_not_suppress_each_other() -> None:
    """The same box in two classes stays twice."""
    assert rotated_nms(row(0, 0, 0), [0.7, 0.8, 0.9], 0.5, [1, 2, 1]).tolist() == [2, 1]
    boxes_px = [[0, 0, 10, 10], [1, 0, 11, 10]]
    assert nms_2d(boxes_px, [0.5, 0.6], 0.5).tolist() == [1]
    assert nms_2d(boxes_px, [0.5, 0.6], 0.5, class_ids=[0, 1]).tolist() == [1, 0]


@given(st.integers(0, 2**32 - 1), st.integers(0, 200), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_equals_the_plain_loop(seed: int, count: int, threshold: float) -> None:
    """More boxes than one head holds, with ties and classes: the same as one at a time."""
    rng = np.random.default_rng(seed)
    boxes = np.column_stack([rng.uniform(-6, 6, (count, 3)), rng.uniform(1, 5, (count, 3)), rng.uniform(-3, 3, count)])
    scores, classes = np.round(rng.random(count), 1), rng.integers(0, 2, count)
    expected = reference(bev_iou(boxes, boxes), scores, threshold, classes)
    assert rotated_nms(boxes, scores, threshold, classes).tolist() == expected


@pytest.mark.parametrize(
    ("scores", "threshold", "classes", "words"),
    [
        ([0.5], 0.5, None, "scores: expected shape"),
        ([0.5, np.nan], 0.5, None, "scores: expected finite"),
        ([0.5, 0.6], 1.5, None, "iou_threshold"),
        ([0.5, 0.6], np.nan, None, "iou_threshold"),
        ([0.5, 0.6], 0.5, [1], "class_ids"),
    ],
)
def test_refuses(scores: list[float], threshold: float, classes: list[int] | None, words: str) -> None:
    """The message names the argument."""
    with pytest.raises(ValueError, match=words):
        rotated_nms(row(0, 1), scores, threshold, classes)
    with pytest.raises(ValueError, match=words):
        nms_2d(np.zeros((2, 4)), scores, threshold, classes)
