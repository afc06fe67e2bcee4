"""Streaming accuracy: at each capture time, what a reader of the published boxes would have believed.

Definition (after Li, Wang and Ramanan, "Towards Streaming Perception", ECCV 2020): a labelled frame with capture time t
is scored against what stood published at t: of the publications whose publish time is at most t, the one that speaks
about the newest capture time; among those of the same capture time, the one published last. (A late answer about an
older frame corrects the record, and nobody who has a newer publication goes back to it.) Before the first publication
there are no boxes. The boxes are taken as they were published, in the sensor's frame at their own capture: nobody moves
them on for the reader.
AP and F1 over these pairs are defined as elsewhere, and their keys begin with `streaming_`.

Every answer needs some time, so that nothing published from a frame can be scored against that same frame: even a
perfect detector falls below 100 as soon as something moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.geometry import NDArrayInt


@dataclass(frozen=True)
class StampedLabels:
    """Labels of one frame.

    Args:
        stamp_ns: capture time, UTC nanoseconds.
        labels: the labelled objects.
    """

    stamp_ns: int
    labels: CameraObjects


@dataclass(frozen=True)
class PublishedDetections:
    """Boxes that became readable at one moment.

    Args:
        publish_ns: that moment, UTC nanoseconds, on the clock of the capture times.
        stamp_ns: capture time the boxes speak about.
        detections: the boxes, with scores.
    """

    publish_ns: int
    stamp_ns: int
    detections: CameraObjects


def standing_publications(moments_ns: NDArrayInt, publish_ns: NDArrayInt, stamps_ns: NDArrayInt) -> NDArrayInt:
    """Which publication stands at each moment.

    Args:
        moments_ns: ``(N,) int64`` moments, any order.
        publish_ns: ``(M,) int64`` publish times, any order.
        stamps_ns: ``(M,) int64`` capture times the publications speak about.

    Returns:
        ``(N,) int64`` index of the publication of the newest capture time that is not after the moment, the one
        published last where there are several; -1 where there is none yet.
    """
    order = np.argsort(publish_ns, kind="stable")
    in_order_ns = stamps_ns[order]
    newest_ns = np.maximum.accumulate(in_order_ns) if len(order) else in_order_ns
    standing = np.maximum.accumulate(np.where(in_order_ns == newest_ns, np.arange(len(order)), 0))
    count = np.searchsorted(publish_ns[order], moments_ns, side="right")
    indices: NDArrayInt = np.concatenate([[-1], order[standing]])[count]
    return indices


def streaming_frames(labels: Sequence[StampedLabels], publications: Sequence[PublishedDetections]) -> list[ScoredFrame]:
    """Pair the labels of each capture time with the boxes that stood published then.

    Args:
        labels: labelled frames.
        publications: everything published, in order of publication where times are equal.

    Returns:
        One frame per labelled frame, in the same order.
    """
    moments_ns = np.array([frame.stamp_ns for frame in labels], np.int64)
    publish_ns = np.array([publication.publish_ns for publication in publications], np.int64)
    stamps_ns = np.array([publication.stamp_ns for publication in publications], np.int64)
    nothing = CameraObjects.empty(scored=True)
    return [
        ScoredFrame(frame.labels, publications[index].detections if index >= 0 else nothing)
        for frame, index in zip(labels, standing_publications(moments_ns, publish_ns, stamps_ns).tolist(), strict=True)
    ]
