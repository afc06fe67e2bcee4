"""Recorded capture times, and assumed ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.kitti.timestamps import (
    ASSUMED_TIMELINE,
    FrameTimes,
    TimestampFiles,
    read_timeline,
    read_timestamps,
)
from vedette.errors import FileFormatError, MissingDataError
from vedette.frames import TimeBase

# 2011-09-26 00:00 UTC in seconds since 1970: 15243 days
DAY_NS = 15_243 * 86_400 * 10**9
LINES = ["2011-09-26 00:00:01.000000001", "2011-09-26 00:00:01.103000002", "2011-09-26 00:00:01.206000003"]


def files(folder: Path) -> TimestampFiles:
    """Four names in one folder."""
    return TimestampFiles(*(folder / f"{name}.txt" for name in ("image", "middle", "start", "end")))


def write(path: Path, lines: list[str]) -> None:
    """One time a line."""
    path.write_text("".join(f"{line}\n" for line in lines))


def shifted(milliseconds: int) -> list[str]:
    """The lines, later by less than a second."""
    times = np.array(LINES, dtype="datetime64[ns]") + np.timedelta64(milliseconds, "ms")
    return [str(time).replace("T", " ") for time in times]


def test_nanoseconds_are_kept(tmp_path: Path) -> None:
    """A float would lose the last three digits."""
    write(tmp_path / "times.txt", LINES)
    times = read_timestamps(tmp_path / "times.txt")
    assert (times - DAY_NS).tolist() == [1_000_000_001, 1_103_000_002, 1_206_000_003]


def test_ten_hertz_is_assumed_without_files(tmp_path: Path) -> None:
    """Frame 7 at 0.7 s, its sweep half a turn to either side."""
    timeline = read_timeline(files(tmp_path))
    assert timeline is ASSUMED_TIMELINE
    assert timeline.time_base is TimeBase.ASSUMED_10_HZ
    assert timeline.times(7) == FrameTimes(700_000_000, 650_000_000, 750_000_000)


def test_image_time_is_the_stamp(tmp_path: Path) -> None:
    """And the sweep has its own start and end."""
    for part, milliseconds in (("image", 10), ("middle", 0), ("start", -50), ("end", 53)):
        write(tmp_path / f"{part}.txt", shifted(milliseconds))
    timeline = read_timeline(files(tmp_path))
    assert timeline.time_base is TimeBase.RECORDED
    assert timeline.frame_count == 3
    assert timeline.times(1) == FrameTimes(DAY_NS + 1_113_000_002, DAY_NS + 1_053_000_002, DAY_NS + 1_156_000_002)


def test_middle_of_the_sweep_stands_in_for_the_image(tmp_path: Path) -> None:
    """Without start and end, half a turn is assumed to either side."""
    write(tmp_path / "middle.txt", LINES)
    times = read_timeline(files(tmp_path)).times(0)
    assert times == FrameTimes(DAY_NS + 1_000_000_001, DAY_NS + 950_000_001, DAY_NS + 1_050_000_001)


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ([LINES[0], "", LINES[2]], 2, "''; expected a time such as"),
        ([LINES[0], "noon"], 2, "'noon'; expected a time such as"),
        ([LINES[0], "NaT"], 2, "'NaT'; expected a time such as"),
        ([LINES[0], "now"], 2, "'now'; expected a time such as"),
        ([LINES[0], "9999-01-01 00:00:00"], 2, "expected a time such as"),
        ([LINES[0], "2011-09-26 13:04:32Z"], 2, "expected a time such as"),
        ([LINES[0], "2011-99-26 13:04:32"], 2, "expected a time such as"),
        ([LINES[1], LINES[0]], 2, f"expected a time after {LINES[1]}"),
        ([LINES[0], LINES[0]], 2, f"expected a time after {LINES[0]}"),
    ],
)
def test_wrong_lines_are_refused(tmp_path: Path, lines: list[str], line: int, message: str) -> None:
    """Naming the line; time does not stand still or run backward."""
    path = tmp_path / "image.txt"
    write(path, lines)
    with pytest.raises(FileFormatError) as caught:
        read_timeline(files(tmp_path))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    """One of them would be shifted."""
    for part in ("image", "start"):
        write(tmp_path / f"{part}.txt", LINES)
    write(tmp_path / "end.txt", LINES[:2])
    with pytest.raises(FileFormatError, match=r"end\.txt: 2 times; expected 3"):
        read_timeline(files(tmp_path))


def test_frames_beyond_the_times_are_refused(tmp_path: Path) -> None:
    """Their time is not known."""
    write(tmp_path / "image.txt", LINES)
    with pytest.raises(FileFormatError, match="3 times; expected one for frame 3 too"):
        read_timeline(files(tmp_path)).times(3)


def test_missing_file(tmp_path: Path) -> None:
    """Says which."""
    with pytest.raises(MissingDataError, match="no such timestamp file"):
        read_timestamps(tmp_path / "times.txt")
