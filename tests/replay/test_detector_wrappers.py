"""Detectors that remember and are measured."""

from __future__ import annotations

from vedette.replay.memo import RememberingDetector
from vedette.replay.stopwatch import Stopwatch, WatchedDetector


def test_same_points_are_asked_once(street, detectors):
    """Frames of the parked street have equal sweeps: one question; other points are a new one."""
    counted = detectors[1]
    remembering = RememberingDetector(counted)
    frames = list(street(3))
    answers = [remembering.detect(frame.sweep, frame.camera) for frame in frames]
    assert counted.calls == 1
    assert answers[0] is answers[2]
    fewer = type(frames[0].sweep)(frames[0].sweep.points_velo[1:], 0, 1)
    remembering.detect(fewer, frames[0].camera)
    assert counted.calls == 2
    assert remembering.name == counted.name


def test_stopwatch_counts(street, detectors):
    """Each detection is measured under its name."""
    watch = Stopwatch()
    watched = WatchedDetector(detectors[1], watch)
    for frame in street(3):
        watched.detect(frame.sweep, frame.camera)
    summary = watch.summary()["detect3d"]
    assert summary["count"] == 3
    assert summary["total_ms"] >= summary["median_ms"] >= 0
