"""The cloud behind a modelled network, on the simulated clock.

    submit ─► waiting (one, newest wins) ─► encode ─► uplink ─► delay ─► server: decode, detect ─► downlink ─► delay
                                            └ one at a time ┘            one at a time, in order   one at a time

Sweeps really are encoded and decoded, and the detector really looks at what arrived, so bytes and quantisation are
those of a real run; only the time that things take comes from the network model and the device profile. Bytes are those
of the protobuf messages: HTTP/2, TCP and IP headers add a few per cent that no model here counts.

A reset breaks what has been sent and not answered, and the device knows at once; the next request goes over a new
connection, whose making takes no time here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol

from vedette.clock import SimulatedClock
from vedette.detections import Detections3D, Detector3D
from vedette.edge.offload.link import Answer, Loss, LossReason, OffloadRequest
from vedette.errors import VedetteError
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.replay.direction import LinkDirection
from vedette.replay.network import NetworkModel
from vedette.replay.timeline import Action
from vedette.replay.timeline_link import TimelineLink

_MS: Final = 1_000_000


class Wire(Protocol):
    """Turns requests and answers into the bytes of their messages and back."""

    def encode_request(self, request: OffloadRequest) -> bytes:
        """The message that a real link would send.

        Raises:
            VedetteError: the request cannot be sent (too large, codec unknown).
        """
        ...

    def decode_request(self, message: bytes) -> tuple[Sweep, PinholeCamera]:
        """What the server sees of it."""
        ...

    def encode_answer(self, detections: Detections3D) -> bytes:
        """The server's message."""
        ...

    def decode_answer(self, message: bytes) -> Detections3D:
        """What the device sees of it."""
        ...


@dataclass(frozen=True)
class CloudTimes:
    """How long the steps of an offload take, from a device profile.

    Args:
        encode_ms: sweep to message, on the device.
        decode_ms: message to sweep, on the server.
        detect3d_ms: one detection, on the server.
    """

    encode_ms: float
    decode_ms: float
    detect3d_ms: float


@dataclass
class _Job:
    """A request on its way. ``settled`` once its outcome has been delivered."""

    request: OffloadRequest
    submitted_ns: int
    settled: bool = False
    message: bytes = b""
    send_start_ns: int | None = None
    sent: bool = False
    stage_ms: dict[str, float] = field(default_factory=dict)


