"""The seam of every agent: what a run calls for each frame and each late answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from vedette.edge.offload.link import Answer
from vedette.edge.offload.policy import OffloadDecision
from vedette.errors import DeadlineError
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication


@dataclass(frozen=True)
class FrameResult:
    """What became of one frame.

    Args:
        publication: the boxes that were published for it.
        decision: what the offload policy said.
        stage_ms: milliseconds by stage.
        missing: parts that the frame came without: ``sweep`` or ``image``.
    """

    publication: Publication
    decision: OffloadDecision
    stage_ms: Mapping[str, float]
    missing: tuple[str, ...] = ()


class Agent(Protocol):
    """Turns frames and late answers into publications. It publishes to its own sink as soon as boxes are there."""

    def process_frame(self, frame: Frame) -> FrameResult:
        """Answer a frame at once."""
        ...

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish propagated boxes for a frame that is bad, or that came while the agent was busy."""
        ...

    def merge_answer(self, answer: Answer) -> Publication | None:
        """Apply a late answer at its capture time and replay what came after.

        Returns:
            A publication for the answer's own frame where the answer is the first thing computed from that frame's
            own data (policies without lifting); None otherwise.

        Raises:
            DeadlineError: its frame is kept no longer; nothing was done.
        """
        ...


def too_late(answer: Answer) -> DeadlineError:
    """The error of an answer whose frame is kept no longer."""
    return DeadlineError(
        f"the answer for frame {answer.frame_index} came when that frame was kept no longer; a shorter"
        " edge.offload.deadline_ms gives such requests up in time for newer ones"
    )
