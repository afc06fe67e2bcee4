"""The 3D detector on the device, on the simulated clock: the far end of the edge-only policy."""

from __future__ import annotations

from functools import partial
from typing import Final

from vedette.clock import SimulatedClock
from vedette.detections import Detector3D
from vedette.edge.offload.link import Answer, Loss, LossReason, OffloadRequest
from vedette.errors import VedetteError
from vedette.replay.timeline_link import TimelineLink

_MS: Final = 1_000_000


class SimulatedDetectorLink(TimelineLink):
    """One detection runs, one request is queued, newest wins: as `LocalDetectorLink` does on the wall clock.

    Args:
        clock: of the run.
        detector: looks at the whole sweep; nothing is encoded.
        detect3d_ms: how long one detection takes, from a device profile.
    """

    def __init__(self, clock: SimulatedClock, detector: Detector3D, detect3d_ms: float) -> None:
        super().__init__(clock)
        self._detector = detector
        self._detect3d_ms = detect3d_ms
        self._queued: tuple[OffloadRequest, int] | None = None
        self._busy = False

    def submit(self, request: OffloadRequest) -> None:
        """Queue the request in place of an older one that still waits."""
        now_ns = self._expect()
        if self._queued is not None:
            self._lose(self._queued[0], now_ns, LossReason.SUPERSEDED, f"by frame {request.frame_index}")
        self._queued = (request, now_ns)
        self._start_next(now_ns)

    def _start_next(self, now_ns: int) -> None:
        while self._queued is not None and not self._busy:
            (request, submitted_ns), self._queued = self._queued, None
            if now_ns >= request.deadline_ns:
                self._lose(request, now_ns, LossReason.DEADLINE, "passed while the detector was busy")
                continue
            self._busy = True
            done_ns = now_ns + round(self._detect3d_ms * _MS)
            self._timeline.schedule(done_ns, partial(self._done, request, (now_ns - submitted_ns) / _MS))

    def _done(self, request: OffloadRequest, queue_ms: float, at_ns: int) -> None:
        self._busy = False
        if at_ns > request.deadline_ns:
            self._lose(request, at_ns, LossReason.DEADLINE, "passed during the detection")
        else:
            self._detect(request, queue_ms, at_ns)
        self._start_next(at_ns)

    def _detect(self, request: OffloadRequest, queue_ms: float, at_ns: int) -> None:
        try:
            detections = self._detector.detect(request.sweep, request.camera)
        except VedetteError as error:
            self._lose(request, at_ns, LossReason.FAILED, str(error))
            return
        stage_ms = {"queue": queue_ms, "detect3d": self._detect3d_ms}
        self._timeline.deliver(Answer(request.frame_index, request.stamp_ns, at_ns, detections, 0, 0, stage_ms))

    def _lose(self, request: OffloadRequest, at_ns: int, reason: LossReason, detail: str) -> None:
        self._timeline.deliver(Loss(request.frame_index, request.stamp_ns, at_ns, reason, detail, 0))
