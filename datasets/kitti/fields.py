"""Reading text fields with errors that say where: what every text file of KITTI shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vedette.errors import FileFormatError, MissingDataError

MAX_NUMBER: Final = 1e9
"""No length, angle, pixel or index of KITTI comes near; what lies beyond overflows where it is used."""


def read_text(path: Path, what: str) -> str:
    """Read a text file.

    Args:
        path: the file.
        what: what it is, for the message, for example ``label file``.

    Raises:
        MissingDataError: it is not there, or cannot be read.
        FileFormatError: it is not UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingDataError(f"{path}: no such {what}") from None
    except OSError as error:
        raise MissingDataError(f"{path}: the {what} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FileFormatError(path, met=f"not text ({error})", expected=f"a {what}") from None


def parse_numbers(fields: Sequence[str], path: Path, line: int, expected: str) -> list[float]:
    """Read numbers that are finite and at most `MAX_NUMBER` in size.

    Args:
        fields: the texts.
        path: the file they come from.
        line: its 1-based line.
        expected: what the line should hold, for the message.

    Raises:
        FileFormatError: a field is not a number, not finite, or too large.
    """
    values = []
    for field in fields:
        try:
            value = float(field)
        except ValueError:
            raise FileFormatError(path, line=line, met=f"{field[:40]!r} is not a number", expected=expected) from None
        if not math.isfinite(value):
            raise FileFormatError(path, line=line, met=f"{field!r} is not finite", expected=expected)
        if abs(value) > MAX_NUMBER:
            raise FileFormatError(path, line=line, met=f"{field[:40]!r} is over {MAX_NUMBER:g}", expected=expected)
        values.append(value)
    return values
