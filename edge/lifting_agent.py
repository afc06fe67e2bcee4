"""The agent that answers every frame itself: 2D detections lifted to 3D, kept true by late answers of a 3D detector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.clock import Clock
from vedette.detections import Detections2D, Detections3D, Detector2D, Detector3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lift import lift_frame
from vedette.edge.lifting.lifted import LiftedBox
from vedette.edge.lifting.scene import Scene, view_scene
from vedette.edge.offload.drift import drift_of
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import Hold, OffloadPolicy, Situation
from vedette.edge.offload.review import SURE_SCORE, review_answer
from vedette.edge.publisher import Publisher
from vedette.edge.tracking.anchors import AnchorRules
from vedette.edge.tracking.association import UNMATCHED, associate, projected_px, without_duplicates
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.publish import Trust
from vedette.edge.tracking.support import is_rubbish, looked_at, supported
from vedette.edge.tracking.timeline import Timeline, Treatment
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.unseen import expected, unseen_rows
from vedette.edge.tracking.update import coast_tracks, update_tracks
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.errors import ImplausibleAnswerError
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayInt
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

LiftedFrame = tuple[Sequence[LiftedBox | None], Mapping[int, LiftedBox]]
"""Boxes parallel to the detections, and by the row of their track those of objects that no detection shows."""
HISTORY_FRAMES: Final = 40
"""Frames kept for late answers: 4 s at 10 Hz, a little more than the link's deadline."""
TREATMENT: Final = Treatment(
    answers=AnchorRules(min_score=0.5, birth_score=0.5, max_unconfirmed=None),
    detections=AnchorRules(min_score=0.5, birth_score=0.5, max_unconfirmed=None),
    trust=Trust(1_200_000_000, standing_half_life_s=1.5, moving_half_life_s=0.5, by_chance=True),
)


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
        plan = self._policy.plan(frame)
        viewpoint = self._timeline.look(frame)
        with self._stages.stage("predict"):
            predicted = self._timeline.tracks.predicted(frame.stamp_ns)
        with self._stages.stage("detect2d"):
            detections = self._detect2d(frame)
        detected = self._detect3d(frame) if plan.detect3d else None
        with self._stages.stage("associate"):
            matches = _associate(predicted, detections, viewpoint)
        with self._stages.stage("lift"):
            moment = Moment(frame.index, viewpoint, _evidence(frame, detections), detected)
            lifted = _lift(predicted, moment, matches)
        with self._stages.stage("update"):
            tracks = _update(predicted, moment, matches, lifted)
            own_data = detections is not None or detected is not None
            boxes = self._timeline.append(moment, tracks, own_data=own_data)
        if plan.hold is Hold.UNTIL_ANSWERED:
            self._held = moment
        publication = None if self._held is moment else self._publisher.publish(frame, boxes)
        self._publisher.forecast()
        stage_ms = self._stages.take_ms()
        with self._stages.stage("decide"):
            drift = drift_of(boxes.tracks, projected_px(boxes.tracks, viewpoint), viewpoint)
            decision = self._policy.decide(frame, Situation(self._clock.now_ns(), drift, stage_ms))
        stage_ms = stage_ms | self._stages.take_ms()
        return FrameResult(frame.index, publication, decision, stage_ms, frame.missing, drift, detections, boxes.tracks)

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish predicted boxes for a frame that is bad, or that came while the agent was busy."""
        publication = self._publisher.publish(item, self._timeline.coast(item, Evidence(None, None)))
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
        detections, unsupported = _believable(answer, moment)
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
            return _advance(tracks, moment)
        with self._stages.stage("relift"):
            return _advance(tracks, moment)

    def _detect2d(self, frame: Frame) -> Detections2D | None:
        if frame.image is None:
            return None
        return without_duplicates(self._detector2d.detect(frame.image))

    def _detect3d(self, frame: Frame) -> Detections3D | None:
        if self._detector3d is None or frame.sweep is None:
            return None
        with self._stages.stage("detect3d"):
            return self._detector3d.detect(frame.sweep, frame.camera)


def _evidence(frame: Frame, detections: Detections2D | None) -> Evidence:
    """Reduce a frame to what lifting needs of it, and later the check of an answer."""
    seen = Detections2D.empty() if detections is None else detections
    scene = view_scene(frame.sweep, frame.camera, seen) if frame.sweep is not None else None
    if detections is None:
        return Evidence(None, scene)
    return Evidence(Detections2D(detections.boxes_px, detections.scores, detections.class_ids), scene)


def _believable(answer: Answer, moment: Moment[Evidence]) -> tuple[Detections3D, int]:
    """The boxes of an answer that the sweep bears out, and how many of the sure ones it does not.

    A detector lists many weak boxes that mean little; what it is sure of tells whether it looks at the same street.

    Raises:
        ImplausibleAnswerError: most of the sure ones it does not.
    """
    scene, boxes = moment.evidence.scene, answer.detections
    if scene is None or len(boxes) == 0:
        return boxes, 0
    ahead = looked_at(boxes.boxes_velo, moment.viewpoint.camera)
    good = supported(boxes, scene.xyz_velo, scene.ground) | ~ahead
    sure = good[ahead & (boxes.scores >= SURE_SCORE)]
    bad_count = int((~sure).sum())
    if is_rubbish(sure):
        raise ImplausibleAnswerError(
            f"{bad_count} of the {len(sure)} sure boxes of the answer for frame {answer.frame_index} stand where its"
            " sweep shows nothing; expected at least half of them to hold points and to stand on the ground"
        )
    return boxes.select(good), bad_count


def _associate(predicted: TrackSet, detections: Detections2D | None, viewpoint: Viewpoint) -> NDArrayInt:
    if detections is None:
        return np.zeros(0, np.int64)
    return associate(predicted.tracks, detections, viewpoint)


def _lift(predicted: TrackSet, moment: Moment[Evidence], matches: NDArrayInt) -> LiftedFrame:
    """Lift each detection by what its track, or else its class, says of it; follow the tracks that none shows."""
    scene, viewpoint = moment.evidence.scene, moment.viewpoint
    detections = moment.evidence.detections or Detections2D.empty()
    unseen = unseen_rows(predicted, matches, viewpoint)
    if scene is None:
        return (None,) * len(matches), {}
    hints = [
        LiftHint.of_class(ObjectClass(int(class_id))) if row == UNMATCHED else predicted.tracks[row].hint(viewpoint)
        for row, class_id in zip(matches, detections.class_ids, strict=True)
    ]
    places = [expected(predicted.tracks[row], viewpoint) for row in unseen]
    lifted = lift_frame(detections, hints, scene, viewpoint.camera, places)
    return lifted.seen, {row: box for row, box in zip(unseen, lifted.followed, strict=True) if box is not None}


def _update(predicted: TrackSet, moment: Moment[Evidence], matches: NDArrayInt, lifted: LiftedFrame) -> TrackSet:
    detections = moment.evidence.detections
    seen, followed = lifted
    if detections is None:
        return coast_tracks(predicted, moment.viewpoint, followed)
    return update_tracks(
        predicted,
        moment.frame_index,
        moment.viewpoint,
        detections=detections,
        matches=matches,
        lifted=seen,
        followed=followed,
    )


def _advance(tracks: TrackSet, moment: Moment[Evidence]) -> TrackSet:
    """The steps from predict to update once more, from what the frame brought."""
    predicted = tracks.predicted(moment.viewpoint.stamp_ns)
    matches = _associate(predicted, moment.evidence.detections, moment.viewpoint)
    lifted = _lift(predicted, moment, matches)
    return _update(predicted, moment, matches, lifted)
