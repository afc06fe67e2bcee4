"""A link whose far end is a 3D detector on the device itself: the edge-only policy, and a fallback without a cloud."""

from __future__ import annotations

from vedette.clock import Clock
from vedette.detections import Detector3D
from vedette.edge.offload.link import Answer, LossReason, OffloadRequest, Outcome
from vedette.edge.offload.workers import WorkerLink, loss_of
from vedette.errors import VedetteError


class LocalDetectorLink(WorkerLink):
    """Runs the detector in a thread of its own: one request running, one waiting, newest wins.

    Args:
        detector: called from that thread only.
        clock: a wall clock.
    """

    def __init__(self, detector: Detector3D, clock: Clock) -> None:
        super().__init__(clock, count=1, name="local-detector")
        self._detector = detector

    def _answer(self, request: OffloadRequest, submitted_ns: int) -> Outcome:
        started_ns = self._clock.now_ns()
        if started_ns >= request.deadline_ns:
            return loss_of(request, started_ns, LossReason.DEADLINE, "passed while the detector was busy")
        try:
            detections = self._detector.detect(request.sweep, request.camera)
        except VedetteError as error:
            return loss_of(request, self._clock.now_ns(), LossReason.FAILED, str(error))
        done_ns = self._clock.now_ns()
        if done_ns > request.deadline_ns:
            return loss_of(request, done_ns, LossReason.DEADLINE, "passed during the detection")
        stage_ms = {"queue": (started_ns - submitted_ns) / 1e6, "detect3d": (done_ns - started_ns) / 1e6}
        return Answer(request.frame_index, request.stamp_ns, done_ns, detections, 0, 0, stage_ms)
