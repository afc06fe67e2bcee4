"""Events on the simulated clock: what a modelled link does between two looks at it."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from itertools import count

from vedette.clock import SimulatedClock
from vedette.edge.offload.link import Outcome

Action = Callable[[int], None]
"""Takes the time at which it happens; that is before the clock's present when the run was busy meanwhile."""


class Timeline:
    """Actions in order of their time, and the outcomes that they leave.

    Events at the same time happen in the order in which they were scheduled, so that runs repeat exactly.

    Args:
        clock: moved forward by `wait`.
    """

    def __init__(self, clock: SimulatedClock) -> None:
        self._clock = clock
        self._events: list[tuple[int, int, Action]] = []
        self._order = count()
        self._outcomes: deque[Outcome] = deque()

    def now_ns(self) -> int:
        """The clock's present."""
        return self._clock.now_ns()

    def schedule(self, at_ns: int, action: Action) -> None:
        """Have something happen at a time."""
        heapq.heappush(self._events, (at_ns, next(self._order), action))

    def deliver(self, outcome: Outcome) -> None:
        """Leave an outcome for `wait` to hand out."""
        self._outcomes.append(outcome)

    def catch_up(self) -> None:
        """Let everything happen that was due by the clock's present."""
        while self._events and self._events[0][0] <= self._clock.now_ns():
            self._happen()

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome by ``until_ns``, with the clock moved to when it is there; None with the clock moved on."""
        while not self._outcomes:
            if not self._events or self._events[0][0] > until_ns:
                self._clock.sleep_until_ns(until_ns)
                return None
            self._clock.sleep_until_ns(self._events[0][0])
            self._happen()
        return self._outcomes.popleft()

    def clear(self) -> None:
        """Forget everything that has not happened."""
        self._events.clear()
        self._outcomes.clear()

    def _happen(self) -> None:
        at_ns, _, action = heapq.heappop(self._events)
        action(at_ns)
