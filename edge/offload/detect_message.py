"""A request on the wire, and what comes back: pure steps between the link's values and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from vedette.codecs.sweep import sweep_codec
from vedette.detections import Detections3D
from vedette.edge.offload.link import LossReason, OffloadRequest
from vedette.edge.offload.package import Package
from vedette.errors import (
    CodecError,
    DataError,
    DeadlineError,
    LinkUnavailableError,
    OverloadedError,
    RemoteError,
    UnknownModelError,
    VedetteError,
    WireError,
)
from vedette.protos.convert import detect_request_from, detections_from
from vedette.protos.headers import stage_ms_from
from vedette.protos.limits import serialize
from vedette.protos.v1alpha1 import detection_pb2

_REASONS: Final[tuple[tuple[tuple[type[VedetteError], ...], LossReason], ...]] = (
    ((DeadlineError,), LossReason.DEADLINE),
    ((LinkUnavailableError,), LossReason.UNAVAILABLE),
    ((OverloadedError, WireError, CodecError, DataError, UnknownModelError), LossReason.REFUSED),
)


@dataclass(frozen=True)
class DetectReply:
    """What the server answered.

    Args:
        detections: boxes in the velo frame at the request's capture time.
        stage_ms: the server's own stages.
        total_ms: from the request's arrival at the server to the answer leaving it.
    """

    detections: Detections3D
    stage_ms: dict[str, float]
    total_ms: float


def encode_request(request: OffloadRequest, usual: Package) -> bytes:
    """The message that asks for a request's objects.

    Args:
        request: the sweep and its camera.
        usual: how to pack it where the request does not say.

    Raises:
        InvalidFrameError: none of the points is in the view to be sent.
        UnknownCodecError: no codec of that name.
        MessageTooLargeError: the message is over the limit; it must not be sent.
    """
    package = request.package or usual
    sweep = package.pack(request.sweep, request.camera)
    message = detect_request_from(
        sweep_codec(package.codec).encode(sweep),
        sweep.start_ns,
        sweep.end_ns,
        request.camera,
        trace_id=request.trace_id,
        capture_time_ns=request.stamp_ns,
    )
    return serialize(message)


def decode_reply(data: bytes) -> DetectReply:
    """Read the server's answer.

    Args:
        data: the message.

    Raises:
        RemoteError: it is not a usable answer.
    """
    try:
        response = detection_pb2.DetectSweepResponse.FromString(data)
        return DetectReply(detections_from(response), stage_ms_from(response.header), response.header.total_ms)
    except (DecodeError, WireError) as error:
        raise RemoteError(f"the server's answer cannot be used: {error}") from error


def loss_reason(error: VedetteError) -> LossReason:
    """The cause that reports count for an error.

    Args:
        error: met on the way out, told by the server, or met in its answer.
    """
    return next((reason for kinds, reason in _REASONS if isinstance(error, kinds)), LossReason.FAILED)


def split_round_trip(reply: DetectReply, round_trip_ms: float, ping_ms: float | None) -> dict[str, float]:
    """Stages from the request leaving us to its answer being here.

    The clocks of the two machines cannot be compared, so the time on the network is divided: an answer is small, and
    takes half of an empty round trip; the rest is the request's.

    Args:
        reply: with the server's own times.
        round_trip_ms: measured here.
        ping_ms: an empty round trip, or None when none has been measured.

    Returns:
        ``uplink``, the server's stages, ``downlink``.
    """
    network_ms = max(0.0, round_trip_ms - reply.total_ms)
    downlink_ms = network_ms / 2 if ping_ms is None else min(ping_ms, network_ms) / 2
    return {"uplink": network_ms - downlink_ms, **reply.stage_ms, "downlink": downlink_ms}
