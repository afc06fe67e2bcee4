"""Rate traces made from a few numbers and, where chance is involved, a seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from vedette.datasets.traces.rate_trace import RateTrace, trace_from_rates
from vedette.datasets.traces.spans import Spans
from vedette.geometry import NDArrayBool

_SECOND_NS: Final = 1_000_000_000
FADING_STEP_NS: Final = 100_000_000
FADING_DURATION_NS: Final = 600 * _SECOND_NS
DAY_NS: Final = 24 * 3600 * _SECOND_NS


def constant_trace(rate_bps: int) -> RateTrace:
    """The same rate for ever, in bit/s."""
    return RateTrace((0,), (rate_bps,), _SECOND_NS)


def step_trace(rates_bps: Sequence[int], dwell_ns: int) -> RateTrace:
    """Rates in turn, each held for the same time, over and over; a rate of 0 is an outage.

    Args:
        rates_bps: the levels in bit/s.
        dwell_ns: how long each lasts.
    """
    return trace_from_rates(dwell_ns, rates_bps)


def blackout_trace(rate_bps: int, outages: Spans) -> RateTrace:
    """One rate with outages between; those that do not come again and again start over after a day.

    Args:
        rate_bps: outside the outages, in bit/s.
        outages: when nothing goes through; all within a day.

    Raises:
        ValueError: outages that last no time, or lie beyond a day.
    """
    if outages.length_ns == 0:
        raise ValueError("outages of 0 ns are none")
    period_ns = outages.period_ns or DAY_NS
    level_bps = {0: rate_bps}
    for start_ns in outages.starts_ns:
        level_bps[start_ns] = 0
        level_bps.setdefault(start_ns + outages.length_ns, rate_bps)
    level_bps.pop(period_ns, None)
    starts_ns = sorted(level_bps)
    return RateTrace(tuple(starts_ns), tuple(level_bps[start] for start in starts_ns), period_ns)


def fading_trace(
    seed: int,
    mean_bps: float,
    *,
    spread: float = 0.4,
    correlation_s: float = 1.0,
    outage_share: float = 0.0,
    outage_s: float = 1.0,
) -> RateTrace:
    """A mobile link: log-normal rate with exponential memory, and now and then nothing at all.

    The logarithm of the rate is a first-order autoregressive process sampled every 100 ms for ten minutes. Outages are
    a two-state Markov chain, their lengths geometric. At the end everything is scaled so that the trace's own mean is
    ``mean_bps`` to rounding.

    Args:
        seed: the same seed gives the same trace on every machine with the same numpy.
        mean_bps: mean rate in bit/s.
        spread: standard deviation of the rate's natural logarithm: 0.4 means mostly within a factor of 1.5.
        correlation_s: time in which the memory falls to 1/e; larger makes good and bad spells last longer.
        outage_share: share of time without any rate, 0 to below 1.
        outage_s: how long an outage lasts on average, in seconds; 1 or more.
    """
    random = np.random.default_rng(seed)
    count = FADING_DURATION_NS // FADING_STEP_NS
    step_s = FADING_STEP_NS / _SECOND_NS
    memory = math.exp(-step_s / correlation_s)
    log_rate = np.empty(count)
    log_rate[0] = random.normal(0.0, spread)
    innovations = random.normal(0.0, spread * math.sqrt(1.0 - memory**2), count)
    for i in range(1, count):
        log_rate[i] = memory * log_rate[i - 1] + innovations[i]
    rates = np.exp(log_rate) * ~_outages(random, count, step_s / outage_s, outage_share)
    return trace_from_rates(FADING_STEP_NS, [round(rate) for rate in (rates * (mean_bps / rates.mean())).tolist()])


def _outages(random: np.random.Generator, count: int, leave: float, share: float) -> NDArrayBool:
    """``(count,) bool``: a two-state chain with that stationary share; ``leave`` is its chance to end at each step."""
    enter = leave * share / (1.0 - share)
    draws = random.random(count)
    out = np.zeros(count, dtype=bool)
    for i in range(1, count):
        out[i] = draws[i] >= leave if out[i - 1] else draws[i] < enter
    return out
