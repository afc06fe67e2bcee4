"""What links on the simulated clock have in common: a timeline, and a count of the outcomes that are still to come."""

from __future__ import annotations

from vedette.clock import SimulatedClock
from vedette.edge.offload.link import Outcome
from vedette.replay.timeline import Timeline


class TimelineLink:
    """A link but for `submit`, which begins with `_expect` and leaves one outcome on the timeline.

    Args:
        clock: of the run.
    """

    def __init__(self, clock: SimulatedClock) -> None:
        self._timeline = Timeline(clock)
        self._pending_count = 0

    def start(self) -> None:
        """Nothing to open."""

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome by ``until_ns``; the clock moves to when it is there, or to ``until_ns``."""
        outcome = self._timeline.wait(until_ns)
        if outcome is not None:
            self._pending_count -= 1
        return outcome

    @property
    def pending_count(self) -> int:
        """Requests whose outcome has not been handed out."""
        return self._pending_count

    def close(self) -> None:
        """Forget what is under way."""
        self._timeline.clear()

    def _expect(self) -> int:
        """Count one more request, after all that was due before it; returns the clock's present."""
        self._timeline.catch_up()
        self._pending_count += 1
        return self._timeline.now_ns()
