"""Stage times, measured or charged by a profile."""

from __future__ import annotations

import pytest

from vedette.clock import SimulatedClock
from vedette.errors import ConfigError
from vedette.telemetry.stages import MeasuredStages, ProfiledStages


def test_profile_moves_the_clock_by_exactly_its_figures() -> None:
    """A stage used twice adds up, and taking starts over."""
    clock = SimulatedClock(1_000)
    stages = ProfiledStages(clock, {"lift": 1.5, "decide": 0.25})
    for _ in range(2):
        with stages.stage("lift"):
            assert clock.now_ns() in (1_000, 1_501_000)
    with stages.stage("decide"):
        pass
    assert clock.now_ns() == 1_000 + 3_250_000
    assert stages.take_ms() == {"lift": 3.0, "decide": 0.25}
    assert stages.take_ms() == {}


def test_unknown_stage_is_refused_before_any_work() -> None:
    """A profile of another version would give wrong times silently."""
    stages = ProfiledStages(SimulatedClock(), {"lift": 1.0})
    with pytest.raises(ConfigError, match="no stage 'detect2d'; it has lift"), stages.stage("detect2d"):
        pytest.fail("the stage must not run")


def test_measured_stages_keep_their_order_even_when_one_fails() -> None:
    """The time of a failed step counts as well."""
    stages = MeasuredStages()
    with stages.stage("b"):
        pass
    with pytest.raises(KeyError), stages.stage("a"):
        raise KeyError
    taken = stages.take_ms()
    assert list(taken) == ["b", "a"]
    assert min(taken.values()) >= 0.0


def test_measured_stages_go_by_the_clock_they_are_given() -> None:
    """A stage used twice adds up; what passes between stages is nobody's."""
    times_ns = iter([0, 2_000_000, 5_000_000, 5_500_000])
    stages = MeasuredStages(lambda: next(times_ns))
    for _ in range(2):
        with stages.stage("lift"):
            pass
    assert stages.take_ms() == {"lift": 2.5}
