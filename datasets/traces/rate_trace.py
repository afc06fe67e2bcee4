"""A link's rate as a piecewise-constant function of time, integrated exactly.

      bit/s │     ┌────┐
            │ ┌───┘    │          ┌──   the trace starts over after its period
            │ │        └──────────┘
            └─┴───┴────┴──────────┴──►  ns
              0   t1   t2       period

Volumes are counted in bit/s x ns = 1e-9 bit with Python's integers, so that sums over hours stay exact and a run can be
repeated bit for bit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final

BIT_IN_VOLUME: Final = 1_000_000_000
"""One bit in units of bit/s x ns."""
BYTE_IN_VOLUME: Final = 8 * BIT_IN_VOLUME


@dataclass(frozen=True)
class RateTrace:
    """The rate of one direction of a link over time; after the last segment the trace starts over.

    Args:
        starts_ns: start of each segment; the first is 0, each later than the one before.
        rates_bps: rate of each segment in bit/s, not negative; 0 is an outage.
        period_ns: end of the last segment, where the trace starts over.

    Raises:
        ValueError: no segments, unequal lengths, starts that do not increase, or a negative rate.
    """

    starts_ns: tuple[int, ...]
    rates_bps: tuple[int, ...]
    period_ns: int

    def __post_init__(self) -> None:
        if not self.starts_ns or len(self.starts_ns) != len(self.rates_bps):
            raise ValueError(f"trace has {len(self.starts_ns)} starts and {len(self.rates_bps)} rates; expected equal")
        ends_ns = (*self.starts_ns[1:], self.period_ns)
        if self.starts_ns[0] != 0 or any(end <= start for start, end in zip(self.starts_ns, ends_ns, strict=True)):
            raise ValueError("segments of a trace must start at 0 and each be longer than 0 ns")
        if min(self.rates_bps) < 0:
            raise ValueError(f"trace has a rate of {min(self.rates_bps)} bit/s; expected 0 or more")

    @cached_property
    def _volume_before(self) -> tuple[int, ...]:
        """What went through before each segment, and last what goes through in a whole period."""
        ends_ns = (*self.starts_ns[1:], self.period_ns)
        rows = zip(self.starts_ns, ends_ns, self.rates_bps, strict=True)
        return (0, *accumulate(rate * (end - start) for start, end, rate in rows))

    @property
    def mean_bps(self) -> float:
        """Rate averaged over one period, in bit/s."""
        return self._volume_before[-1] / self.period_ns

    def rate_bps_at(self, time_ns: int) -> int:
        """The rate at an instant in bit/s; a boundary belongs to the segment that starts there."""
        return self.rates_bps[bisect_right(self.starts_ns, time_ns % self.period_ns) - 1]

    def _volume_until(self, time_ns: int) -> int:
        periods, within_ns = divmod(time_ns, self.period_ns)
        segment = bisect_right(self.starts_ns, within_ns) - 1
        partial = self.rates_bps[segment] * (within_ns - self.starts_ns[segment])
        return periods * self._volume_before[-1] + self._volume_before[segment] + partial

    def bytes_between(self, start_ns: int, end_ns: int) -> int:
        """Whole bytes that fit through between two instants, ``0 <= start_ns <= end_ns``."""
        return (self._volume_until(end_ns) - self._volume_until(start_ns)) // BYTE_IN_VOLUME

    def finish_ns(self, start_ns: int, byte_count: int) -> int | None:
        """The first instant at which a message has gone through completely.

        Args:
            start_ns: when its first bit may leave, 0 or later.
            byte_count: its size.

        Returns:
            The instant, or None when the trace never carries anything.
        """
        if byte_count == 0:
            return start_ns
        if self._volume_before[-1] == 0:
            return None
        target = self._volume_until(start_ns) + byte_count * BYTE_IN_VOLUME
        periods, before_last = divmod(target - 1, self._volume_before[-1])
        segment = bisect_right(self._volume_before, before_last) - 1
        within_ns = (before_last - self._volume_before[segment]) // self.rates_bps[segment] + 1
        return periods * self.period_ns + self.starts_ns[segment] + within_ns

    def scaled(self, factor: float) -> RateTrace:
        """The same trace with every rate multiplied by a factor, 0 or more."""
        return RateTrace(self.starts_ns, tuple(round(rate * factor) for rate in self.rates_bps), self.period_ns)


def trace_from_rates(step_ns: int, rates_bps: Sequence[int]) -> RateTrace:
    """A trace of equally long segments; equal neighbours are joined.

    Args:
        step_ns: length of each segment.
        rates_bps: their rates in bit/s.
    """
    kept = [i for i, rate in enumerate(rates_bps) if i == 0 or rate != rates_bps[i - 1]]
    return RateTrace(tuple(i * step_ns for i in kept), tuple(rates_bps[i] for i in kept), step_ns * len(rates_bps))
