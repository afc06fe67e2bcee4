"""KITTI's greedy matching, for all frames and many score cuts at once.

KITTI walks through the labels of a frame in file order; each takes the best detection that is still free. Frames do not
share detections, so the k-th labels of all frames choose together; and score cuts differ only in which detections are
there, so they are a second axis. Nothing else is changed: the result is that of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt


@dataclass(frozen=True)
class Candidates:
    """Which detections a label may take, best first.

    Args:
        label: ``(K,) int64`` rows of the labels that have any, ascending.
        turn: ``(K,) int64`` the label's turn in its frame, from 0.
        detection: ``(K,C) int64`` rows of detections, best first, filled up with the number of detections.
        detection_count: number of all detections.
    """

    label: NDArrayInt
    turn: NDArrayInt
    detection: NDArrayInt
    detection_count: int

    @classmethod
    def from_pairs(
        cls,
        pair_label: NDArrayInt,
        pair_detection: NDArrayInt,
        preference: NDArrayFloat,
        label_frame: NDArrayInt,
        detection_count: int,
    ) -> Candidates:
        """Arrange pairs by label and preference.

        Args:
            pair_label: ``(P,) int64`` row of the label.
            pair_detection: ``(P,) int64`` row of the detection, of the same frame.
            preference: ``(P,) float64`` higher is taken first; among equals the earlier detection is.
            label_frame: ``(L,) int64`` frame of every label, ascending.
            detection_count: number of all detections.
        """
        order = np.lexsort((pair_detection, -preference, pair_label))
        label, first, count = np.unique(pair_label[order], return_index=True, return_counts=True)
        detection = np.full((len(label), count.max(initial=0)), detection_count)
        column = np.arange(len(order)) - np.repeat(first, count)
        detection[np.repeat(np.arange(len(label)), count), column] = pair_detection[order]
        return cls(label, _turns(label_frame[label]), detection, detection_count)


def match_greedily(candidates: Candidates, available: NDArrayBool) -> NDArrayInt:
    """Let each label take the best detection that no earlier label of its frame took.

    Args:
        candidates: K labels with what they may take.
        available: ``(D,T) bool`` whether a detection is there at each of T score cuts.

    Returns:
        ``(K,T) int64`` row of the detection taken, or -1.
    """
    cuts = np.arange(available.shape[1])
    free = np.vstack([available, np.zeros((1, len(cuts)), np.bool_)])  # the last row stands for the filling
    taken = np.full((len(candidates.label), len(cuts)), -1)
    for turn in range(candidates.turn.max(initial=-1) + 1):
        rows = np.flatnonzero(candidates.turn == turn)
        choice = candidates.detection[rows]
        is_free = free[choice]
        chosen = np.take_along_axis(choice, is_free.argmax(axis=1), axis=1)
        found = is_free.any(axis=1)
        taken[rows] = np.where(found, chosen, -1)
        free[np.where(found, chosen, candidates.detection_count), cuts] = False
    return taken


def _turns(frame: NDArrayInt) -> NDArrayInt:
    """Position of each entry among those of the same frame; frames ascend."""
    _, first, count = np.unique(frame, return_index=True, return_counts=True)
    turns: NDArrayInt = np.arange(len(frame)) - np.repeat(first, count)
    return turns
