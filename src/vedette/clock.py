"""Time as a dependency: the machine's clock, and a simulated one that moves only when told to."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time on the data's time line, in nanoseconds."""

    def now_ns(self) -> int:
        """The present."""
        ...

    def sleep_until_ns(self, until_ns: int) -> None:
        """Return once the present is at or after ``until_ns``; at once when it already is."""
        ...


class WallClock:
    """Real time, shifted so that a recording plays now.

    The monotonic clock carries it, so that a step of the system's time does not disturb a run.

    Args:
        starts_at_ns: what the clock shows at the moment of construction; None for UTC now.
    """

    def __init__(self, starts_at_ns: int | None = None) -> None:
        shown_ns = time.time_ns() if starts_at_ns is None else starts_at_ns
        self._offset_ns = shown_ns - time.monotonic_ns()

    def now_ns(self) -> int:
        """The present."""
        return time.monotonic_ns() + self._offset_ns

    def sleep_until_ns(self, until_ns: int) -> None:
        """Sleep the calling thread until then."""
        remaining_ns = until_ns - self.now_ns()
        if remaining_ns > 0:
            time.sleep(remaining_ns / 1e9)


class SimulatedClock:
    """A clock that stands still between calls, so that the same run gives the same times, bit for bit.

    Args:
        starts_at_ns: what it shows at first.
    """

    def __init__(self, starts_at_ns: int = 0) -> None:
        self._now_ns = starts_at_ns

    def now_ns(self) -> int:
        """The simulated present."""
        return self._now_ns

    def sleep_until_ns(self, until_ns: int) -> None:
        """Move the present forward to ``until_ns``; never backward."""
        self._now_ns = max(self._now_ns, until_ns)

    def advance_ns(self, duration_ns: int) -> None:
        """Move the present forward by a duration.

        Raises:
            ValueError: the duration is negative.
        """
        if duration_ns < 0:
            raise ValueError(f"a clock cannot move back by {-duration_ns} ns")
        self._now_ns += duration_ns
