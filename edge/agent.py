"""The seam of every agent: what a run calls for each frame, each late answer and each request that came to nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from vedette.detections import Detections2D
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.offload.review import Review
from vedette.edge.tracking.track import TrackSet
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication


@dataclass(frozen=True)
class FrameResult:
    """What became of one frame.

    Args:
        frame_index: of the frame.
        publication: the boxes that were published for it; None while they are held for an answer.
        decision: what the offload policy said.
        stage_ms: milliseconds by stage.
        missing: parts that the frame came without: ``sweep`` or ``image``.
        drift: signs of error that the policy saw.
        detections2d: what the image showed; None where it was not looked at.
        tracks: those that are shown, one for each box of the publication; none of an agent without tracks.
    """

    frame_index: int
    publication: Publication | None
    decision: OffloadDecision
    stage_ms: Mapping[str, float]
    missing: tuple[str, ...] = ()
    drift: Drift = field(default_factory=Drift)
    detections2d: Detections2D | None = None
    tracks: TrackSet = field(default_factory=TrackSet)

    @property
    def held(self) -> bool:
        """Whether the boxes are held until the frame's request has its outcome."""
        return self.publication is None


@dataclass(frozen=True)
class MergeResult:
    """What became of one answer.

    Args:
        publication: for the answer's own frame, where the answer is what that frame waited for, or the first thing
            computed from the frame's own data; None otherwise.
        review: how far the answer and the agent's own boxes agree; None for agents without boxes of their own.
    """

    publication: Publication | None
    review: Review | None = None


class Agent(Protocol):
    """Turns frames and late answers into publications. It publishes to its own sink as soon as boxes are there."""

    def process_frame(self, frame: Frame) -> FrameResult:
        """Answer a frame at once."""
        ...

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish propagated boxes for a frame that is bad, or that came while the agent was busy."""
        ...

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Apply a late answer at its capture time and replay what came after.

        Raises:
            DeadlineError: its frame is kept no longer; nothing was done.
            ImplausibleAnswerError: it contradicts the sweep it speaks about; nothing was done.
        """
        ...

    def give_up(self, loss: Loss) -> Publication | None:
        """Hear that a request has no answer.

        Returns:
            The publication for its frame where the boxes were held for the answer; None otherwise.
        """
        ...
