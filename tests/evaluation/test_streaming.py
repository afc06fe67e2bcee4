"""Which publication stands at each capture time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.evaluation.streaming import PublishedDetections, StampedLabels, standing_publications, streaming_frames


@pytest.mark.parametrize(
    ("moments_ns", "publish_ns", "stamps_ns", "expected"),
    [
        ([10, 20], [], [], [-1, -1]),  # nothing was ever published
        ([], [5], [1], []),
        ([10], [11], [1], [-1]),  # too late
        ([10], [10], [1], [0]),  # just in time
        ([10, 20, 30], [12, 22], [10, 20], [-1, 0, 1]),  # each answer is seen one frame later
        ([10, 20, 30], [1, 2], [0, 1], [1, 1, 1]),  # the last one stands on
        ([10], [3, 5, 5], [1, 1, 1], [2]),  # of a tie the one given last
        ([10], [9, 4], [1, 1], [0]),  # publish times decide between equals, not their order
        ([10], [4, 9], [2, 1], [0]),  # a late answer about an older frame does not replace a newer one
        ([10, 20], [4, 9, 15], [2, 1, 2], [0, 2]),  # a later one about the same frame does
        ([30, 10], [12], [1], [0, -1]),  # nor need the moments be in order
    ],
)
def test_standing_publications(moments_ns, publish_ns, stamps_ns, expected):
    """The newest capture time that is readable, or -1."""
    arrays = [np.array(values, np.int64) for values in (moments_ns, publish_ns, stamps_ns)]
    assert standing_publications(*arrays).tolist() == expected


times = st.lists(st.integers(0, 20), max_size=12)


@given(times, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5)), max_size=12))
def test_equals_a_search(moments_ns, publications):
    """The definition as a search over all publications."""
    publish_ns, stamps_ns = ([pair[side] for pair in publications] for side in (0, 1))
    arrays = [np.array(values, np.int64) for values in (moments_ns, publish_ns, stamps_ns)]
    for moment, found in zip(moments_ns, standing_publications(*arrays).tolist(), strict=True):
        readable = [(stamp, time, index) for index, (time, stamp) in enumerate(publications) if time <= moment]
        assert found == max(readable, default=(0, 0, -1))[2]


def test_nanoseconds_of_the_epoch_are_exact(objects):
    """One nanosecond late is late, at today's times."""
    now = 1_800_000_000_000_000_001
    now_ns = np.array([now], np.int64)
    found = standing_publications(np.array([now, now - 1], np.int64), now_ns, now_ns)
    assert found.tolist() == [0, -1]


def test_frames_pair_labels_with_what_stood(objects, row):
    """Labels keep their order; before the first publication there are no boxes."""
    labels = [StampedLabels(stamp, objects([row(x=stamp)], scored=False)) for stamp in (0, 10, 20)]
    publications = [
        PublishedDetections(4, 0, objects([row(x=0)], scored=True)),
        PublishedDetections(14, 10, objects([], scored=True)),
    ]
    frames = streaming_frames(labels, publications)
    assert [frame.labels for frame in frames] == [one.labels for one in labels]
    assert [len(frame.detections) for frame in frames] == [0, 1, 0]
    assert frames[1].detections is publications[0].detections
