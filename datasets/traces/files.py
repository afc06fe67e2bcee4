"""Readers of rate traces: a plain CSV of our own, mahimahi's format, and the logs of Ghent's 4G measurements.

CSV: a header line ``time_s,rate_mbps`` and one line for each change of rate; the first time is 0, times increase. The
last rate holds as long as the one before it did (one second when it is the only one); then the trace starts over.

mahimahi: one integer a line, not decreasing: the millisecond at which 1,500 bytes may leave. The last line is also the
period. We spread those bytes evenly over the millisecond that ends there.

Ghent: see `vedette.datasets.traces.ghent`.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from vedette.datasets.traces.ghent import COLUMN_COUNT, parse_ghent
from vedette.datasets.traces.rate_trace import RateTrace
from vedette.errors import FileFormatError, MissingDataError

CSV_HEADER: Final = "time_s,rate_mbps"
MAHIMAHI_PACKET_BYTES: Final = 1500
_MILLISECOND_NS: Final = 1_000_000
_PACKET_PER_MS_BPS: Final = MAHIMAHI_PACKET_BYTES * 8 * 1000
_FORMATS: Final = f"a CSV with header {CSV_HEADER}, a mahimahi trace or a Ghent 4G log"
MAX_TRACE_MS: Final = 24 * 3600 * 1000
MAX_RATE_MBPS: Final = 1e6
_MAX_DIGITS: Final = 18
_MAX_FILE_BYTES: Final = 100_000_000
"""Ten times a day of mahimahi lines at LTE rates; more is not a trace, and would fill the memory."""


def read_rate_trace(path: Path) -> RateTrace:
    """Read a trace; the first line tells the format.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a line is neither format's, or contradicts the ones before.
    """
    lines = _read_lines(path)
    numbered = [(number, line.strip()) for number, line in enumerate(lines, start=1)]
    filled = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    if not filled:
        raise FileFormatError(path, met="no lines", expected=_FORMATS)
    if filled[0][1].replace(" ", "") == CSV_HEADER:
        return _parse_csv(path, filled[1:])
    if len(filled[0][1].split()) == COLUMN_COUNT:
        return parse_ghent(path, filled)
    return _parse_mahimahi(path, filled)


def _read_lines(path: Path) -> list[str]:
    try:
        # a device such as /dev/zero has no end, and its size says nothing
        if path.exists() and not path.is_file():
            raise MissingDataError(f"rate trace {path} is not a file")
        if path.stat().st_size > _MAX_FILE_BYTES:
            met, expected = f"{path.stat().st_size} bytes", f"at most {_MAX_FILE_BYTES} bytes"
            raise FileFormatError(path, met=met, expected=expected)
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise MissingDataError(f"rate trace {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(path, met="bytes that are not text", expected=_FORMATS) from error


def _parse_csv(path: Path, lines: list[tuple[int, str]]) -> RateTrace:
    if not lines:
        raise FileFormatError(path, met="a header without rows", expected="one row for each change of rate")
    starts_ns: list[int] = []
    rates_bps: list[int] = []
    for number, line in lines:
        time_s, rate_mbps = _csv_row(path, number, line)
        start_ns = round(time_s * 1e9)
        if (not starts_ns and start_ns != 0) or (starts_ns and start_ns <= starts_ns[-1]):
            expected = "times that start at 0 and rise"
            raise FileFormatError(path, line=number, met=f"time {time_s:g} s", expected=expected)
        starts_ns.append(start_ns)
        rates_bps.append(round(rate_mbps * 1e6))
    last_ns = starts_ns[-1] - starts_ns[-2] if len(starts_ns) > 1 else 1_000_000_000
    return RateTrace(tuple(starts_ns), tuple(rates_bps), starts_ns[-1] + last_ns)


def _csv_row(path: Path, number: int, line: str) -> tuple[float, float]:
    try:
        time_s, rate_mbps = (float(cell) for cell in line.split(","))
    except ValueError:
        raise FileFormatError(path, line=number, met=repr(line), expected="two numbers: seconds, Mbit/s") from None
    if not (math.isfinite(time_s) and 0.0 <= time_s <= MAX_TRACE_MS / 1e3 and 0.0 <= rate_mbps <= MAX_RATE_MBPS):
        expected = f"time from 0 to {MAX_TRACE_MS / 1e3:g} s, rate from 0 to {MAX_RATE_MBPS:g} Mbit/s"
        raise FileFormatError(path, line=number, met=repr(line), expected=expected)
    return time_s, rate_mbps


def _parse_mahimahi(path: Path, lines: list[tuple[int, str]]) -> RateTrace:
    packets_by_ms: dict[int, int] = {}
    previous_ms = 0
    for number, line in lines:
        if not (line.isascii() and line.isdigit() and len(line) <= _MAX_DIGITS):
            expected = f"a whole number of milliseconds (mahimahi), or the first line of {_FORMATS}"
            raise FileFormatError(path, line=number, met=repr(line[:60]), expected=expected)
        at_ms = int(line)
        if not previous_ms <= at_ms <= MAX_TRACE_MS:
            expected = f"{previous_ms} or more, up to {MAX_TRACE_MS}"
            raise FileFormatError(path, line=number, met=f"millisecond {at_ms}", expected=expected)
        previous_ms = at_ms
        slot = max(at_ms - 1, 0)
        packets_by_ms[slot] = packets_by_ms.get(slot, 0) + 1
    if previous_ms == 0:
        raise FileFormatError(path, met="a trace that ends at millisecond 0", expected="a last line above 0")
    return _trace_from_packets(packets_by_ms, previous_ms)


def _trace_from_packets(packets_by_ms: dict[int, int], period_ms: int) -> RateTrace:
    changes_ms = {0} | {edge for slot in packets_by_ms for edge in (slot, slot + 1) if edge < period_ms}
    starts_ms = sorted(changes_ms)
    rates_bps = tuple(packets_by_ms.get(start, 0) * _PACKET_PER_MS_BPS for start in starts_ms)
    return RateTrace(tuple(start * _MILLISECOND_NS for start in starts_ms), rates_bps, period_ms * _MILLISECOND_NS)
