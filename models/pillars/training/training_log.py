"""What a training says of its way: lines on the terminal, and a CSV that any plotting tool reads."""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

FIGURES: Final = (
    "ap.r40.car.bev.0.5",
    "ap.r40.car.bev.0.7",
    "ap.r40.car.3d.0.5",
    "ap.r40.car.3d.0.7",
    "ap.r40.van.3d.0.5",
    "ap.r40.pedestrian.3d.0.5",
    "ap.r40.cyclist.3d.0.5",
    "f1.car.bev.0.5.r50",
)
COLUMNS: Final = ("step", "seconds", "learning_rate", "heat_loss", "box_loss", "quality_loss", *FIGURES)
"""Of the CSV; a line has the losses since the last, or the figures of an evaluation. Seconds are of this start."""


class TrainingLog:
    """Writes lines to the terminal and to a CSV; a file that is there already is added to.

    Args:
        path: of the CSV.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._started = time.monotonic()
        if not path.exists():
            self._write(dict(zip(COLUMNS, COLUMNS, strict=True)))

    def add(self, values: Mapping[str, float]) -> None:
        """One line.

        Args:
            values: by column; others are shown on the terminal only.
        """
        seconds = round(time.monotonic() - self._started, 1)
        line = {"step": values["step"], "seconds": seconds, **values}
        self._write({key: line.get(key, "") for key in COLUMNS})
        sys.stdout.write("  ".join(f"{key} {value:g}" for key, value in line.items()) + "\n")
        sys.stdout.flush()

    def _write(self, row: Mapping[str, object]) -> None:
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS).writerow(row)
