"""The pure steps between a request and its bytes."""

from __future__ import annotations

import pytest

from vedette.detections import Detections3D
from vedette.edge.offload.detect_message import DetectReply, decode_reply, loss_reason, split_round_trip
from vedette.edge.offload.link import LossReason
from vedette.errors import (
    CorruptBlobError,
    DeadlineError,
    InvalidFrameError,
    LinkError,
    LinkUnavailableError,
    MessageTooLargeError,
    ModelError,
    OverloadedError,
    RemoteError,
    SchemaVersionError,
    UnknownModelError,
    UnsupportedError,
    VedetteError,
)


@pytest.mark.parametrize(
    ("error_class", "reason"),
    [
        (DeadlineError, LossReason.DEADLINE),
        (LinkUnavailableError, LossReason.UNAVAILABLE),
        (OverloadedError, LossReason.REFUSED),
        (MessageTooLargeError, LossReason.REFUSED),
        (SchemaVersionError, LossReason.REFUSED),
        (UnsupportedError, LossReason.REFUSED),
        (CorruptBlobError, LossReason.REFUSED),
        (InvalidFrameError, LossReason.REFUSED),
        (UnknownModelError, LossReason.REFUSED),
        (ModelError, LossReason.FAILED),
        (RemoteError, LossReason.FAILED),
        (LinkError, LossReason.FAILED),
    ],
)
def test_reason_of_an_error(error_class: type[VedetteError], reason: LossReason) -> None:
    """Each cause is counted under one reason."""
    assert loss_reason(error_class("x")) is reason


@pytest.mark.parametrize(
    ("round_trip_ms", "server_ms", "ping_ms", "uplink_ms", "downlink_ms"),
    [
        (100.0, 60.0, 10.0, 35.0, 5.0),  # 40 ms on the network, 5 of them for the small answer
        (100.0, 60.0, None, 20.0, 20.0),  # nothing known: halves
        (100.0, 98.0, 10.0, 1.0, 1.0),  # faster than any ping so far: halves
        (100.0, 120.0, 10.0, 0.0, 0.0),  # a server that counts more than there was
    ],
)
def test_split_of_a_round_trip(
    round_trip_ms: float, server_ms: float, ping_ms: float | None, uplink_ms: float, downlink_ms: float
) -> None:
    """The parts on the network add up to what the server did not use, and none is negative."""
    reply = DetectReply(Detections3D.empty(), {"detect3d": server_ms}, server_ms)
    stages = split_round_trip(reply, round_trip_ms, ping_ms)
    assert stages == {"uplink": uplink_ms, "detect3d": server_ms, "downlink": downlink_ms}


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x0a\x04\x10\x01"])
def test_unusable_answers(data: bytes) -> None:
    """Nothing, noise, and an answer without detections are failures of the peer."""
    with pytest.raises(RemoteError, match="the server's answer cannot be used"):
        decode_reply(data)
