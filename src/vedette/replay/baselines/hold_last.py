"""The last answer's boxes, shown as they are until the next one: neither odometry nor motion."""

from __future__ import annotations

import numpy as np

from vedette.clock import Clock
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.lifting.lifted import Rung
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadPolicy, Situation
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer


class HoldLastAgent:
    """Shows the newest answer for every frame.

    Args:
        policy: decides what to offload.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
    """

    def __init__(self, policy: OffloadPolicy, sink: Sink, clock: Clock, stages: StageTimer) -> None:
        self._policy = policy
        self._sink = sink
        self._clock = clock
        self._stages = stages
        self._boxes = PublishedBoxes.none()
        self._basis_ns: int | None = None

    def process_frame(self, frame: Frame) -> FrameResult:
        """Show the newest answer, and decide whether to send the frame's sweep."""
        with self._stages.stage("update"):
            publication = self._publish(frame)
        with self._stages.stage("decide"):
            decision = self._policy.decide(frame, Situation(self._clock.now_ns(), Drift(), {}))
        return FrameResult(frame.index, publication, decision, self._stages.take_ms(), frame.missing)

    def skip_frame(self, item: FrameItem) -> Publication:
        """Show the newest answer."""
        return self._publish(item)

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Keep an answer, unless a newer one is there, and publish it for its own frame."""
        count = len(answer.detections)
        boxes = PublishedBoxes(
            answer.detections, np.full(count, -1), (str(Rung.ANCHOR),) * count, np.full((count, 2), np.nan)
        )
        if self._basis_ns is None or answer.stamp_ns > self._basis_ns:
            self._boxes, self._basis_ns = boxes, answer.stamp_ns
        now_ns = self._clock.now_ns()
        publication = boxes.publication(answer.frame_index, answer.stamp_ns, now_ns, answer.stamp_ns)
        self._sink.publish(publication)
        return MergeResult(publication)

    def give_up(self, loss: Loss) -> None:
        """Tell the policy."""
        self._policy.on_loss(loss)

    def _publish(self, item: FrameItem) -> Publication:
        basis_ns = item.stamp_ns - 1 if self._basis_ns is None else self._basis_ns
        publication = self._boxes.publication(item.index, item.stamp_ns, self._clock.now_ns(), basis_ns)
        self._sink.publish(publication)
        return publication
