"""Where the thread of a link leaves outcomes, and where the thread of the run waits for them on the wall clock."""

from __future__ import annotations

import threading
from collections import deque

from vedette.clock import Clock
from vedette.edge.offload.link import Outcome


class Outbox:
    """Outcomes on their way from a link's thread to the run.

    Args:
        clock: a wall clock; `wait` sleeps by it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._outcomes: deque[Outcome] = deque()
        self._pending_count = 0
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    @property
    def pending_count(self) -> int:
        """Requests announced by `expect` whose outcome has not been handed out."""
        with self._changed:
            return self._pending_count

    def expect(self) -> None:
        """Announce that one more outcome will come."""
        with self._changed:
            self._pending_count += 1

    def put(self, outcome: Outcome) -> None:
        """Leave an outcome and wake whoever waits; from any thread."""
        with self._changed:
            self._outcomes.append(outcome)
            self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """Leave the error that ended the link's thread: a defect, which `wait` raises in the run's thread."""
        with self._changed:
            self._error = error
            self._changed.notify_all()

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome as soon as it is there, or None once the clock has reached ``until_ns``."""
        with self._changed:
            while not self._outcomes:
                if self._error is not None:
                    raise self._error
                remaining_ns = until_ns - self._clock.now_ns()
                if remaining_ns <= 0:
                    return None
                self._changed.wait(remaining_ns / 1e9)
            self._pending_count -= 1
            return self._outcomes.popleft()
