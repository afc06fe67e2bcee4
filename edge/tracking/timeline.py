"""An agent's memory: the ego's way, the tracks, and enough of the past to merge late answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from vedette.detections import Detections3D
from vedette.edge.offload.link import Answer
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.ego import EgoMotion
from vedette.edge.tracking.history import History, Moment
from vedette.edge.tracking.publish import PublishedBoxes, Trust, publishable_boxes
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.update import coast_tracks
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.errors import DeadlineError
from vedette.frames import BadFrame, Frame, FrameItem
from vedette.geometry import SE3

E = TypeVar("E")
_USUAL_PERIOD_NS: Final = 100_000_000
_MAX_FORESIGHT_NS: Final = 500_000_000


@dataclass(frozen=True)
class Treatment:
    """How 3D detections act on tracks.

    Args:
        answers: of the cloud's.
        detections: of the device's own detector.
        trust: in what nobody has seen of late.
    """

    answers: AnchorRules
    detections: AnchorRules
    trust: Trust


class Timeline(Generic[E]):
    """Keeps the tracks from frame to frame, and knows what the newest of them rest on.

    Args:
        capacity: frames to keep for late answers.
        advance: the tracks one moment on, given its evidence; a pure function.
        treatment: how 3D detections act on tracks.
    """

    def __init__(
        self,
        capacity: int,
        advance: Callable[[TrackSet, Moment[E]], TrackSet],
        treatment: Treatment,
    ) -> None:
        self._history: History[E] = History(capacity, advance, self._apply)
        self._treatment = treatment
        self._ego = EgoMotion()
        self._viewpoint: Viewpoint | None = None
        self._newest_index = 0
        self._basis_ns: int | None = None
        self._period_ns = _USUAL_PERIOD_NS

    @property
    def tracks(self) -> TrackSet:
        """The tracks as of the newest frame."""
        return self._history.tracks

    def look(self, frame: Frame) -> Viewpoint:
        """The viewpoint of the next frame in order of capture."""
        if self._ego.starts_new_world(frame.world_SE3_ego):
            self._history.forget()
        pose = self._pose(frame.stamp_ns, frame.world_SE3_ego)
        velocity = self._ego.velocity_world_mps
        self._viewpoint = Viewpoint(frame.stamp_ns, pose, frame.camera, velocity, _turn_s(frame))
        return self._viewpoint

    def coast(self, item: FrameItem, evidence: E) -> PublishedBoxes:
        """Pass a frame of which nothing is seen: the tracks are moved on to its time.

        Args:
            item: a bad frame, or one that nobody had the time to look at.
            evidence: what stands for having seen nothing.

        Returns:
            The boxes to publish for it; none before the first good frame.
        """
        viewpoint = self.look(item) if isinstance(item, Frame) else self._look_past(item)
        if viewpoint is None:
            return PublishedBoxes.none()
        tracks = coast_tracks(self.tracks.predicted(item.stamp_ns))
        return self.append(Moment(item.index, viewpoint, evidence), tracks, own_data=False)

    def _look_past(self, bad: BadFrame) -> Viewpoint | None:
        """The viewpoint of a frame that could not be delivered: the pose extrapolated, the camera that of the last.

        Returns:
            None before the first good frame.
        """
        pose = self._pose(bad.stamp_ns, None)
        if self._viewpoint is not None:
            self._viewpoint = Viewpoint(bad.stamp_ns, pose, self._viewpoint.camera, self._ego.velocity_world_mps)
        return self._viewpoint

    def _pose(self, stamp_ns: int, world_SE3_ego: SE3 | None) -> SE3:
        if self._basis_ns is None:
            # nothing is known yet: just before the first frame, so that none counts as answered by its own data
            self._basis_ns = stamp_ns - 1
        elif self._viewpoint is not None and stamp_ns > self._viewpoint.stamp_ns:
            self._period_ns = stamp_ns - self._viewpoint.stamp_ns
        return self._ego.pose(stamp_ns, world_SE3_ego)

    def append(self, moment: Moment[E], tracks: TrackSet, *, own_data: bool) -> PublishedBoxes:
        """Keep a frame and its tracks.

        Args:
            moment: the frame, with its 3D detections where it has any.
            tracks: after its evidence.
            own_data: whether its own image or sweep went into the tracks.

        Returns:
            The boxes to publish for it.
        """
        self._newest_index = moment.frame_index
        self._history.append(moment, tracks)
        if own_data:
            self._basis_ns = moment.viewpoint.stamp_ns
        return self._publishable(self.tracks, moment.viewpoint)

    def next_capture_ns(self, now_ns: int) -> int | None:
        """When the next frame is to be captured, now or later; None before the first.

        Args:
            now_ns: the present; frames are expected at the interval of the last two.
        """
        if self._viewpoint is None:
            return None
        ahead = max(1, -((self._viewpoint.stamp_ns - now_ns) // self._period_ns))
        return self._viewpoint.stamp_ns + ahead * self._period_ns

    def foresee(self, now_ns: int) -> tuple[int, PublishedBoxes] | None:
        """What the next frame to be captured should show, for readers who need boxes for the time at which they read.

        Args:
            now_ns: the present; frames are expected at the interval of the last two.

        Returns:
            The time of that capture and the boxes in the velo frame at that time; None before the first frame, and when
            the last is so old that nothing can be said.
        """
        stamp_ns = self.next_capture_ns(now_ns)
        if self._viewpoint is None or stamp_ns is None:
            return None
        if stamp_ns - self._viewpoint.stamp_ns > _MAX_FORESIGHT_NS:
            return None
        viewpoint = Viewpoint(stamp_ns, self._ego.foreseen(stamp_ns), self._viewpoint.camera)
        return stamp_ns, self._publishable(self.tracks.predicted(stamp_ns), viewpoint)

    def _publishable(self, tracks: TrackSet, viewpoint: Viewpoint) -> PublishedBoxes:
        return publishable_boxes(tracks, viewpoint, self._treatment.trust)

    @property
    def basis_ns(self) -> int:
        """Capture time of the newest data that the tracks rest on.

        Raises:
            ValueError: before the first frame.
        """
        if self._basis_ns is None:
            raise ValueError("no frame has been looked at; expected a look first")
        return self._basis_ns

    @property
    def newest_index(self) -> int:
        """Number of the newest frame kept, be it published or held; 0 before the first."""
        return self._newest_index

    def moment_of(self, answer: Answer) -> Moment[E]:
        """The frame that an answer speaks about.

        Raises:
            DeadlineError: it is kept no longer.
        """
        moment = self._history.find(answer.frame_index, answer.stamp_ns)
        if moment is None:
            raise too_late(answer)
        return moment

    def boxes_at(self, moment: Moment[E]) -> PublishedBoxes:
        """What the agent itself has to say about a frame of the past, by all that is known of it but its answer."""
        return self._publishable(self._with_detections(moment), moment.viewpoint)

    def corrected_boxes_at(self, moment: Moment[E]) -> PublishedBoxes:
        """The same with its answer, where that has come."""
        return self._publishable(self._apply(moment), moment.viewpoint)

    def merge(self, moment: Moment[E], detections: Detections3D) -> None:
        """Apply an answer at its capture time and do what came after again.

        Args:
            moment: that of the answer.
            detections: of the answer.
        """
        self._history.merge(moment, detections)
        self._basis_ns = max(self.basis_ns, moment.viewpoint.stamp_ns)

    def _apply(self, moment: Moment[E]) -> TrackSet:
        tracks = self._with_detections(moment)
        if moment.answer is None:
            return tracks
        rules = self._treatment.answers
        return apply_answer(tracks, moment.frame_index, moment.viewpoint, moment.answer, rules)[0]

    def _with_detections(self, moment: Moment[E]) -> TrackSet:
        if moment.detected is None:
            return moment.tracks
        rules = self._treatment.detections
        return apply_answer(moment.tracks, moment.frame_index, moment.viewpoint, moment.detected, rules)[0]


def _turn_s(frame: Frame) -> tuple[float, float]:
    """When the sweep's turn began and ended, from the capture time."""
    sweep, stamp_ns = frame.sweep, frame.stamp_ns
    return (0.0, 0.0) if sweep is None else ((sweep.start_ns - stamp_ns) / 1e9, (sweep.end_ns - stamp_ns) / 1e9)


def too_late(answer: Answer) -> DeadlineError:
    """The error of an answer whose frame is kept no longer."""
    return DeadlineError(
        f"the answer for frame {answer.frame_index} came when that frame was kept no longer; a shorter"
        " edge.offload.deadline_ms gives such requests up in time for newer ones"
    )
