"""The agent without a 2D model: what a 3D detector last answered, moved on to every frame's time."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.clock import Clock
from vedette.detections import Detections3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.lifting.lifted import Rung
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadPolicy, Situation
from vedette.edge.offload.review import review_answer
from vedette.edge.publisher import Publisher
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.publish import PublishedBoxes, Trust
from vedette.edge.tracking.timeline import Timeline, Treatment
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.update import coast_tracks
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

HISTORY_FRAMES: Final = 100
"""Frames kept for late answers; without sweeps they cost next to nothing."""
ANSWER_RULES: Final = AnchorRules(min_score=0.2, birth_score=0.2, max_unconfirmed=1)
TREATMENT: Final = Treatment(answers=ANSWER_RULES, detections=ANSWER_RULES, trust=Trust(3_000_000_000))


class PropagatingAgent:
    """Boxes for every frame from late answers alone: the base of the policies ``edge-only`` and ``cloud-only``.

    Args:
        policy: decides what to offload.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
        history_frames: frames kept for late answers; later answers are refused.
    """

    def __init__(
        self,
        policy: OffloadPolicy,
        sink: Sink,
        clock: Clock,
        stages: StageTimer,
        *,
        history_frames: int = HISTORY_FRAMES,
    ) -> None:
        self._policy = policy
        self._clock = clock
        self._stages = stages
        self._timeline: Timeline[None] = Timeline(history_frames, coast_moment, TREATMENT)
        self._publisher = Publisher(self._timeline, sink, clock, stages)

    def process_frame(self, frame: Frame) -> FrameResult:
        """Publish the tracks, moved on to the frame's time, and decide whether to send its sweep."""
        viewpoint = self._timeline.look(frame)
        with self._stages.stage("predict"):
            predicted = self._timeline.tracks.predicted(frame.stamp_ns)
        with self._stages.stage("update"):
            moment: Moment[None] = Moment(frame.index, viewpoint, None)
            boxes = self._timeline.append(moment, coast_tracks(predicted), own_data=False)
        boxes = self._chosen(frame, boxes)
        publication = self._publisher.publish(frame, boxes)
        self._publisher.forecast()
        with self._stages.stage("decide"):
            decision = self._policy.decide(frame, Situation(self._clock.now_ns(), Drift(), {}))
        return FrameResult(frame.index, publication, decision, self._stages.take_ms(), frame.missing)

    def _chosen(self, frame: Frame, boxes: PublishedBoxes) -> PublishedBoxes:  # noqa: ARG002
        """Of a frame's boxes those to publish: all."""
        return boxes

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish propagated boxes for a frame that is bad, or that came while the agent was busy."""
        publication = self._publisher.publish(item, self._timeline.coast(item, None))
        self._publisher.forecast()
        self._stages.take_ms()
        return publication

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Apply an answer at its capture time, and publish it for its own frame: the first from that frame's data.

        Raises:
            DeadlineError: its frame is kept no longer; nothing was done.
        """
        moment = self._timeline.moment_of(answer)
        review = review_answer(self._timeline.boxes_at(moment).detections, answer.detections)
        self._policy.on_answer(answer, review)
        self._timeline.merge(moment, answer.detections)
        boxes = detected_boxes(moment, answer.detections)
        publication = self._publisher.publish_at(answer.frame_index, answer.stamp_ns, answer.stamp_ns, boxes)
        self._publisher.forecast()
        self._stages.take_ms()
        return MergeResult(publication, review)

    def give_up(self, loss: Loss) -> None:
        """Tell the policy; nothing was waiting for the answer."""
        self._policy.on_loss(loss)


def coast_moment(tracks: TrackSet, moment: Moment[None]) -> TrackSet:
    """The tracks one frame on, of which nothing was seen but what its 3D detections say."""
    return coast_tracks(tracks.predicted(moment.viewpoint.stamp_ns))


def detected_boxes(moment: Moment[None], detections: Detections3D) -> PublishedBoxes:
    """3D detections as they are, with the names and velocities of the tracks that they show.

    Args:
        moment: their frame, with the tracks before they are applied.
        detections: in the velo frame of that frame.
    """
    count = len(detections)
    tracks, ids = apply_answer(moment.tracks, moment.frame_index, moment.viewpoint, detections, ANSWER_RULES)
    velocity_by_id = {track.track_id: track.motion.velocity for track in tracks.tracks}
    unknown = np.full(2, np.nan)
    velocities = np.array([velocity_by_id.get(int(track_id), unknown) for track_id in ids]).reshape(count, 2)
    return PublishedBoxes(detections, ids, (str(Rung.ANCHOR),) * count, velocities)
