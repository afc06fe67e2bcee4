"""Capture times: recorded ones where the layout has them, otherwise 10 Hz assumed.

A KITTI sweep is stamped three times: when the scanner starts the turn (looking backward), when it faces forward (this
fires the cameras), and when the turn ends. Files hold one line a frame, `2011-09-26 13:04:32.345808896`. KITTI does not
name a time zone; the times are taken as UTC.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.kitti.fields import read_text
from vedette.errors import FileFormatError
from vedette.frames import TimeBase
from vedette.geometry import NDArrayInt

PERIOD_NS: Final = 100_000_000
"""KITTI's scanner turns at 10 Hz."""

_TIME: Final = re.compile(r"(19[7-9]|2[01]\d)\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,9})?", re.ASCII)
"""From 1970 to 2199."""
_EXPECTED: Final = "a time such as 2011-09-26 13:04:32.345808896"


@dataclass(frozen=True)
class FrameTimes:
    """When one frame was captured.

    Args:
        stamp_ns: exposure of the image, the time that boxes speak about.
        sweep_start_ns: first return of the sweep.
        sweep_end_ns: last return of the sweep.
    """

    stamp_ns: int
    sweep_start_ns: int
    sweep_end_ns: int


@dataclass(frozen=True)
class TimestampFiles:
    """Where a layout keeps a recording's capture times; any of them may be absent.

    Args:
        image: exposure of the image.
        sweep_middle: the scanner faces forward.
        sweep_start: the turn starts.
        sweep_end: the turn ends.
    """

    image: Path
    sweep_middle: Path
    sweep_start: Path
    sweep_end: Path


@dataclass(frozen=True)
class Timeline:
    """Capture times of a recording, by frame number.

    Args:
        stamps_ns: ``(N,) int64`` times of frames 0 to N-1, or None where 10 Hz is assumed from time 0 at frame 0.
        sweep_bounds_ns: ``(N,2) int64`` start and end of each sweep, or None where half a turn to either side of the
            stamp is assumed.
        path: the file of the stamps, named in errors; None where 10 Hz is assumed.
    """

    stamps_ns: NDArrayInt | None
    sweep_bounds_ns: NDArrayInt | None
    path: Path | None

    @property
    def time_base(self) -> TimeBase:
        """Whether the times were recorded or are assumed."""
        return TimeBase.ASSUMED_10_HZ if self.stamps_ns is None else TimeBase.RECORDED

    @property
    def frame_count(self) -> int:
        """How many frames the recorded times speak of; 0 where they are assumed."""
        return 0 if self.stamps_ns is None else len(self.stamps_ns)

    def times(self, frame: int) -> FrameTimes:
        """When a frame was captured.

        Args:
            frame: its number, from 0.

        Raises:
            FileFormatError: the recorded times end before it.
        """
        if self.path is not None and frame >= self.frame_count:
            raise FileFormatError(self.path, met=f"{self.frame_count} times", expected=f"one for frame {frame} too")
        stamp_ns = frame * PERIOD_NS if self.stamps_ns is None else int(self.stamps_ns[frame])
        if self.sweep_bounds_ns is None:
            return FrameTimes(stamp_ns, stamp_ns - PERIOD_NS // 2, stamp_ns + PERIOD_NS // 2)
        start_ns, end_ns = self.sweep_bounds_ns[frame]
        return FrameTimes(stamp_ns, int(start_ns), int(end_ns))


ASSUMED_TIMELINE: Final = Timeline(None, None, None)
"""10 Hz from time 0 at frame 0."""


def read_timeline(files: TimestampFiles) -> Timeline:
    """Read the capture times of a recording.

    The stamp is the image's time, or the middle of the sweep where there are no image times.

    Args:
        files: where they would be.

    Raises:
        FileFormatError: a line is not a time, frames are not in order, or the files differ in length.
    """
    path = next((path for path in (files.image, files.sweep_middle) if path.is_file()), None)
    if path is None:
        return ASSUMED_TIMELINE
    stamps_ns = read_timestamps(path)
    if not (files.sweep_start.is_file() and files.sweep_end.is_file()):
        return Timeline(stamps_ns, None, path)
    bounds = [read_timestamps(part) for part in (files.sweep_start, files.sweep_end)]
    for part, times in zip((files.sweep_start, files.sweep_end), bounds, strict=True):
        if len(times) != len(stamps_ns):
            raise FileFormatError(part, met=f"{len(times)} times", expected=f"{len(stamps_ns)} as in {path}")
    return Timeline(stamps_ns, np.stack(bounds, axis=1), path)


def read_timestamps(path: Path) -> NDArrayInt:
    """Read one file of times.

    Args:
        path: one time a line.

    Returns:
        ``(N,) int64`` nanoseconds since 1970, UTC, rising.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a line is not a time, or not later than the one before.
    """
    lines = read_text(path, "timestamp file").rstrip().splitlines()
    times = np.array([_nanoseconds(line, path, number) for number, line in enumerate(lines, start=1)], dtype=np.int64)
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        line = int(late[0]) + 2
        raise FileFormatError(path, line=line, met=lines[line - 1], expected=f"a time after {lines[line - 2]}")
    return times


def _nanoseconds(line: str, path: Path, number: int) -> int:
    # numpy alone would take "now", dates without a time, zones, and years that int64 nanoseconds do not reach
    if _TIME.fullmatch(line.strip()) is None:
        raise FileFormatError(path, line=number, met=repr(line[:60]), expected=_EXPECTED)
    try:
        time = np.datetime64(line.strip(), "ns")
    except ValueError:
        raise FileFormatError(path, line=number, met=repr(line[:60]), expected=_EXPECTED) from None
    return int(time.astype(np.int64))
