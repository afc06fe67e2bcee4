"""Stage times: how long each named step of a frame took.

In a live run the time that passes is measured. On the simulated clock each stage takes what a device profile says, and
the clock moves by exactly that, so that a run can be repeated bit for bit on any machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
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
    """Measures wall time with the performance counter."""

    def __init__(self) -> None:
        self._stages_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the enclosed work."""
        started_ns = time.perf_counter_ns()
        try:
            yield
        finally:
            self._stages_ms[name] = self._stages_ms.get(name, 0.0) + (time.perf_counter_ns() - started_ns) / 1e6

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
