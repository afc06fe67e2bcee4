"""Which publication stands at each capture time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.evaluation.streaming import PublishedDetections, StampedLabels, latest_published, streaming_frames


@pytest.mark.parametrize(
    ("stamps_ns", "publish_ns", "expected"),
    [
        ([10, 20], [], [-1, -1]),  # nothing was ever published
        ([], [5], []),
        ([10], [11], [-1]),  # too late
        ([10], [10], [0]),  # just in time
        ([10, 20, 30], [12, 22], [-1, 0, 1]),  # each answer is seen one frame later
        ([10, 20, 30], [1, 2], [1, 1, 1]),  # the last one stands on
        ([10], [3, 5, 5], [2]),  # of a tie the one given last
        ([10], [9, 4], [0]),  # publish times decide, not their order
        ([30, 10], [12], [0, -1]),  # nor need the stamps be in order
    ],
)
def test_latest_published(stamps_ns, publish_ns, expected):
    """The latest publication that is not after the moment, or -1."""
    assert latest_published(np.array(stamps_ns, np.int64), np.array(publish_ns, np.int64)).tolist() == expected


times = st.lists(st.integers(0, 20), max_size=12)


@given(times, times)
def test_equals_a_search(stamps_ns, publish_ns):
    """The definition as a search over all publications."""
    standing = latest_published(np.array(stamps_ns, np.int64), np.array(publish_ns, np.int64)).tolist()
    for stamp, found in zip(stamps_ns, standing, strict=True):
        readable = [(time, index) for index, time in enumerate(publish_ns) if time <= stamp]
        assert found == max(readable, default=(0, -1))[1]


def test_nanoseconds_of_the_epoch_are_exact(objects):
    """One nanosecond late is late, at today's times."""
    now = 1_800_000_000_000_000_001
    found = latest_published(np.array([now, now - 1], np.int64), np.array([now], np.int64))
    assert found.tolist() == [0, -1]


def test_frames_pair_labels_with_what_stood(objects, row):
    """Labels keep their order; before the first publication there are no boxes."""
    labels = [StampedLabels(stamp, objects([row(x=stamp)], scored=False)) for stamp in (0, 10, 20)]
    publications = [
        PublishedDetections(4, objects([row(x=0)], scored=True)),
        PublishedDetections(14, objects([], scored=True)),
    ]
    frames = streaming_frames(labels, publications)
    assert [frame.labels for frame in frames] == [one.labels for one in labels]
    assert [len(frame.detections) for frame in frames] == [0, 1, 0]
    assert frames[1].detections is publications[0].detections
