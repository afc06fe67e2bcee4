"""Detectors and a wire that remember, and detectors that are measured."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.offload.link import OffloadRequest
from vedette.edge.offload.package import Package, View, usual_package
from vedette.frames import CameraImage, Sweep
from vedette.replay.memo import RememberingDetector, RememberingDetector2D, RememberingWire
from vedette.replay.stopwatch import Stopwatch, WatchedDetector
from vedette.replay.wire import ProtoWire


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
    ahead = frames[0].sweep.points_velo[:, 0] < 40
    fewer = Sweep(frames[0].sweep.points_velo[ahead], 0, 1)
    remembering.detect(fewer, frames[0].camera)
    assert counted.calls == 2
    assert remembering.name == counted.name


@pytest.mark.parametrize(("looks_around", "calls"), [(False, 1), (True, 2)])
def test_points_beside_the_image(street, detectors, looks_around, calls):
    """They make another question only for a detector that looks there."""
    counted = detectors[1]
    remembering = RememberingDetector(counted, looks_around=looks_around)
    [frame] = street(1)
    behind = np.concatenate([frame.sweep.points_velo, np.array([[-9.0, 0, 0, 0.5]], np.float32)])
    remembering.detect(frame.sweep, frame.camera)
    remembering.detect(Sweep(behind, 0, 1), frame.camera)
    assert counted.calls == calls


def test_a_new_array_in_an_old_place_is_looked_at(street, detectors):
    """Arrays are known by identity only while they live; here each lies where the one before it lay."""
    counted = CountingDetector2D(detectors[0])
    remembering = RememberingDetector2D(counted)
    for grey in range(20):
        remembering.detect(CameraImage(np.full((36, 120, 3), grey, np.uint8), 0))
    assert counted.calls == 20


def test_a_sweep_is_encoded_once(street):
    """Under the same trace id and package; the message and the sweep are those of the wire itself."""
    [frame] = street(1)
    plain = ProtoWire("polar", camera_view_only=True, model="m@1")
    remembering = RememberingWire(plain, usual_package("polar", camera_view_only=True))
    region = np.array([[300.0, 100.0, 900.0, 350.0]])
    packages = (None, Package(View.WHOLE, "polar"), Package(View.REGIONS, "polar", region), Package(View.CAMERA, "raw"))
    for package in packages:
        request = OffloadRequest(0, 0, 1, frame.sweep, frame.camera, "0" * 32, package)
        message = remembering.encode_request(request)
        assert message == plain.encode_request(request)
        sweep, camera = remembering.decode_request(message)
        expected, expected_camera = plain.decode_request(message)
        assert np.array_equal(sweep.points_velo, expected.points_velo)
        assert np.array_equal(camera.projection, expected_camera.projection)
        assert (remembering.encode_request(request) is message) == (package is not packages[-1])


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
