"""Stage times: how long each named step of a frame took.

In a live run the time that passes is measured. On the simulated clock each stage takes what a device profile says, and
the clock moves by exactly that, so that a run can be repeated bit for bit on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from vedette.clock import SimulatedClock
from vedette.errors import ConfigError


class StageTimer(Protocol):
    """Accounts for the time of named steps of one frame."""

    def stage(self, name: str) -> AbstractContextManager[None]:
        """Account the enclosed work to a stage; a name used twice adds up."""
        ...

    def take_ms(self) -> dict[str, float]:
        """The stages accounted since the last call, in order of first use, in milliseconds; starts over."""
        ...


class MeasuredStages:
    """Measures the time that passes.

    Args:
        now_ns: a clock that never goes back; `time.process_time_ns` leaves out what other processes take.
    """

    def __init__(self, now_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self._now_ns = now_ns
        self._stages_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the enclosed work."""
        started_ns = self._now_ns()
        try:
            yield
        finally:
            self._stages_ms[name] = self._stages_ms.get(name, 0.0) + (self._now_ns() - started_ns) / 1e6

    def take_ms(self) -> dict[str, float]:
        """What was measured since the last call."""
        taken, self._stages_ms = self._stages_ms, {}
        return taken


class ProfiledStages:
    """Charges each stage what a device profile says, on the simulated clock.

    Args:
        clock: moved forward by each stage.
        profile_ms: milliseconds by stage name.
    """

    def __init__(self, clock: SimulatedClock, profile_ms: Mapping[str, float]) -> None:
        self._clock = clock
        self._profile_ms = profile_ms
        self._stages_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run the enclosed work and charge the profiled time.

        Raises:
            ConfigError: the profile does not know the stage.
        """
        if name not in self._profile_ms:
            known = ", ".join(sorted(self._profile_ms))
            raise ConfigError(f"device profile has no stage {name!r}; it has {known}")
        yield
        self._clock.advance_ns(round(self._profile_ms[name] * 1e6))
        self._stages_ms[name] = self._stages_ms.get(name, 0.0) + self._profile_ms[name]

    def take_ms(self) -> dict[str, float]:
        """What was charged since the last call."""
        taken, self._stages_ms = self._stages_ms, {}
        return taken
