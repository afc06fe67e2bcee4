"""The agent that answers every frame itself: 2D detections lifted to 3D, kept true by late answers of a 3D detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.clock import Clock
from vedette.detections import Detections2D, Detector2D
from vedette.edge.agent import FrameResult, too_late
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lift import lift_detections
from vedette.edge.lifting.lifted import LiftedBox
from vedette.edge.lifting.scene import Scene, view_scene
from vedette.edge.offload.link import Answer
from vedette.edge.offload.policy import OffloadPolicy
from vedette.edge.tracking.anchors import AnchorRules
from vedette.edge.tracking.association import UNMATCHED, associate, without_duplicates
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.edge.tracking.timeline import Timeline
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.update import coast_tracks, update_tracks
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayInt
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

HISTORY_FRAMES: Final = 40
"""Frames kept for late answers: 4 s at 10 Hz, a little more than the link's deadline."""
ANCHOR_RULES: Final = AnchorRules(min_score=0.5, max_unconfirmed=None)
ANCHOR_LIFE_NS: Final = 1_200_000_000


@dataclass(frozen=True)
class Evidence:
    """What one frame brought, as far as lifting needs it again when a late answer comes.

    Args:
        detections: of the image, without their masks; None when there was no image, or it was not looked at.
        scene: of the sweep; None likewise.
    """

    detections: Detections2D | None
    scene: Scene | None


class LiftingAgent:
    """Boxes for every frame at once, from a 2D detector and geometry.

    Args:
        detector2d: finds objects in the image.
        policy: decides what to offload.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
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
        history_frames: int = HISTORY_FRAMES,
    ) -> None:
        self._detector2d = detector2d
        self._policy = policy
        self._sink = sink
        self._clock = clock
        self._stages = stages
        self._timeline: Timeline[Evidence] = Timeline(history_frames, self._relift, ANCHOR_RULES, ANCHOR_LIFE_NS)

    def process_frame(self, frame: Frame) -> FrameResult:
        """Answer a frame: predict, detect, associate, lift, update and publish, decide.

        Raises:
            ModelError: the 2D detector failed on the image; the agent is as before and the frame may be skipped.
        """
        viewpoint = self._timeline.look(frame)
        with self._stages.stage("predict"):
            predicted = self._timeline.tracks.predicted(frame.stamp_ns)
        with self._stages.stage("detect2d"):
            detections = self._detect(frame)
        with self._stages.stage("associate"):
            matches = _associate(predicted, detections, viewpoint)
        with self._stages.stage("lift"):
            moment = Moment(frame.index, viewpoint, _evidence(frame, detections))
            lifted = _lift(predicted, moment, matches)
        with self._stages.stage("update"):
            tracks = _update(predicted, moment, matches, lifted)
            boxes = self._timeline.append(moment, tracks, own_data=detections is not None)
        publication = self._publish(frame, boxes)
        with self._stages.stage("decide"):
            decision = self._policy.decide(frame)
        return FrameResult(publication, decision, self._stages.take_ms(), frame.missing)

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish predicted boxes for a frame that is bad, or that came while the agent was busy."""
        publication = self._publish(item, self._timeline.coast(item, Evidence(None, None)))
        self._stages.take_ms()
        return publication

    def merge_answer(self, answer: Answer) -> None:
        """Correct the tracks at the answer's capture time and lift later frames again; nothing is published for it.

        Raises:
            DeadlineError: its frame is kept no longer; nothing was done.
        """
        if self._timeline.merge(answer) is None:
            raise too_late(answer)
        self._stages.take_ms()  # no part of the next frame's own stages; it waits for them all the same

    def _relift(self, tracks: TrackSet, moment: Moment[Evidence]) -> TrackSet:
        """One kept frame once more, after an answer; as much work as a good part of a new one, and accounted for."""
        if moment.evidence.scene is None:
            return _advance(tracks, moment)
        with self._stages.stage("relift"):
            return _advance(tracks, moment)

    def _detect(self, frame: Frame) -> Detections2D | None:
        if frame.image is None:
            return None
        return without_duplicates(self._detector2d.detect(frame.image))

    def _publish(self, item: FrameItem, boxes: PublishedBoxes) -> Publication:
        now_ns, basis_ns = self._clock.now_ns(), self._timeline.basis_ns
        publication = boxes.publication(item.index, item.stamp_ns, now_ns, basis_ns)
        self._sink.publish(publication)
        return publication


def _evidence(frame: Frame, detections: Detections2D | None) -> Evidence:
    """Reduce a frame to what lifting needs of it."""
    if detections is None:
        return Evidence(None, None)
    scene = view_scene(frame.sweep, frame.camera, detections) if frame.sweep is not None and len(detections) else None
    return Evidence(Detections2D(detections.boxes_px, detections.scores, detections.class_ids), scene)


def _associate(predicted: TrackSet, detections: Detections2D | None, viewpoint: Viewpoint) -> NDArrayInt:
    if detections is None:
        return np.zeros(0, np.int64)
    return associate(predicted.tracks, detections, viewpoint)


def _lift(predicted: TrackSet, moment: Moment[Evidence], matches: NDArrayInt) -> Sequence[LiftedBox | None]:
    """Lift each detection by what its track, or else its class, says of it."""
    detections, scene, viewpoint = moment.evidence.detections, moment.evidence.scene, moment.viewpoint
    if detections is None or scene is None:
        return (None,) * len(matches)
    hints = [
        LiftHint.of_class(ObjectClass(int(class_id))) if row == UNMATCHED else predicted.tracks[row].hint(viewpoint)
        for row, class_id in zip(matches, detections.class_ids, strict=True)
    ]
    return lift_detections(detections, hints, scene, viewpoint.camera)


def _update(
    predicted: TrackSet,
    moment: Moment[Evidence],
    matches: NDArrayInt,
    lifted: Sequence[LiftedBox | None],
) -> TrackSet:
    detections = moment.evidence.detections
    if detections is None:
        return coast_tracks(predicted)
    return update_tracks(
        predicted, moment.frame_index, moment.viewpoint, detections=detections, matches=matches, lifted=lifted
    )


def _advance(tracks: TrackSet, moment: Moment[Evidence]) -> TrackSet:
    """The steps from predict to update once more, from what the frame brought."""
    predicted = tracks.predicted(moment.viewpoint.stamp_ns)
    matches = _associate(predicted, moment.evidence.detections, moment.viewpoint)
    lifted = _lift(predicted, moment, matches)
    return _update(predicted, moment, matches, lifted)
