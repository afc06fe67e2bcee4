"""The 4G logs of Ghent University: one line for about every second of a long download on a phone.

    1453121790686  39287  51.0386528885778  3.73220785642186  2493100  1000
    epoch, ms      since  latitude, deg     longitude, deg    bytes    ms
                   the start, ms                              since the line before

The rate of a line is its bytes over its own last column (https://users.ugent.be/~jvdrhoof/dataset-4g/); where lines are
missing, that time is left out of the trace. The older HSDPA logs of Simula have the same columns, with an epoch in
seconds. Both are of downloads: an uplink is slower, and the network spec's ``uplink=`` says by how much.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from vedette.datasets.traces.rate_trace import RateTrace
from vedette.errors import FileFormatError

COLUMN_COUNT: Final = 6
_MS: Final = 1_000_000
_MAX_BYTES: Final = 10**12
_MAX_STEP_MS: Final = 3_600_000
_COLUMNS: Final = "epoch ms, elapsed ms, latitude, longitude, bytes since last, ms since last"


def parse_ghent(path: Path, lines: list[tuple[int, str]]) -> RateTrace:
    """Make a trace of a log's lines.

    Args:
        path: of the log, for errors.
        lines: number and text of each line that is not empty.

    Raises:
        FileFormatError: a line that is not six numbers, goes back in time, or has bytes in no time; or no time at all.
    """
    starts_ns: list[int] = []
    rates_bps: list[int] = []
    end_ns = 0
    previous_ms = -1
    for number, line in lines:
        elapsed_ms, byte_count, step_ms = _row(path, number, line)
        if elapsed_ms <= previous_ms:
            met, expected = f"{elapsed_ms} ms elapsed", f"more than {previous_ms}, as on the line before"
            raise FileFormatError(path, line=number, met=met, expected=expected)
        previous_ms = elapsed_ms
        if step_ms == 0:  # the point in time from which the next line counts
            continue
        starts_ns.append(end_ns)
        rates_bps.append(round(byte_count * 8000 / step_ms))
        end_ns += step_ms * _MS
    if not starts_ns:
        raise FileFormatError(path, met="lines that last no time", expected="one with ms since last above 0")
    return RateTrace(tuple(starts_ns), tuple(rates_bps), end_ns)


def _row(path: Path, number: int, line: str) -> tuple[int, int, int]:
    """Elapsed milliseconds, bytes and milliseconds since the line before."""
    cells = line.split()
    try:
        epoch_ms, elapsed_ms, byte_count, step_ms = (int(cells[i]) for i in (0, 1, 4, 5))
        position_deg = [float(cell) for cell in cells[2:4]]
    except (ValueError, IndexError):
        raise FileFormatError(path, line=number, met=repr(line[:90]), expected=f"six numbers: {_COLUMNS}") from None
    if len(cells) != COLUMN_COUNT or not all(math.isfinite(angle) for angle in position_deg):
        raise FileFormatError(path, line=number, met=repr(line[:90]), expected=f"six numbers: {_COLUMNS}")
    in_range = 0 <= byte_count <= _MAX_BYTES and 0 <= step_ms <= _MAX_STEP_MS and min(epoch_ms, elapsed_ms) >= 0
    if not in_range or (step_ms == 0 and byte_count > 0):
        expected = f"times of 0 or more, 0 to {_MAX_BYTES:g} bytes in 1 to {_MAX_STEP_MS} ms"
        raise FileFormatError(path, line=number, met=repr(line[:90]), expected=expected)
    return elapsed_ms, byte_count, step_ms
