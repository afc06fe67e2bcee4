"""The greedy matching over frames and score cuts."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.evaluation.greedy import Candidates, match_greedily

ONE_FRAME = [0, 0, 0]


def matched(pairs, label_frame, available):
    """Run over (label, detection, preference) triples."""
    label, detection, preference = (np.array(column) for column in zip(*pairs, strict=True)) if pairs else ([], [], [])
    candidates = Candidates.from_pairs(
        np.array(label, np.int64),
        np.array(detection, np.int64),
        np.array(preference, np.float64),
        np.array(label_frame, np.int64),
        len(available),
    )
    return candidates.label.tolist(), match_greedily(candidates, np.array(available, np.bool_)).tolist()


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        # the better one is taken
        ([(0, 0, 0.6), (0, 1, 0.8)], ([0], [[1]])),
        # among equals the earlier one
        ([(0, 1, 0.8), (0, 0, 0.8)], ([0], [[0]])),
        # the earlier label goes first, even where the later would have fitted better
        ([(0, 1, 0.6), (1, 1, 0.9)], ([0, 1], [[1], [-1]])),
        # the later label takes its second choice
        ([(0, 1, 0.6), (1, 1, 0.9), (1, 2, 0.7)], ([0, 1], [[1], [2]])),
        # a label without candidates is not listed
        ([(2, 0, 0.6)], ([2], [[0]])),
    ],
)
def test_one_frame(pairs, expected):
    """Labels choose in file order among what is left."""
    assert matched(pairs, ONE_FRAME, [[True], [True], [True]]) == expected


def test_score_cuts_are_independent():
    """What is missing at one cut is missing only there."""
    available = [[True, True, False], [True, False, False]]
    assert matched([(0, 0, 0.6), (0, 1, 0.8)], [0], available) == ([0], [[1, 0, -1]])


def test_frames_choose_independently():
    """Labels of two frames have their own first turns."""
    pairs = [(0, 0, 0.9), (1, 0, 0.9), (2, 1, 0.9)]
    assert matched(pairs, [0, 0, 1], [[True], [True]]) == ([0, 1, 2], [[0], [-1], [1]])


def test_no_pairs():
    """Nothing to choose from gives nothing."""
    assert matched([], [], [[True]]) == ([], [])
