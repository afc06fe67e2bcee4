"""A link whose far end is a 3D detector on the device itself: the edge-only policy, and a fallback without a cloud."""

from __future__ import annotations

import threading
from typing import Final

from vedette.clock import Clock
from vedette.detections import Detector3D
from vedette.edge.offload.link import Answer, LossReason, OffloadRequest, Outcome
from vedette.edge.offload.outbox import Outbox
from vedette.errors import VedetteError

_JOIN_TIMEOUT_S: Final = 10.0


class LocalDetectorLink:
    """Runs the detector in a thread of its own: one request running, one queued, newest wins.

    Args:
        detector: called from that thread only.
        clock: a wall clock.
    """

    def __init__(self, detector: Detector3D, clock: Clock) -> None:
        self._detector = detector
        self._clock = clock
        self._outbox = Outbox(clock)
        self._queued: tuple[OffloadRequest, int] | None = None
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="local-detector", daemon=True)

    def start(self) -> None:
        """Start the worker."""
        self._thread.start()

    def submit(self, request: OffloadRequest) -> None:
        """Queue the request in place of an older one that still waits."""
        self._outbox.expect()
        with self._changed:
            superseded, self._queued = self._queued, (request, self._clock.now_ns())
            self._changed.notify_all()
        if superseded is not None:
            self._outbox.put_loss(superseded[0], LossReason.SUPERSEDED, f"by frame {request.frame_index}")

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome as soon as it is there, or None once the clock has reached ``until_ns``."""
        return self._outbox.wait(until_ns)

    @property
    def pending_count(self) -> int:
        """Requests without an outcome yet."""
        return self._outbox.pending_count

    def close(self) -> None:
        """Stop after the detection that runs; its answer is dropped, and so is what is queued."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(_JOIN_TIMEOUT_S)

    def _work(self) -> None:
        try:
            while (job := self._next_job()) is not None:
                self._answer(*job)
        except BaseException as error:  # a defect of the detector: raised where the run waits
            self._outbox.fail(error)

    def _next_job(self) -> tuple[OffloadRequest, int] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._queued is not None)
            job, self._queued = self._queued, None
            return None if self._closing else job

    def _answer(self, request: OffloadRequest, submitted_ns: int) -> None:
        started_ns = self._clock.now_ns()
        if started_ns >= request.deadline_ns:
            self._outbox.put_loss(request, LossReason.DEADLINE, "passed while the detector was busy")
            return
        try:
            detections = self._detector.detect(request.sweep, request.camera)
        except VedetteError as error:
            self._outbox.put_loss(request, LossReason.FAILED, str(error))
            return
        done_ns = self._clock.now_ns()
        if done_ns > request.deadline_ns:
            self._outbox.put_loss(request, LossReason.DEADLINE, "passed during the detection")
            return
        stage_ms = {"queue": (started_ns - submitted_ns) / 1e6, "detect3d": (done_ns - started_ns) / 1e6}
        self._outbox.put(Answer(request.frame_index, request.stamp_ns, done_ns, detections, 0, 0, stage_ms))