class SimulatedLink(TimelineLink):
    """A link to a modelled cloud.

    Args:
        clock: of the run.
        network: rates and delays, from the time of `start`.
        wire: makes and reads the messages.
        detector: the server's.
        times: of encoding, decoding and detecting.
        max_in_flight: messages sent or being sent without an answer yet; while there are that many, the newest request
            waits on the device. More keeps the uplink busy while the server works, but answers get older.
    """

    def __init__(
        self,
        clock: SimulatedClock,
        network: NetworkModel,
        *,
        wire: Wire,
        detector: Detector3D,
        times: CloudTimes,
        max_in_flight: int = 1,
    ) -> None:
        super().__init__(clock)
        self._up = LinkDirection(network.up)
        self._down = LinkDirection(network.down)
        self._resets = network.resets
        self._wire = wire
        self._detector = detector
        self._times = times
        self._max_in_flight = max_in_flight
        self._origin_ns = 0
        self._waiting: _Job | None = None
        self._sending: _Job | None = None
        self._in_flight = 0
        self._server_free_ns = 0

    def start(self) -> None:
        """Let the network's traces begin now."""
        self._origin_ns = self._timeline.now_ns()
        self._up.begin(self._origin_ns)
        self._down.begin(self._origin_ns)

    def submit(self, request: OffloadRequest) -> None:
        """Send the request when the uplink is free, in place of one that still waits for it."""
        now_ns = self._expect()
        if self._waiting is not None:
            detail = f"frame {request.frame_index} came before it could be sent"
            self._lose(self._waiting, now_ns, LossReason.SUPERSEDED, detail)
        job = self._waiting = _Job(request, now_ns)
        self._timeline.schedule(request.deadline_ns, lambda at_ns: self._expire(job, at_ns))
        self._send_next(now_ns)

    def _send_next(self, now_ns: int) -> None:
        job = self._waiting
        if job is None or self._sending is not None or self._in_flight >= self._max_in_flight:
            return
        self._waiting = None
        job.stage_ms["queue"] = (now_ns - job.submitted_ns) / _MS
        try:
            job.message = self._wire.encode_request(job.request)
        except VedetteError as error:
            self._lose(job, now_ns, LossReason.REFUSED, str(error))
            return
        job.stage_ms["encode"] = self._times.encode_ms
        job.send_start_ns = now_ns + round(self._times.encode_ms * _MS)
        self._sending = job
        self._in_flight += 1
        sent_ns = self._up.carry(job.send_start_ns, len(job.message))
        if sent_ns is not None:
            self._timeline.schedule(sent_ns, lambda at_ns: self._sent(job, at_ns))
        reset_ns = self._resets.next_start_ns(job.send_start_ns - self._origin_ns)
        if reset_ns is not None and reset_ns + self._origin_ns < job.request.deadline_ns:
            self._timeline.schedule(reset_ns + self._origin_ns, lambda at_ns: self._break(job, at_ns))

    def _sent(self, job: _Job, at_ns: int) -> None:
        if job.settled or job.send_start_ns is None:
            return
        job.sent = True
        self._sending = None
        arrived_ns = self._up.arrive(job.send_start_ns, at_ns)
        if arrived_ns is not None:
            job.stage_ms["uplink"] = (arrived_ns - job.send_start_ns) / _MS
            self._timeline.schedule(arrived_ns, lambda then_ns: self._serve(job, then_ns))
        self._send_next(at_ns)

    def _serve(self, job: _Job, at_ns: int) -> None:
        """The server takes requests in order and looks at the deadline before each stage, as the real one does."""
        start_ns = max(at_ns, self._server_free_ns)
        decoded_ns = start_ns + round(self._times.decode_ms * _MS)
        if job.settled or start_ns >= job.request.deadline_ns:
            return
        self._server_free_ns = decoded_ns
        if decoded_ns >= job.request.deadline_ns:
            return
        done_ns = self._server_free_ns = decoded_ns + round(self._times.detect3d_ms * _MS)
        job.stage_ms["cloud_queue"] = (start_ns - at_ns) / _MS
        job.stage_ms["decode"] = self._times.decode_ms
        job.stage_ms["detect3d"] = self._times.detect3d_ms
        self._timeline.schedule(done_ns, lambda then_ns: self._answer(job, then_ns))

    def _answer(self, job: _Job, at_ns: int) -> None:
        if job.settled:
            return
        try:
            detections = self._detector.detect(*self._wire.decode_request(job.message))
        except VedetteError as error:
            detail = str(error)
            self._send_back(at_ns, 0, lambda then_ns: self._lose_sent(job, then_ns, LossReason.FAILED, detail))
            return
        message = self._wire.encode_answer(detections)
        arrived_ns = self._send_back(at_ns, len(message), lambda then_ns: self._arrive(job, then_ns, message))
        if arrived_ns is not None:
            job.stage_ms["downlink"] = (arrived_ns - at_ns) / _MS

    def _send_back(self, at_ns: int, byte_count: int, action: Action) -> int | None:
        """An answer, or an error status, takes its way back; returns when it arrives if it ever does."""
        left_ns = self._down.carry(at_ns, byte_count)
        arrived_ns = None if left_ns is None else self._down.arrive(at_ns, left_ns)
        if arrived_ns is not None:
            self._timeline.schedule(arrived_ns, action)
        return arrived_ns

    def _arrive(self, job: _Job, at_ns: int, message: bytes) -> None:
        if job.settled:
            return
        job.settled = True
        self._release(job)
        request = job.request
        self._timeline.deliver(
            Answer(
                frame_index=request.frame_index,
                stamp_ns=request.stamp_ns,
                arrived_ns=at_ns,
                detections=self._wire.decode_answer(message),
                bytes_up=len(job.message),
                bytes_down=len(message),
                stage_ms=job.stage_ms,
            )
        )
        self._send_next(at_ns)

    def _expire(self, job: _Job, at_ns: int) -> None:
        """The deadline passes: the sender stops where it is and the uplink is free again."""
        if job.settled:
            return
        if job is self._waiting:
            self._waiting = None
            self._lose(job, at_ns, LossReason.DEADLINE, "passed before it could be sent")
            return
        where = "on the way or at the server" if job.sent else "while it was being sent"
        self._lose_sent(job, at_ns, LossReason.DEADLINE, f"passed {where}")

    def _break(self, job: _Job, at_ns: int) -> None:
        self._lose_sent(job, at_ns, LossReason.UNAVAILABLE, "the connection was reset")

    def _lose_sent(self, job: _Job, at_ns: int, reason: LossReason, detail: str) -> None:
        """Lose a request that had its turn, unless it has its outcome; the next one goes."""
        if job.settled:
            return
        self._lose(job, at_ns, reason, detail)
        self._release(job)
        self._send_next(at_ns)

    def _release(self, job: _Job) -> None:
        self._in_flight -= 1
        if self._sending is job:
            self._sending = None

    def _lose(self, job: _Job, at_ns: int, reason: LossReason, detail: str) -> None:
        job.settled = True
        request = job.request
        bytes_up = self._bytes_sent(job, at_ns)
        self._timeline.deliver(Loss(request.frame_index, request.stamp_ns, at_ns, reason, detail, bytes_up))

    def _bytes_sent(self, job: _Job, at_ns: int) -> int:
        if job.sent:
            return len(job.message)
        return self._up.give_up(at_ns) if job is self._sending else 0
