"""The two clocks."""

from __future__ import annotations

import time

import pytest

from vedette.clock import SimulatedClock, WallClock


def test_simulated_time_moves_only_when_told() -> None:
    """It never runs by itself and never backward."""
    clock = SimulatedClock(100)
    assert clock.now_ns() == 100
    clock.sleep_until_ns(250)
    clock.sleep_until_ns(90)
    clock.advance_ns(5)
    assert clock.now_ns() == 255
    with pytest.raises(ValueError, match="cannot move back"):
        clock.advance_ns(-1)


def test_wall_clock_plays_a_recording_now() -> None:
    """It starts at the time it is given, and sleeping brings it to the time asked for."""
    clock = WallClock(starts_at_ns=1_000)
    target_ns = clock.now_ns() + 5_000_000
    clock.sleep_until_ns(target_ns)
    assert target_ns <= clock.now_ns()
    clock.sleep_until_ns(0)


def test_wall_clock_ignores_steps_of_the_system_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of the system's time by a day leaves the run's time alone."""
    clock = WallClock(starts_at_ns=0)
    day_ns = 86_400 * 10**9
    real_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: real_ns + day_ns)
    assert clock.now_ns() < day_ns
