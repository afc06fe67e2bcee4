"""Writing data sets: a folder that is there only when it is whole, and the files that every layout has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import cv2

from vedette.errors import ConfigError
from vedette.geometry import NDArrayUInt8

UNFINISHED: Final = "unfinished"
"""Name of the folder, within that of the data set, that everything is in while it is being written."""
_PNG_EFFORT: Final = [cv2.IMWRITE_PNG_COMPRESSION, 2]
"""A third of the time of the default for a twentieth more bytes."""


def check_new_folder(path: Path) -> None:
    """Refuse a folder that `new_folder` would, before the work begins.

    Args:
        path: where the data set shall be.

    Raises:
        ConfigError: something is there already, an interrupted run has left its folder, or it may not be written.
    """
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise ConfigError(f"cannot write to {path}: {nearest} is no folder that may be written; expected one")
    if (path / UNFINISHED).exists():
        raise ConfigError(f"{path / UNFINISHED} is there, left by an interrupted run or still being written; remove it")
    if path.exists() and any(path.iterdir()):
        raise ConfigError(f"{path} is not empty; expected a new or empty folder to write into")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, whose content moves to its place when all is written.

    What an interrupted run leaves behind stays in the folder `UNFINISHED` there. It is within the place, not beside it,
    because the place may be a volume of its own, or the current folder of a shell.

    Args:
        path: where the data set shall be: not there yet, or empty.

    Yields:
        The folder to write into.

    Raises:
        ConfigError: something is there already, an interrupted run has left its folder, or it cannot be written.
    """
    check_new_folder(path)
    unfinished = path / UNFINISHED
    try:
        unfinished.mkdir(parents=True)
        yield unfinished
        for child in sorted(unfinished.iterdir()):
            child.replace(path / child.name)
        unfinished.rmdir()
    except OSError as error:
        raise ConfigError(f"cannot write {error.filename or path}: {error.strerror}") from error


def write_image(path: Path, pixels_bgr: NDArrayUInt8) -> None:
    """Write a PNG file.

    Args:
        path: the file.
        pixels_bgr: ``(H,W,3) uint8``.

    Raises:
        OSError: it cannot be written.
    """
    _, data = cv2.imencode(".png", pixels_bgr, _PNG_EFFORT)
    path.write_bytes(data.tobytes())


def append_text(path: Path, text: str) -> None:
    """Add text to the end of a file, which need not be there yet.

    Args:
        path: the file.
        text: to add.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
