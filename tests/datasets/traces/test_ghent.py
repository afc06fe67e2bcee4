"""The reader of Ghent's 4G logs; the lines are our own, in its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.datasets.traces import RateTrace, read_rate_trace
from vedette.errors import FileFormatError

MS = 1_000_000


def read(tmp_path: Path, text: str) -> RateTrace:
    path = tmp_path / "report.log"
    path.write_text(text, encoding="utf-8")
    return read_rate_trace(path)


def test_rates_are_bytes_over_milliseconds(tmp_path: Path) -> None:
    """250 kB in 1 s are 2 Mbit/s, 125 kB in 500 ms too; leading zeros and tabs are the format's."""
    trace = read(
        tmp_path,
        "1500000000000 39287 51.05 3.72 250000 1000\n"
        "1500000000999\t40286\t51.06\t3.73\t999000\t0999\n\n"
        "1500000001499 40786 51.07 3.74 0 500\n",
    )
    assert trace.starts_ns == (0, 1000 * MS, 1999 * MS)
    assert trace.rates_bps == (2_000_000, 8_000_000, 0)
    assert trace.period_ns == 2499 * MS
    assert trace.bytes_between(0, trace.period_ns) == 250_000 + 999_000


def test_a_first_line_may_only_mark_the_time(tmp_path: Path) -> None:
    """Nothing in no time; time missing between two lines is left out."""
    trace = read(
        tmp_path, "1500000000 0 51.05 3.72 0 0\n1500000001 1000 51 3 1000 1000\n1500000009 9000 51 3 500 1000\n"
    )
    assert (trace.starts_ns, trace.rates_bps, trace.period_ns) == ((0, 1000 * MS), (8000, 4000), 2000 * MS)


GOOD = "1500000000000 1000 51.05 3.72 250000 1000\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD + "1500000001000 2000 51.05 3.72 250000\n", r":2: .*six numbers: epoch ms, elapsed ms"),
        (GOOD + GOOD.replace(" 1000 51", " 2000 51").replace("1000\n", "1000 7\n"), r":2: .*six numbers"),
        (GOOD + "1500000001000 2000 51.05 3.72 many 1000\n", r":2: .*six numbers"),
        (GOOD + "1500000001000 2000 nan 3.72 5 1000\n", r":2: .*six numbers"),
        (GOOD + GOOD, r":2: 1000 ms elapsed; expected more than 1000"),
        (GOOD + "1500000001000 2000 51.05 3.72 -5 1000\n", r":2: .*0 to 1e\+12 bytes"),
        (GOOD + "1500000001000 2000 51.05 3.72 5 0\n", r":2: .*bytes in 1 to"),
        (GOOD + "1500000001000 2000 51.05 3.72 5 9999999\n", r":2: .*3600000 ms"),
        ("1500000000000 -1 51.05 3.72 5 1000\n", r":1: .*times of 0 or more"),
        ("1500000000000 1000 51.05 3.72 0 0\n", "last no time"),
        ("1 2 3 4 5\n", r"Ghent 4G log"),
        (GOOD + f"1500000001000 {'9' * 5000} 51.05 3.72 5 1000\n", r":2:"),
    ],
)
def test_refuses(tmp_path: Path, text: str, message: str) -> None:
    """A wrong line is named, and what would be right."""
    with pytest.raises(FileFormatError, match=message):
        read(tmp_path, text)
