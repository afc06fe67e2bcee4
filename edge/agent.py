"""The seam of every agent: what a run calls for each frame and each late answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from vedette.edge.offload.link import Answer
from vedette.edge.offload.policy import OffloadDecision
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication


@dataclass(frozen=True)
class FrameResult:
    """What became of one frame.

    Args:
        publication: the boxes that were published for it.
        decision: what the offload policy said.
        stage_ms: milliseconds by stage.
    """

    publication: Publication
    decision: OffloadDecision
    stage_ms: Mapping[str, float]


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
        """
        ...
