"""Agent, policy and sink as they are, each with a log beside it.

The policy's wrapper keeps all that crosses its seam, so that the policy can be asked again without sweeps or images.
"""

from __future__ import annotations

from vedette.edge.agent import Agent, FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import FramePlan, OffloadDecision, OffloadPolicy, Situation
from vedette.edge.offload.review import Review
from vedette.edge.recording.log import EntryLog
from vedette.edge.recording.to_messages import (
    answer_message,
    decision_message,
    detections2d_message,
    frame_message,
    loss_message,
    publication_message,
    stages_message,
    tracks_message,
)
from vedette.frames import Frame, FrameItem
from vedette.geometry import PinholeCamera
from vedette.protos.convert import camera_to_proto
from vedette.protos.v1alpha1 import record_pb2
from vedette.publication import Publication, Sink
from vedette.telemetry.record.entry import Topic


class RecordedPolicy:
    """A policy whose every word is kept.

    Args:
        policy: decides.
        log: takes what it was told and what it said.
    """

    def __init__(self, policy: OffloadPolicy, log: EntryLog) -> None:
        self._policy = policy
        self._log = log
        self._plan = FramePlan()
        self._planned_ns = 0

    @property
    def name(self) -> str:
        """As reports show it."""
        return self._policy.name

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:
        """Ask the policy; the plan is kept with the decision."""
        self._plan, self._planned_ns = self._policy.plan(frame, now_ns), now_ns
        return self._plan

    def decide(self, frame: Frame, situation: Situation) -> OffloadDecision:
        """Ask the policy."""
        decision = self._policy.decide(frame, situation)
        message = decision_message(frame, self._plan, self._planned_ns, situation, decision)
        self._log.add(Topic.DECISIONS, message, situation.now_ns)
        return decision

    def on_answer(self, answer: Answer, review: Review) -> bool:
        """Tell the policy."""
        taken_in = self._policy.on_answer(answer, review)
        self._log.add(Topic.ANSWERS, answer_message(answer, review, taken_in=taken_in), answer.arrived_ns)
        return taken_in

    def on_loss(self, loss: Loss) -> None:
        """Tell the policy."""
        self._policy.on_loss(loss)
        self._log.add(Topic.LOSSES, loss_message(loss), loss.at_ns)


class RecordedAgent:
    """An agent whose frames, 2D detections, tracks and times are kept.

    Args:
        agent: does the work.
        log: takes them.
    """

    def __init__(self, agent: Agent, log: EntryLog) -> None:
        self._agent = agent
        self._log = log
        self._camera: PinholeCamera | None = None

    def process_frame(self, frame: Frame) -> FrameResult:
        """Have the frame answered."""
        if frame.camera is not self._camera:
            self._camera = frame.camera
            calibration = record_pb2.CalibrationRecord(camera=camera_to_proto(frame.camera))
            self._log.add(Topic.CALIBRATION, calibration, frame.stamp_ns)
        self._log.add(Topic.FRAMES, frame_message(frame, processed=True), frame.stamp_ns)
        result = self._agent.process_frame(frame)
        self._log.add(Topic.STAGES, stages_message(result), frame.stamp_ns)
        if result.detections2d is not None:
            detections = detections2d_message(frame.index, result.detections2d)
            self._log.add(Topic.DETECTIONS_2D, detections, frame.stamp_ns)
        if result.tracks.tracks:
            self._log.add(Topic.TRACKS, tracks_message(frame.index, result.tracks.tracks), frame.stamp_ns)
        return result

    def skip_frame(self, item: FrameItem) -> Publication:
        """Have propagated boxes published."""
        self._log.add(Topic.FRAMES, frame_message(item, processed=False), item.stamp_ns)
        return self._agent.skip_frame(item)

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Have an answer applied; its policy keeps it."""
        return self._agent.merge_answer(answer)

    def give_up(self, loss: Loss) -> Publication | None:
        """Pass on a loss; its policy keeps it."""
        return self._agent.give_up(loss)


class RecordedSink:
    """A sink whose publications are kept.

    Args:
        sink: takes them first.
        log: takes them then.
    """

    def __init__(self, sink: Sink, log: EntryLog) -> None:
        self._sink = sink
        self._log = log

    def publish(self, publication: Publication) -> None:
        """Pass on a publication."""
        self._sink.publish(publication)
        topic = Topic.FORECASTS if publication.forecast else Topic.BOXES
        self._log.add(topic, publication_message(publication), publication.publish_ns)

    def close(self) -> None:
        """Close the sink; the log is its owner's."""
        self._sink.close()
