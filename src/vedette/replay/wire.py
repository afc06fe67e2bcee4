"""The real messages of a detection, for a link that is modelled."""

from __future__ import annotations

from vedette.config import OffloadConfig
from vedette.detections import Detections3D
from vedette.edge.offload.detect_message import decode_reply, encode_request
from vedette.edge.offload.link import OffloadRequest
from vedette.edge.offload.package import usual_package
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.protos.convert import detect_response_from, sweep_and_camera_from
from vedette.protos.limits import serialize
from vedette.protos.v1alpha1 import detection_pb2


class ProtoWire:
    """Encodes, crops, serialises and parses as the gRPC link and the server do.

    Args:
        codec: name of the sweep codec, of requests that do not say.
        camera_view_only: send only points that the camera sees; likewise.
        model: name and version of the model, as answers carry it.

    Raises:
        UnknownCodecError: no such codec.
    """

    def __init__(self, codec: str, *, camera_view_only: bool, model: str) -> None:
        self._usual = usual_package(codec, camera_view_only=camera_view_only)
        self._model = model

    def encode_request(self, request: OffloadRequest) -> bytes:
        """The message of a request.

        Raises:
            MessageTooLargeError: it is over the limit.
            InvalidFrameError: the camera sees none of the points.
        """
        return encode_request(request, self._usual)

    def decode_request(self, message: bytes) -> tuple[Sweep, PinholeCamera]:
        """What the server sees of it."""
        return sweep_and_camera_from(detection_pb2.DetectSweepRequest.FromString(message))

    def encode_answer(self, detections: Detections3D) -> bytes:
        """The message of an answer; times in it are those of no real server."""
        response = detect_response_from(
            detections,
            trace_id="0" * 32,
            capture_time_ns=1,
            model=self._model,
            stage_ms={"decode": 1.0, "detect3d": 1.0},
            total_ms=1.0,
        )
        return serialize(response)

    def decode_answer(self, message: bytes) -> Detections3D:
        """What the device sees of it."""
        return decode_reply(message).detections


def usual_wire(offload: OffloadConfig, model: str) -> ProtoWire:
    """The wire of a run.

    Args:
        offload: settings of what is sent.
        model: name and version of the cloud's model.

    Raises:
        UnknownCodecError: no such codec.
    """
    return ProtoWire(offload.codec, camera_view_only=offload.camera_view_only, model=model)
