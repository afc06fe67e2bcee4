"""From values to positions, and where to put the ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Scale(Protocol):
    """Maps values to positions along an axis."""

    def position(self, value: float) -> float:
        """Where a value lies; values outside are moved to the end."""
        ...

    def ticks(self) -> Sequence[float]:
        """Round values to mark."""
        ...


@dataclass(frozen=True)
class LinearScale:
    """Equal steps.

    Args:
        low: value at ``start``.
        high: value at ``end``, more than ``low``.
        start: position.
        end: position.
    """

    low: float
    high: float
    start: float
    end: float

    def position(self, value: float) -> float:
        """Where a value lies; values outside are moved to the end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Sequence[float]:
        """Multiples of 1, 2 or 5 times a power of ten, four to ten of them."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [i * step for i in range(first, last + 1)]


@dataclass(frozen=True)
class LogScale:
    """Equal ratios, for values over several powers of ten.

    Args:
        low: value at ``start``, above 0.
        high: value at ``end``, more than ``low``.
        start: position.
        end: position.
    """

    low: float
    high: float
    start: float
    end: float

    def position(self, value: float) -> float:
        """Where a value lies; values outside are moved to the end."""
        inside = min(max(value, self.low), self.high)
        share = math.log(inside / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> Sequence[float]:
        """1, 2 and 5 times powers of ten."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        candidates = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
        return [value for value in candidates if self.low <= value <= self.high]


def log_scale(values: Sequence[float], start: float, end: float) -> LogScale:
    """A scale that holds all values, with ends that are ticks.

    Args:
        values: above 0; may be empty.
        start: position of the lowest.
        end: position of the highest.
    """
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    low_tick = max(value for value in _one_two_five(low) if value <= low * 1.001)
    high_tick = min(value for value in _one_two_five(high) if value >= high * 0.999 and value > low_tick)
    return LogScale(low_tick, high_tick, start, end)


def _one_two_five(value: float) -> list[float]:
    power = math.floor(math.log10(value))
    return [factor * 10.0 ** (power + shift) for shift in (-1, 0, 1) for factor in (1, 2, 5)]


def linear_scale(values: Sequence[float], start: float, end: float) -> LinearScale:
    """A scale from 0 to a little more than the largest value.

    Args:
        values: 0 or more; may be empty.
        start: position of 0.
        end: position of the end.
    """
    high = max(values, default=0.0)
    return LinearScale(0.0, high * 1.05 if high > 0 else 1.0, start, end)
