"""What a training says of its way: lines on the terminal, and a CSV that any plotting tool reads."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from vedette.errors import FileFormatError

PLACE: Final = ("step", "seconds", "learning_rate")
"""The first columns of every CSV. Seconds are of this start."""
_EXPECTED: Final = "what a training has written, or no such file"


class TrainingLog:
    """Writes lines to the terminal and to a CSV, each with the losses since the last, or the figures of an evaluation.

    A file that is there already is added to. Lines of steps after the checkpoint, which was all that was left of a
    training that was killed, are taken out first: those steps are taken again.

    Args:
        path: of the CSV.
        columns: after `PLACE`; losses, then figures.
        step: that the training goes on from.

    Raises:
        FileFormatError: the file that is there is none of a training.
    """

    def __init__(self, path: Path, columns: Sequence[str], step: int = 0) -> None:
        self._path = path
        self._columns = (*PLACE, *columns)
        self._started = time.monotonic()
        self._write("w", [row for row in _rows(path) if int(row["step"]) <= step], header=True)

    def add(self, values: Mapping[str, float]) -> None:
        """One line.

        Args:
            values: by column, `step` among them; others are shown on the terminal only.
        """
        seconds = round(time.monotonic() - self._started, 1)
        line = {"step": values["step"], "seconds": seconds, **values}
        self._write("a", [line], header=False)
        sys.stdout.write("  ".join(f"{key} {value:g}" for key, value in line.items()) + "\n")
        sys.stdout.flush()

    def _write(self, mode: str, rows: Iterable[Mapping[str, object]], *, header: bool) -> None:
        with self._path.open(mode, encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self._columns, restval="", extrasaction="ignore")
            if header:
                writer.writeheader()
            writer.writerows(rows)


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(path, met=f"no CSV ({error})", expected=_EXPECTED) from error
    for number, row in enumerate(rows, start=2):
        step = row.get("step") or ""
        if not step.isdecimal():
            raise FileFormatError(path, met=f"step {step!r} in line {number}", expected=_EXPECTED)
    return rows
