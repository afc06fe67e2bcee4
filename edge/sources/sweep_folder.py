"""A folder into which a LiDAR driver writes one `.bin` file a turn."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vedette.errors import MissingDataError

_POINT_BYTES: Final = 16
_SETTLE_NS: Final = 50_000_000
"""How long a file of whole points must not have changed. A driver that writes elsewhere and renames is always safe; one
that writes in place is when it pauses for less than this."""
_GIVE_UP_NS: Final = 1_000_000_000
"""How long a file that is empty, or ends in the middle of a point, may still grow before it counts as truncated."""


@dataclass(frozen=True)
class ArrivedSweep:
    """A file that is complete, or given up as truncated.

    Args:
        path: the file.
        stamp_ns: when it was first seen at its final length.
    """

    path: Path
    stamp_ns: int


@dataclass(frozen=True)
class _Growing:
    size_bytes: int
    modified_ns: int
    since_ns: int


class SweepFolder:
    """Finds the files that arrive after construction; what is there already is old and never delivered.

    Each look lists the folder, so whoever writes there should also clear it up: a thousand files cost about a
    millisecond.

    Args:
        folder: watched, without what lies below it.

    Raises:
        MissingDataError: there is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._growing: dict[str, _Growing] = {}
        self._delivered = self._names()

    def poll(self, now_ns: int) -> list[ArrivedSweep]:
        """The files that became complete since the last look, in order of arrival.

        Args:
            now_ns: the present; looks are some milliseconds apart.

        Raises:
            MissingDataError: the folder is gone.
        """
        names = self._names()
        self._delivered &= names
        self._growing = {name: file for name in names - self._delivered if (file := self._look(name, now_ns))}
        complete = {name: file for name, file in self._growing.items() if _is_complete(file, now_ns)}
        self._delivered |= complete.keys()
        in_order = sorted(complete, key=lambda name: (complete[name].modified_ns, name))
        return [ArrivedSweep(self._folder / name, complete[name].since_ns) for name in in_order]

    def _names(self) -> set[str]:
        try:
            return {name for name in os.listdir(self._folder) if name.endswith(".bin")}  # noqa: PTH208 - names only
        except (FileNotFoundError, NotADirectoryError):
            raise MissingDataError(f"{self._folder}: no such folder; expected the one that sweeps arrive in") from None

    def _look(self, name: str, now_ns: int) -> _Growing | None:
        try:
            stat = (self._folder / name).stat()
        except FileNotFoundError:  # removed since the folder was listed
            return None
        before = self._growing.get(name)
        if before is not None and (before.size_bytes, before.modified_ns) == (stat.st_size, stat.st_mtime_ns):
            return before
        return _Growing(stat.st_size, stat.st_mtime_ns, now_ns)


def _is_complete(file: _Growing, now_ns: int) -> bool:
    whole = file.size_bytes > 0 and file.size_bytes % _POINT_BYTES == 0
    return now_ns - file.since_ns >= (_SETTLE_NS if whole else _GIVE_UP_NS)
