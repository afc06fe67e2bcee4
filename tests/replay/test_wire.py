"""The messages of a modelled link are the real ones."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.codecs.sweep import sweep_codec
from vedette.errors import MessageTooLargeError, UnknownCodecError
from vedette.frames import Sweep
from vedette.replay.wire import ProtoWire


def scattered(count):
    """Points all around, half of them in front."""
    random = np.random.default_rng(1)
    points = random.uniform((-40, -10, -1.5, 0), (40, 10, 1, 1), (count, 4)).astype(np.float32)
    return Sweep(points, 10, 20)


@pytest.mark.parametrize("codec", ["polar", "raw"])
def test_request_round_trip_keeps_what_the_codec_promises(request_factory, codec):
    """The server sees the points of the camera's view within the codec's error, their times, and the camera."""
    request = dataclasses.replace(request_factory(0, 1, 2), sweep=scattered(5000))
    wire = ProtoWire(codec, camera_view_only=True, model="m@1")
    message = wire.encode_request(request)
    sweep, camera = wire.decode_request(message)
    seen = camera.in_image(*camera.project_velo(request.sweep.points_velo))
    expected = request.sweep.points_velo[seen]
    assert 100 < len(sweep) == len(expected) < 5000
    error_m = np.abs(sweep.points_velo[:, :3] - expected[:, :3]).max()
    assert error_m <= sweep_codec(codec).max_position_error_m + 1e-6
    assert (sweep.start_ns, sweep.end_ns) == (10, 20)
    assert camera.width_px == request.camera.width_px
    assert len(message) > len(expected) * 4


def test_whole_sweeps_on_request(request_factory):
    """Without the crop all points travel."""
    request = dataclasses.replace(request_factory(0, 1, 2), sweep=scattered(500))
    wire = ProtoWire("raw", camera_view_only=False, model="m@1")
    assert len(wire.decode_request(wire.encode_request(request))[0]) == 500


def test_answer_round_trip(car):
    """Boxes come back as they were."""
    wire = ProtoWire("polar", camera_view_only=True, model="m@1")
    detections = wire.decode_answer(wire.encode_answer(car(12.5)))
    np.testing.assert_array_equal(detections.boxes_velo, car(12.5).boxes_velo)


def test_refusals(request_factory):
    """A sweep that is too large to send, and a codec that nobody knows."""
    request = dataclasses.replace(request_factory(0, 1, 2), sweep=scattered(260_000))
    with pytest.raises(MessageTooLargeError):
        ProtoWire("raw", camera_view_only=False, model="m@1").encode_request(request)
    with pytest.raises(UnknownCodecError):
        ProtoWire("zip", camera_view_only=False, model="m@1")
