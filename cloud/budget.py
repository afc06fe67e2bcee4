"""How long an answer is still wanted."""

from __future__ import annotations

import time
from collections.abc import Callable

from vedette.errors import DeadlineError


class Budget:
    """A duration, counted down on this machine's monotonic clock.

    It is a duration and no instant, so that the clocks of client and server may differ and may be set.

    Args:
        duration_s: what is left now.
        monotonic_ns: the clock.
    """

    def __init__(self, duration_s: float, monotonic_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._monotonic_ns = monotonic_ns
        self._duration_s = duration_s
        self._ends_ns = monotonic_ns() + round(duration_s * 1e9)

    @property
    def remaining_s(self) -> float:
        """What is left; negative once it has run out."""
        return (self._ends_ns - self._monotonic_ns()) / 1e9

    def check(self, stage: str) -> None:
        """Refuse to begin a stage too late.

        Args:
            stage: what would begin.

        Raises:
            DeadlineError: the budget has run out.
        """
        remaining_s = self.remaining_s
        if remaining_s <= 0.0:
            over_ms = -remaining_s * 1e3
            raise DeadlineError(
                f"budget of {self._duration_s * 1e3:.0f} ms ran out {over_ms:.0f} ms before {stage} could begin"
            )
