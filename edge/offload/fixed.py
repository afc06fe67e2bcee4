"""One frame in every so many, whatever happens."""

from __future__ import annotations

from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.package import Package
from vedette.edge.offload.policy import FramePlan, OffloadDecision, Situation
from vedette.edge.offload.review import Review
from vedette.errors import ConfigError
from vedette.frames import Frame


class FixedInterval:
    """Send the first frame with a sweep, and then the first that is n or more frames of the source later.

    Frames are counted as they were captured: those that a busy agent skips count too, so that anchors do not become
    rarer when it is slow.

    Args:
        interval: n; 1 sends every frame. A larger one saves bytes, but sizes, headings and objects that the 2D
            detector misses are corrected less often.
        package: how sweeps are packed; None leaves that to the link's settings.

    Raises:
        ConfigError: the interval is not positive.
    """

    def __init__(self, interval: int, package: Package | None = None) -> None:
        if interval < 1:
            raise ConfigError(f"offload interval is {interval}; expected 1 or more frames")
        self._interval = interval
        self._package = package
        self._last_sent: int | None = None

    @property
    def name(self) -> str:
        """As reports show it."""
        return f"every {self._interval}"

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:  # noqa: ARG002
        """Nothing beside lifting."""
        return FramePlan()

    def decide(self, frame: Frame, situation: Situation) -> OffloadDecision:  # noqa: ARG002
        """Send when the interval has passed."""
        if frame.sweep is None:
            return OffloadDecision(send=False, reason="no sweep")
        if self._last_sent is not None and frame.index - self._last_sent < self._interval:
            return OffloadDecision(send=False, reason="between anchors")
        self._last_sent = frame.index
        return OffloadDecision(send=True, reason="interval", package=self._package)

    def on_answer(self, answer: Answer, review: Review) -> bool:  # noqa: ARG002
        """Every answer is taken in."""
        return True

    def on_loss(self, loss: Loss) -> None:
        """Nothing is learned."""
