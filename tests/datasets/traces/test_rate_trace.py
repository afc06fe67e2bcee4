"""Exact integration of rate traces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.traces import RateTrace

MS = 1_000_000
S = 1_000 * MS

# 8 kbit/s = 1 byte a millisecond for 1 s, nothing for 1 s, 16 kbit/s = 2 bytes a millisecond for 2 s
TRACE = RateTrace((0, S, 2 * S), (8_000, 0, 16_000), 4 * S)


@pytest.mark.parametrize(
    ("start_ns", "byte_count", "expected_ns"),
    [
        (0, 0, 0),  # nothing to send takes no time
        (0, 1, MS),
        (0, 1000, S),  # just fits before the outage
        (0, 1001, 2 * S + MS // 2),  # one more waits for its end
        (S, 1, 2 * S + MS // 2),  # starts in the outage
        (2 * S, 4000, 4 * S),  # ends with the period
        (2 * S, 4001, 4 * S + MS),  # goes on in the next
        (0, 5000, 4 * S),  # a whole period
        (0, 10_000, 8 * S),
        (4 * S, 1, 4 * S + MS),  # periods later
        (43 * S, 2001, 44 * S + MS),
    ],
)
def test_time_to_send(start_ns: int, byte_count: int, expected_ns: int) -> None:
    """A message ends when the integral of the rate reaches its size."""
    assert TRACE.finish_ns(start_ns, byte_count) == expected_ns


def test_finish_is_rounded_up() -> None:
    """Three bit/s carry a byte in 8/3 s: the first whole nanosecond at which it is through."""
    assert RateTrace((0,), (3,), S).finish_ns(0, 1) == 2_666_666_667


def test_outage_for_ever_never_finishes() -> None:
    """A trace without any rate says so and does not hang."""
    dead = RateTrace((0,), (0,), S)
    assert dead.finish_ns(5, 1) is None
    assert dead.finish_ns(5, 0) == 5
    assert dead.bytes_between(0, 10**18) == 0


def test_rate_and_mean() -> None:
    """Boundaries belong to the later segment; the mean is over one period."""
    assert [TRACE.rate_bps_at(t) for t in (0, S - 1, S, 2 * S, 4 * S)] == [8_000, 8_000, 0, 16_000, 8_000]
    assert TRACE.mean_bps == pytest.approx(10_000)
    assert TRACE.scaled(0.25).rates_bps == (2_000, 0, 4_000)


@pytest.mark.parametrize(
    ("starts", "rates", "period"),
    [
        ((), (), 1),
        ((0,), (1, 2), 1),
        ((1,), (1,), 2),  # must start at 0
        ((0, 5, 5), (1, 1, 1), 9),  # a segment of no length
        ((0, 5), (1, 1), 5),  # the last one too
        ((0,), (-1,), 1),
    ],
)
def test_refuses_malformed(starts: tuple[int, ...], rates: tuple[int, ...], period: int) -> None:
    """Only functions of time are traces."""
    with pytest.raises(ValueError, match=r"trace"):
        RateTrace(starts, rates, period)


segments = st.lists(st.tuples(st.integers(1, 3 * S), st.integers(0, 10**8)), min_size=1, max_size=8)


@given(segments, st.integers(0, 20 * S), st.integers(1, 10**6))
def test_finish_is_the_first_instant(parts: list[tuple[int, int]], start_ns: int, byte_count: int) -> None:
    """By the finish all bytes fit through, one nanosecond earlier they do not."""
    starts = [sum(length for length, _ in parts[:i]) for i in range(len(parts))]
    trace = RateTrace(tuple(starts), tuple(rate for _, rate in parts), sum(length for length, _ in parts))
    finish_ns = trace.finish_ns(start_ns, byte_count)
    if finish_ns is None:
        assert all(rate == 0 for _, rate in parts)
        return
    assert finish_ns > start_ns
    assert trace.bytes_between(start_ns, finish_ns) >= byte_count
    assert trace.bytes_between(start_ns, finish_ns - 1) < byte_count
