"""What happened in one run, in order, as the runner told it: with the labels, all that its evaluation looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.offload.review import Review
from vedette.frames import BadFrame, Frame
from vedette.publication import Publication

AFTER_PUBLISHING: Final = frozenset({"forecast", "decide"})
"""Stages of the agent that begin when the boxes are out; they are no part of a latency."""


@dataclass
class RunRecord:
    """A run; filled while it goes.

    Args:
        policy: name of the policy.
        publications: everything published, in order.
        own_stage_ms: milliseconds by stage, by frame number, for frames that got boxes from their own data: the
            agent's stages, or the answer's where the boxes are an answer.
        agent_stage_ms: milliseconds by stage of every frame that the agent processed.
        decisions: what the policy said, by frame number.
        reviews: what answers turned out to be worth, by frame number.
        answers: merged answers, in order of arrival.
        losses: requests without an answer, in order.
        skipped: frames passed over for a newer one.
        bad: why a frame could not be used, by frame number.
    """

    policy: str
    publications: list[Publication] = field(default_factory=list)
    own_stage_ms: dict[int, Mapping[str, float]] = field(default_factory=dict)
    agent_stage_ms: list[Mapping[str, float]] = field(default_factory=list)
    decisions: dict[int, OffloadDecision] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    bad: dict[int, str] = field(default_factory=dict)

    @property
    def offered(self) -> dict[int, str]:
        """Why the policy offered a frame to its 3D detector, by frame number, for those it did."""
        return {index: decision.reason for index, decision in self.decisions.items() if decision.send}


class RunRecorder:
    """The sink and the observer of a replayed run.

    Args:
        policy: name of the policy.
        on_item: called once for every item of the source; moves the progress bar.
    """

    def __init__(self, policy: str, on_item: Callable[[], None]) -> None:
        self.record = RunRecord(policy)
        self._on_item = on_item

    def publish(self, publication: Publication) -> None:
        """Keep a publication."""
        self.record.publications.append(publication)

    def close(self) -> None:
        """Nothing is pending."""

    def on_frame(self, result: FrameResult) -> None:
        """Keep a processed frame's times and what was decided."""
        index = result.frame_index
        self.record.agent_stage_ms.append(result.stage_ms)
        if result.publication is not None and result.publication.own:
            stages = result.stage_ms.items()
            self.record.own_stage_ms[index] = {name: ms for name, ms in stages if name not in AFTER_PUBLISHING}
        self.record.decisions[index] = result.decision
        self._on_item()

    def on_skipped(self, frame: Frame, publication: Publication) -> None:  # noqa: ARG002
        """Keep a frame passed over."""
        self.record.skipped.append(frame.index)
        self._on_item()

    def on_bad_frame(self, bad: BadFrame, publication: Publication) -> None:  # noqa: ARG002
        """Keep a bad frame."""
        self.record.bad[bad.index] = str(bad.error)
        self._on_item()

    def on_answer(self, answer: Answer, result: MergeResult) -> None:
        """Keep an answer, and its times where it is the first look at its frame's own data."""
        self.record.answers.append(answer)
        if result.review is not None:
            self.record.reviews[answer.frame_index] = result.review
        if result.publication is not None and result.publication.own:
            self.record.own_stage_ms.setdefault(answer.frame_index, answer.stage_ms)

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:  # noqa: ARG002
        """Keep a loss."""
        self.record.losses.append(loss)
