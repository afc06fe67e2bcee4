"""The link to a real server."""

from __future__ import annotations

from vedette.clock import Clock
from vedette.config import LinkConfig, OffloadConfig
from vedette.edge.offload.connection import CloudConnection
from vedette.edge.offload.detect_message import DetectReply, decode_reply, encode_request, loss_reason, split_round_trip
from vedette.edge.offload.link import Answer, LossReason, OffloadRequest, Outcome
from vedette.edge.offload.package import usual_package
from vedette.edge.offload.workers import WorkerLink, loss_of
from vedette.errors import VedetteError


class GrpcLink(WorkerLink):
    """Sends sweeps to a server over gRPC: `LinkConfig.capacity` requests under way, one waiting, newest wins.

    The server may be absent at first, die and come back: requests are lost meanwhile, and the link recovers by itself.

    Args:
        target: ``HOST:PORT``.
        clock: a wall clock; deadlines are on it.
        link: of the connection.
        offload: how sweeps are encoded.

    Raises:
        ConfigError: the target is malformed.
        UnknownCodecError: no sweep codec of that name.
    """

    def __init__(self, target: str, clock: Clock, *, link: LinkConfig, offload: OffloadConfig) -> None:
        super().__init__(clock, count=link.capacity, name="grpc-link")
        self._usual = usual_package(offload.codec, camera_view_only=offload.camera_view_only)
        self._connection = CloudConnection(target, link, offload.deadline_ms / 1e3)

    @property
    def reachable(self) -> bool:
        """Whether the server answered when it was last asked."""
        return self._connection.reachable

    def start(self) -> None:
        """Begin to connect; does not wait for the server."""
        self._connection.start()
        super().start()

    def close(self) -> None:
        """Cancel what is under way; what waits is dropped."""
        self._connection.close()
        super().close()

    def _answer(self, request: OffloadRequest, submitted_ns: int) -> Outcome:
        started_ns = self._clock.now_ns()
        sent_bytes = 0
        try:
            message = encode_request(request, self._usual)
            encoded_ns = self._clock.now_ns()
            if encoded_ns >= request.deadline_ns:
                return loss_of(request, encoded_ns, LossReason.DEADLINE, "passed before it could be sent")
            sent_bytes = len(message) if self._connection.reachable else 0
            data = self._connection.detect(message, (request.deadline_ns - encoded_ns) / 1e9)
            reply = decode_reply(data)
        except VedetteError as error:
            return loss_of(request, self._clock.now_ns(), loss_reason(error), str(error), sent_bytes)
        times_ns = (submitted_ns, started_ns, encoded_ns, self._clock.now_ns())
        stage_ms = self._stages(reply, *times_ns)
        return Answer(
            request.frame_index, request.stamp_ns, times_ns[-1], reply.detections, len(message), len(data), stage_ms
        )

    def _stages(
        self, reply: DetectReply, submitted_ns: int, started_ns: int, encoded_ns: int, arrived_ns: int
    ) -> dict[str, float]:
        stage_ms = {"queue": (started_ns - submitted_ns) / 1e6, "encode": (encoded_ns - started_ns) / 1e6}
        round_trip_ms = (arrived_ns - encoded_ns) / 1e6
        for name, ms in split_round_trip(reply, round_trip_ms, self._connection.ping_ms).items():
            stage_ms[name] = stage_ms.get(name, 0.0) + ms
        return stage_ms
