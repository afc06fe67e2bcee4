"""Numbers with units, and spans of time, as users write them in a network spec."""

from __future__ import annotations

import math
import re
from typing import Final

from vedette.datasets.traces import Spans
from vedette.errors import ConfigError

_QUANTITY: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>[a-z]+)", re.IGNORECASE)
_RATE_UNITS_BPS: Final = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9}
_TIME_UNITS_NS: Final = {"us": 1e3, "ms": 1e6, "s": 1e9}
_SIZE_UNITS_BYTES: Final = {"b": 1.0, "kb": 1e3, "mb": 1e6}
_MAX_RATE_BPS: Final = 10**12
_MAX_TIME_NS: Final = 3600 * 10**9
_MAX_SIZE_BYTES: Final = 10**9


def parse_rate_bps(text: str) -> int:
    """A rate such as ``12mbps`` or ``500kbps``, in bit/s.

    Raises:
        ConfigError: no such number or unit, or over 1000 Gbit/s.
    """
    return _parse(text, _RATE_UNITS_BPS, "a rate such as 12mbps or 500kbps", _MAX_RATE_BPS)


def parse_time_ns(text: str) -> int:
    """A time such as ``20ms`` or ``1.5s``, in nanoseconds.

    Raises:
        ConfigError: no such number or unit, or over an hour.
    """
    return _parse(text, _TIME_UNITS_NS, "a time such as 20ms or 1.5s", _MAX_TIME_NS)


def parse_bytes(text: str) -> int:
    """A size such as ``64kB`` or ``1.5MB``, in bytes; thousands, not 1,024s.

    Raises:
        ConfigError: no such number or unit, or over 1000 MB.
    """
    return _parse(text, _SIZE_UNITS_BYTES, "a size such as 64kB or 1.5MB", _MAX_SIZE_BYTES)


def parse_number(text: str, low: float, high: float) -> float:
    """A plain number within bounds.

    Raises:
        ConfigError: not a number, or outside.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ConfigError(f"{text!r} is not a number from {low:g} to {high:g}")
    return value


def parse_spans(text: str) -> Spans:
    """Spans such as ``2s@20s/90s`` (2 s, at 20 s and at 90 s) or ``2s/30s`` (the last 2 s of every 30 s).

    Without a length they are instants: ``@20s/90s``, and ``/30s`` for every 30 s.

    Raises:
        ConfigError: not such a text, spans that overlap, or nothing of the period left.
    """
    length, at, instants = text.partition("@")
    if not at:
        length, _, period = text.partition("/")
        if not period:
            raise ConfigError(f"{text!r} is not spans of time such as 2s@20s/90s or 2s/30s")
    length_ns = parse_time_ns(length) if length.strip() else 0
    try:
        if at:
            return Spans(length_ns, tuple(parse_time_ns(one) for one in instants.split("/")))
        period_ns = parse_time_ns(period)
        first_ns = max(period_ns - length_ns, 0) if length_ns else 0
        return Spans(length_ns, (first_ns,), period_ns)
    except ValueError as error:
        raise ConfigError(f"{text!r}: {error}") from error


def _parse(text: str, units: dict[str, float], expected: str, maximum: int) -> int:
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or match["unit"].lower() not in units:
        raise ConfigError(f"{text!r} is not {expected}")
    value = float(match["number"]) * units[match["unit"].lower()]
    if value > maximum:
        raise ConfigError(f"{text[:40]!r} is too large; expected {expected}")
    return round(value)
