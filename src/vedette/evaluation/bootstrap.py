"""How far a figure could have come out otherwise, had other drives been recorded.

Frames of one drive show the same streets and often the same parked cars, so drives are drawn, not frames (Efron and
Tibshirani, "An introduction to the bootstrap", 1993, section 13.3: percentile intervals): as many as there are, with
replacement, many times; of the figure's values the middle 95 % are the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

INTERVAL: Final = (2.5, 97.5)
"""Percentiles."""
DEFINITION: Final = (
    "In brackets: 95 % intervals, by drawing drives with replacement; none with one drive. Draws that do not define a "
    "figure are left out (interval95_draws says how many were used); draws with fewer than 41 labels have a low R40."
)
"""What to print beside intervals."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Interval:
    """Where a figure may lie.

    Args:
        low: its lower end.
        high: its upper end.
        draws: how many of the draws define the figure. Where that is less than all, the others are left out: of false
            boxes at a recall, those in which no score cut reaches it, so that the ends are then rather too low.
    """

    low: float
    high: float
    draws: int


@dataclass(frozen=True)
class Evaluation:
    """Figures and how sure they are.

    Args:
        figures: by key; None where not defined.
        intervals: of some, by key; none at all where none were asked for.
    """

    figures: dict[str, float | None]
    intervals: dict[str, Interval | None]


def by_drive(frames: Iterable[Item], drive_of: Callable[[Item], str]) -> list[list[Item]]:
    """The frames of each drive.

    Args:
        frames: in any order.
        drive_of: the name of a frame's drive.
    """
    drives: dict[str, list[Item]] = {}
    for frame in frames:
        drives.setdefault(drive_of(frame), []).append(frame)
    return list(drives.values())


def intervals(
    drives: Sequence[Sequence[Item]],
    figures_of: Callable[[Sequence[Item]], Mapping[str, float | None]],
    resamples: int,
    seed: int = 0,
) -> dict[str, Interval | None]:
    """Intervals of figures.

    Args:
        drives: the frames of each.
        figures_of: the figures of some frames; a figure that is not defined there is None or missing.
        resamples: how often drives are drawn; 200 steady an interval to about a tenth of its width, 0 give none.
        seed: of the draws.

    Returns:
        Intervals by figure; None where there are fewer than two drives, or where no draw defines the figure.
    """
    if resamples == 0:
        return {}
    names = [
        name for name, value in figures_of([item for drive in drives for item in drive]).items() if value is not None
    ]
    if len(drives) < 2:
        return dict.fromkeys(names)
    rng = np.random.default_rng(seed)
    values: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(resamples):
        drawn = rng.integers(len(drives), size=len(drives)).tolist()
        for name, value in figures_of([item for number in drawn for item in drives[number]]).items():
            if name in values and value is not None:
                values[name].append(value)
    return {name: _middle(drawn_values) for name, drawn_values in values.items()}


def _middle(values: Sequence[float]) -> Interval | None:
    if not values:
        return None
    low, high = np.percentile(values, INTERVAL).tolist()
    return Interval(low, high, len(values))
