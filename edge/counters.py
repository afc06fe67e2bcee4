"""The run in numbers: what the summary at the end of a run shows."""

from __future__ import annotations

from collections import Counter

from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.frames import BadFrame, Frame
from vedette.publication import Publication


class RunCounters:
    """An observer that counts.

    Attributes:
        processed: frames that the agent computed boxes from.
        skipped: frames passed over for a newer one.
        bad: frames that could not be delivered or used.
        missing: processed frames without a sweep or an image, by what was missing.
        offloaded: requests handed to the link.
        answered: answers merged.
        lost: requests without an answer, by reason.
        bytes_up: bytes sent, lost requests included.
        bytes_down: bytes received.
        last_error: of the last bad frame, empty when there was none.
    """

    def __init__(self) -> None:
        self.processed = 0
        self.skipped = 0
        self.bad = 0
        self.missing: Counter[str] = Counter()
        self.offloaded = 0
        self.answered = 0
        self.lost: Counter[LossReason] = Counter()
        self.bytes_up = 0
        self.bytes_down = 0
        self.last_error = ""

    @property
    def frames(self) -> int:
        """Items of the source that got a publication."""
        return self.processed + self.skipped + self.bad

    @property
    def nothing_usable(self) -> bool:
        """Whether frames came and every single one was bad."""
        return self.bad > 0 and self.bad == self.frames

    def on_frame(self, result: FrameResult) -> None:
        """Count a processed frame, and its request where there is one."""
        self.processed += 1
        self.missing.update(result.missing)
        self.offloaded += result.decision.send

    def on_skipped(self, frame: Frame, publication: Publication) -> None:  # noqa: ARG002
        """Count a frame passed over."""
        self.skipped += 1

    def on_bad_frame(self, bad: BadFrame, publication: Publication) -> None:  # noqa: ARG002
        """Count a bad frame and keep its error."""
        self.bad += 1
        self.last_error = f"{bad.source} frame {bad.index}: {bad.error}"

    def on_answer(self, answer: Answer, result: MergeResult) -> None:  # noqa: ARG002
        """Count an answer."""
        self.answered += 1
        self.bytes_up += answer.bytes_up
        self.bytes_down += answer.bytes_down

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:  # noqa: ARG002
        """Count a loss by its reason."""
        self.lost[loss.reason] += 1
        self.bytes_up += loss.bytes_up

    def summary(self) -> str:
        """One line for people."""
        lost = ", ".join(f"{count} {reason}" for reason, count in sorted(self.lost.items())) or "none"
        without = "".join(f" ({count} without {part})" for part, count in sorted(self.missing.items()))
        return (
            f"{self.frames} frames: {self.processed} processed{without}, {self.skipped} skipped, {self.bad} bad;"
            f" {self.offloaded} offloaded, {self.answered} answered, lost: {lost};"
            f" {self.bytes_up / 1e6:.2f} MB up, {self.bytes_down / 1e6:.2f} MB down"
        )
