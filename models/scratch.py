"""Hidden folders for work in hand, beside what it becomes. What killed processes left behind is cleared away.

A file in each is locked while its process lives, however that ends: a clock, which may be stepped, is not asked how
long a download can take.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_PREFIX: Final = ".pending-"
_LOCK: Final = ".lock"
_YOUNG_S: Final = 5.0
"""A folder so young may be one that is about to be locked."""


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """A folder that is gone afterwards.

    Args:
        parent: of the folder; made.

    Raises:
        OSError: it cannot be written.
    """
    parent.mkdir(parents=True, exist_ok=True)
    for left in parent.glob(f"{_PREFIX}*"):
        if _is_abandoned(left):
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent) as folder, _locked(Path(folder)):
        yield Path(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Until then, or until the process ends, in whatever way. A file: NFS locks nothing that cannot be written."""
    with (folder / _LOCK).open("w", encoding="utf-8") as lock:
        _take(lock)
        yield


def _take(lock: IO[str]) -> None:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_abandoned(folder: Path) -> bool:
    """Looks without making the file anew: it would stand in the way of a process that is removing its folder."""
    try:
        if abs(time.time() - folder.stat().st_mtime) < _YOUNG_S:
            return False
        with (folder / _LOCK).open("r+", encoding="utf-8") as lock:
            _take(lock)
    except FileNotFoundError:  # killed before it was locked, or gone by now
        return True
    except OSError:  # in hand
        return False
    return True
