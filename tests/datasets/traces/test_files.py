"""Readers of rate traces."""

from __future__ import annotations

from pathlib import Path

import pytest

from vedette.datasets.traces import read_rate_trace
from vedette.errors import FileFormatError, MissingDataError

MS = 1_000_000


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "trace.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_csv(tmp_path: Path) -> None:
    """Comments and blank lines are skipped; the last rate holds as long as the one before."""
    trace = read_rate_trace(written(tmp_path, "# uplink\ntime_s, rate_mbps\n0,12\n\n1.5,0.5\n2,0\n"))
    assert trace.starts_ns == (0, 1500 * MS, 2000 * MS)
    assert trace.rates_bps == (12_000_000, 500_000, 0)
    assert trace.period_ns == 2500 * MS


def test_csv_of_one_row(tmp_path: Path) -> None:
    """A single row is a constant rate."""
    trace = read_rate_trace(written(tmp_path, "time_s,rate_mbps\n0,3\n"))
    assert trace.finish_ns(0, 375_000) == 1000 * MS


def test_mahimahi(tmp_path: Path) -> None:
    """Two packets by millisecond 1, one by 3, one by 5: a packet's bytes are through at its millisecond."""
    trace = read_rate_trace(written(tmp_path, "1\n1\n3\n5\n"))
    assert trace.period_ns == 5 * MS
    assert [trace.finish_ns(0, packets * 1500) for packets in (1, 2, 3, 4, 5)] == [
        MS // 2,
        MS,
        3 * MS,
        5 * MS,
        5 * MS + MS // 2,
    ]
    assert trace.bytes_between(0, 5 * MS) == 6000


def test_mahimahi_long_silence_is_small(tmp_path: Path) -> None:
    """A day without packets does not take a day's worth of memory."""
    assert len(read_rate_trace(written(tmp_path, "1\n86400000\n")).starts_ns) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no lines"),
        ("# only a comment\n", "no lines"),
        ("time_s,rate_mbps\n", "without rows"),
        ("time_s,rate_mbps\n0,1,2\n", r":2: '0,1,2'"),
        ("time_s,rate_mbps\n0,fast\n", r":2:"),
        ("time_s,rate_mbps\n1,5\n", "start at 0"),
        ("time_s,rate_mbps\n0,5\n0,6\n", r":3:.*rise"),
        ("time_s,rate_mbps\n0,-5\n", "rate from 0"),
        ("time_s,rate_mbps\n0,nan\n", "rate from 0"),
        ("1\n2\nx\n", r":3: 'x'"),
        ("1\n" + "9" * 5000 + "\n", r":2: '999"),
        ("5\n4\n", r":2: millisecond 4"),
        ("0\n", "ends at millisecond 0"),
        ("-1\n", r":1:"),
        ("99999999999\n", r"up to"),
    ],
)
def test_refuses(tmp_path: Path, text: str, message: str) -> None:
    """A wrong file is refused with its line and what was expected."""
    with pytest.raises(FileFormatError, match=message):
        read_rate_trace(written(tmp_path, text))


def test_missing_and_binary(tmp_path: Path) -> None:
    """A file that is not there, or is not text, has a clear error."""
    with pytest.raises(MissingDataError, match="cannot be read"):
        read_rate_trace(tmp_path / "none.csv")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="not text"):
        read_rate_trace(tmp_path / "b")


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    """A device or a folder is no trace, and neither is a file that would fill the memory."""
    for path in (Path("/dev/zero"), tmp_path):
        with pytest.raises(MissingDataError, match="is not a file"):
            read_rate_trace(path)
    huge = tmp_path / "huge.csv"
    with huge.open("wb") as file:
        file.truncate(1_000_000_000)
    with pytest.raises(FileFormatError, match="1000000000 bytes; expected at most"):
        read_rate_trace(huge)
