"""Generated rate traces."""

from __future__ import annotations

import pytest

from vedette.datasets.traces import constant_trace, fading_trace, step_trace


def test_constant() -> None:
    """12 Mbit/s carry 1.5 MB in a second, whenever it starts."""
    trace = constant_trace(12_000_000)
    assert trace.finish_ns(123_456_789, 1_500_000) == 1_123_456_789


def test_step_turns_back() -> None:
    """Levels follow one another and start over."""
    trace = step_trace([8_000_000, 0], 500_000_000)
    assert [trace.rate_bps_at(t * 250_000_000) for t in range(5)] == [8_000_000, 8_000_000, 0, 0, 8_000_000]


def test_fading_is_seeded() -> None:
    """The same seed gives the same trace; another seed another one."""
    assert fading_trace(3, 8e6) == fading_trace(3, 8e6)
    assert fading_trace(3, 8e6) != fading_trace(4, 8e6)


@pytest.mark.parametrize("outage_share", [0.0, 0.2])
def test_fading_keeps_its_mean_and_outages(outage_share: float) -> None:
    """The mean is the one asked for, and about the asked share of time is an outage."""
    trace = fading_trace(1, 8e6, outage_share=outage_share)
    assert trace.mean_bps == pytest.approx(8e6, abs=1)
    dark = sum(trace.rate_bps_at(i * 100_000_000) == 0 for i in range(6000)) / 6000
    assert dark == pytest.approx(outage_share, abs=0.08)
