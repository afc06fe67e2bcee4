"""Generated rate traces."""

from __future__ import annotations

import pytest

from vedette.datasets.traces import Spans, blackout_trace, constant_trace, fading_trace, step_trace


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


def test_fading_outages_last_as_long_as_asked() -> None:
    """On average, over the ten minutes; the seed's other draws stay the same."""
    trace = fading_trace(2, 8e6, outage_share=0.2, outage_s=5.0)
    dark = [trace.rate_bps_at(i * 100_000_000) == 0 for i in range(6000)]
    begun = sum(now and not before for before, now in zip([False, *dark], dark, strict=False))
    assert sum(dark) / 10 / begun == pytest.approx(5.0, rel=0.4)


S = 1_000_000_000


def test_blackout_at_instants() -> None:
    """8 Mbit/s carry 1 MB a second: 20 MB before second 20, not a byte until 50, side by side like one."""
    trace = blackout_trace(8_000_000, Spans(30 * S, (20 * S,)))
    assert trace.bytes_between(0, 50 * S) == 20_000_000
    assert trace.finish_ns(0, 20_000_001) == 50 * S + 1000
    assert blackout_trace(8, Spans(S, (0, S, 5 * S))).rates_bps == (0, 0, 8, 0, 8)


def test_blackout_again_and_again() -> None:
    """Two seconds of every ten: a fifth is missing."""
    assert blackout_trace(10_000_000, Spans(2 * S, (8 * S,), 10 * S)).mean_bps == 8e6


def test_blackout_that_lasts_no_time() -> None:
    """Is a mistake."""
    with pytest.raises(ValueError, match="0 ns"):
        blackout_trace(8, Spans(0, (5,)))
