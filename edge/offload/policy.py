"""Which frames to send: the seam, and its first form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vedette.errors import ConfigError
from vedette.frames import Frame


@dataclass(frozen=True)
class OffloadDecision:
    """Whether a frame's sweep is to be sent, and why: recorded with every frame.

    Args:
        send: whether to send it.
        reason: short and stable, for logs, reports and metrics (for example ``interval`` or ``between anchors``).
    """

    send: bool
    reason: str


class OffloadPolicy(Protocol):
    """Decides frame by frame."""

    @property
    def name(self) -> str:
        """As reports show it."""
        ...

    def decide(self, frame: Frame) -> OffloadDecision:
        """Decide for the next frame in order of capture."""
        ...


class FixedInterval:
    """Send the first frame with a sweep, and then the first that is n or more frames of the source later.

    Frames are counted as they were captured: those that a busy agent skips count too, so that anchors do not become
    rarer when it is slow.

    Args:
        interval: n; 1 sends every frame. A larger one saves bytes, but sizes, headings and objects that the 2D
            detector misses are corrected less often.

    Raises:
        ConfigError: the interval is not positive.
    """

    def __init__(self, interval: int) -> None:
        if interval < 1:
            raise ConfigError(f"offload interval is {interval}; expected 1 or more frames")
        self._interval = interval
        self._last_sent: int | None = None

    @property
    def name(self) -> str:
        """As reports show it."""
        return f"every {self._interval}"

    def decide(self, frame: Frame) -> OffloadDecision:
        """Send when the interval has passed."""
        if frame.sweep is None:
            return OffloadDecision(send=False, reason="no sweep")
        if self._last_sent is not None and frame.index - self._last_sent < self._interval:
            return OffloadDecision(send=False, reason="between anchors")
        self._last_sent = frame.index
        return OffloadDecision(send=True, reason="interval")
