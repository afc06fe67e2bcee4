"""An agent's memory: the ego's way, the tracks, and enough of the past to merge late answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from vedette.edge.offload.link import Answer
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.ego import EgoMotion
from vedette.edge.tracking.history import History, Moment
from vedette.edge.tracking.publish import PublishedBoxes, publishable_boxes
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.update import coast_tracks
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.frames import BadFrame, Frame, FrameItem
from vedette.geometry import SE3

E = TypeVar("E")


class Timeline(Generic[E]):
    """Keeps the tracks from frame to frame, and knows what the newest of them rest on.

    Args:
        capacity: frames to keep for late answers.
        advance: the tracks one moment on, given its evidence; a pure function.
        rules: how answers act on tracks.
        anchor_life_ns: how long an answer vouches for an object that no image shows.
    """

    def __init__(
        self,
        capacity: int,
        advance: Callable[[TrackSet, Moment[E]], TrackSet],
        rules: AnchorRules,
        anchor_life_ns: int,
    ) -> None:
        self._history: History[E] = History(capacity, advance, self._apply)
        self._rules = rules
        self._anchor_life_ns = anchor_life_ns
        self._ego = EgoMotion()
        self._viewpoint: Viewpoint | None = None
        self._basis_ns: int | None = None

    @property
    def tracks(self) -> TrackSet:
        """The tracks as of the newest frame."""
        return self._history.tracks

    def look(self, frame: Frame) -> Viewpoint:
        """The viewpoint of the next frame in order of capture."""
        if self._ego.starts_new_world(frame.world_SE3_ego):
            self._history.forget()
        pose = self._pose(frame.stamp_ns, frame.world_SE3_ego)
        self._viewpoint = Viewpoint(frame.stamp_ns, pose, frame.camera)
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
            self._viewpoint = Viewpoint(bad.stamp_ns, pose, self._viewpoint.camera)
        return self._viewpoint

    def _pose(self, stamp_ns: int, world_SE3_ego: SE3 | None) -> SE3:
        if self._basis_ns is None:
            # nothing is known yet: just before the first frame, so that none counts as answered by its own data
            self._basis_ns = stamp_ns - 1
        return self._ego.pose(stamp_ns, world_SE3_ego)

    def append(self, moment: Moment[E], tracks: TrackSet, *, own_data: bool) -> PublishedBoxes:
        """Keep a frame and its tracks.

        Args:
            moment: the frame.
            tracks: after its evidence.
            own_data: whether its own image or sweep went into the tracks.

        Returns:
            The boxes to publish for it.
        """
        self._history.append(moment, tracks)
        if own_data:
            self._basis_ns = moment.viewpoint.stamp_ns
        return publishable_boxes(tracks, moment.viewpoint, self._anchor_life_ns)

    @property
    def basis_ns(self) -> int:
        """Capture time of the newest data that the tracks rest on.

        Raises:
            ValueError: before the first frame.
        """
        if self._basis_ns is None:
            raise ValueError("no frame has been looked at; expected a look first")
        return self._basis_ns

    def merge(self, answer: Answer) -> Moment[E] | None:
        """Apply an answer at its capture time and do what came after again.

        Returns:
            The answer's moment; None when it is older than what is kept: then nothing was done.
        """
        moment = self._history.find(answer.frame_index, answer.stamp_ns)
        if moment is not None:
            self._history.merge(moment, answer.detections)
            self._basis_ns = max(self.basis_ns, answer.stamp_ns)
        return moment

    def _apply(self, moment: Moment[E]) -> TrackSet:
        if moment.answer is None:
            return moment.tracks
        return apply_answer(moment.tracks, moment.frame_index, moment.viewpoint, moment.answer, self._rules)[0]
