"""Detectors that remember and are measured."""

from __future__ import annotations

from vedette.frames import CameraImage
from vedette.replay.memo import RememberingDetector, RememberingDetector2D
from vedette.replay.stopwatch import Stopwatch, WatchedDetector


class CountingDetector2D:
    """Counts what it is asked."""

    def __init__(self, detector):
        self.calls = 0
        self.name = detector.name
        self._detector = detector

    def detect(self, image):
        self.calls += 1
        return self._detector.detect(image)


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


def test_same_image_is_looked_at_once(street, detectors):
    """Frames of the parked street have equal images; another one is another question."""
    counted = CountingDetector2D(detectors[0])
    remembering = RememberingDetector2D(counted)
    images = [frame.image for frame in street(3)]
    found = [remembering.detect(image) for image in images]
    assert counted.calls == 1
    assert found[0] is found[2]
    remembering.detect(CameraImage(images[0].pixels_bgr + 1, images[0].stamp_ns))
    assert counted.calls == 2
    assert remembering.name == "car-2d@1"


def test_stopwatch_counts(street, detectors):
    """Each detection is measured under its name."""
    watch = Stopwatch()
    watched = WatchedDetector(detectors[1], watch)
    for frame in street(3):
        watched.detect(frame.sweep, frame.camera)
    summary = watch.summary()["detect3d"]
    assert summary["count"] == 3
    assert summary["total_ms"] >= summary["median_ms"] >= 0
