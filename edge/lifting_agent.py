"""The agent that answers every frame itself: 2D detections lifted to 3D, kept true by late answers of a 3D detector."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.clock import Clock
from vedette.detections import Detections2D, Detections3D, Detector2D, Detector3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.evidence import (
    NOTHING,
    Boxes,
    Evidence,
    advance,
    associated,
    believable,
    evidence_of,
    lifted_boxes,
    updated,
)
from vedette.edge.offload.drift import drift_of
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import Hold, OffloadPolicy, Situation
from vedette.edge.offload.review import review_answer
from vedette.edge.publisher import Publisher
from vedette.edge.tracking.anchors import AnchorRules
from vedette.edge.tracking.association import projected_px, without_duplicates
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.publish import Trust
from vedette.edge.tracking.timeline import Timeline, Treatment
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayInt
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

HISTORY_FRAMES: Final = 40
"""Frames kept for late answers: 4 s at 10 Hz, a little more than the link's deadline."""
TREATMENT: Final = Treatment(
    answers=AnchorRules(min_score=0.5, birth_score=0.5, max_unconfirmed=None),
    detections=AnchorRules(min_score=0.5, birth_score=0.5, max_unconfirmed=None),
    trust=Trust(1_200_000_000, standing_half_life_s=1.5, moving_half_life_s=0.5, by_chance=True),
)


_NOT_LOOKED: Final = (NOTHING, np.zeros(0, np.int64), Boxes((), {}))


class LiftingAgent:
    """Boxes for every frame at once, from a 2D detector and geometry.

    Args:
        detector2d: finds objects in the image.
        policy: decides what to offload.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
        detector3d: the device's own, which the policy may ask for a frame; None where there is none.
        history_frames: frames kept for late answers; later answers are refused.
    """

    def __init__(
        self,
        detector2d: Detector2D,
        policy: OffloadPolicy,
        sink: Sink,
        clock: Clock,
        stages: StageTimer,
        *,
        detector3d: Detector3D | None = None,
        history_frames: int = HISTORY_FRAMES,
    ) -> None:
        self._detector2d = detector2d
        self._detector3d = detector3d
        self._policy = policy
        self._clock = clock
        self._stages = stages
        self._timeline: Timeline[Evidence] = Timeline(history_frames, self._relift, TREATMENT)
        self._publisher = Publisher(self._timeline, sink, clock, stages)
        self._held: Moment[Evidence] | None = None

    def process_frame(self, frame: Frame) -> FrameResult:
        """Answer a frame: predict, detect, associate, lift, update and publish, decide.

        Raises:
            ModelError: a detector failed on the frame; the agent is as before and the frame may be skipped.
        """
        plan = self._policy.plan(frame, self._clock.now_ns())
        viewpoint = self._timeline.look(frame)
        self._publisher.begin()
        with self._stages.stage("predict"):
            predicted = self._timeline.tracks.predicted(frame.stamp_ns)
        evidence, matches, lifted = self._look(frame, viewpoint, predicted) if plan.look else _NOT_LOOKED
        detected = self._detect3d(frame) if plan.detect3d else None
        moment = Moment(frame.index, viewpoint, evidence, detected)
        with self._stages.stage("update"):
            tracks = updated(predicted, moment, matches, lifted)
            own_data = evidence.detections is not None or detected is not None or bool(lifted.followed)
            boxes = self._timeline.append(moment, tracks, own_data=own_data)
        if plan.hold is Hold.UNTIL_ANSWERED:
            self._held = moment
        publication = None if self._held is moment else self._publisher.publish(frame, boxes)
        self._publisher.forecast()
        stage_ms = self._stages.take_ms()
        with self._stages.stage("decide"):
            drift = drift_of(boxes.tracks, projected_px(boxes.tracks.tracks, viewpoint), viewpoint)
            decision = self._policy.decide(frame, Situation(self._clock.now_ns(), drift, stage_ms))
        stage_ms = stage_ms | self._stages.take_ms()
        return FrameResult(
            frame.index, publication, decision, stage_ms, frame.missing, drift, evidence.detections, boxes.tracks
        )

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish predicted boxes for a frame that is bad, or that came while the agent was busy."""
        publication = self._publisher.publish(item, self._timeline.coast(item, NOTHING))
        self._publisher.forecast()
        self._stages.take_ms()
        return publication

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Correct the tracks at the answer's capture time and lift later frames again.

        Raises:
            DeadlineError: its frame is kept no longer; nothing was done.
            ImplausibleAnswerError: it contradicts the sweep it speaks about; nothing was done.
        """
        moment = self._timeline.moment_of(answer)
        detections, unsupported = believable(answer, moment)
        review = review_answer(self._timeline.boxes_at(moment).detections, detections, unsupported=unsupported)
        if self._policy.on_answer(answer, review):
            self._timeline.merge(moment, detections)
        publication = self._release(answer.frame_index)
        self._publisher.forecast()
        self._stages.take_ms()  # no part of the next frame's own stages; it waits for them all the same
        return MergeResult(publication, review)

    def give_up(self, loss: Loss) -> Publication | None:
        """Tell the policy, and publish what was held for the answer."""
        self._policy.on_loss(loss)
        return self._release(loss.frame_index)

    def _release(self, frame_index: int) -> Publication | None:
        """Publish the boxes that were held for a frame's answer, as they are now known."""
        held = self._held
        if held is None or held.frame_index != frame_index:
            return None
        self._held = None
        boxes = self._timeline.corrected_boxes_at(held)
        return self._publisher.publish_at(frame_index, held.viewpoint.stamp_ns, self._timeline.basis_ns, boxes)

    def _relift(self, tracks: TrackSet, moment: Moment[Evidence]) -> TrackSet:
        """One kept frame once more, after an answer; as much work as a good part of a new one, and accounted for."""
        if moment.evidence.detections is None:
            return advance(tracks, moment)
        with self._stages.stage("relift"):
            return advance(tracks, moment)

    def _look(self, frame: Frame, viewpoint: Viewpoint, predicted: TrackSet) -> tuple[Evidence, NDArrayInt, Boxes]:
        """Find objects in the image, and lift them by what is known of them."""
        with self._stages.stage("detect2d"):
            detections = self._detect2d(frame)
        with self._stages.stage("associate"):
            matches = associated(predicted, detections, viewpoint)
        with self._stages.stage("lift"):
            evidence = evidence_of(frame, detections)
            lifted = lifted_boxes(predicted, evidence, viewpoint, matches)
        return evidence, matches, lifted

    def _detect2d(self, frame: Frame) -> Detections2D | None:
        if frame.image is None:
            return None
        return without_duplicates(self._detector2d.detect(frame.image))

    def _detect3d(self, frame: Frame) -> Detections3D | None:
        if self._detector3d is None or frame.sweep is None:
            return None
        with self._stages.stage("detect3d"):
            return self._detector3d.detect(frame.sweep, frame.camera)
