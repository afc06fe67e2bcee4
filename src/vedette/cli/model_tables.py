"""What `vedette models evaluate` prints: a row for a figure, a column for a model, definitions beneath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from vedette.cli.model_trials import Outcome

_PEOPLE: Final = ("pedestrian", "cyclist")
_SHOWN: Final = (
    *(
        f"ap.r40.car.{metric}.{overlap}.{level}"
        for metric in ("bev", "3d")
        for overlap in ("0.7", "0.5")
        for level in ("easy", "moderate", "hard")
    ),
    *(f"ap.r40.van.{metric}.0.7.moderate" for metric in ("bev", "3d")),
    *(f"ap.r40.{name}.{metric}.{overlap}.moderate"
      for name in _PEOPLE for metric in ("bev", "3d") for overlap in ("0.5", "0.25")),
    *(f"f1.{name}.{metric}.0.5.r50"
      for name in ("car", "van", *_PEOPLE, "vehicle") for metric in ("bev", "3d")),
)  # fmt: skip
"""Figures that every table has; then come those of false boxes, and all shares that any model has."""
_FIRST_WORDS: Final = ("false_boxes_per_frame.", "score_cut.", "best_recall.", "recall.", "precision.", "detect_")


def figures_table(outcomes: Sequence[Outcome]) -> RichTable:
    """The figures of some models side by side, intervals in brackets.

    Args:
        outcomes: one a model.
    """
    from rich.table import Table as RichTable

    table = RichTable("figure", *(outcome.model for outcome in outcomes))
    for key in _keys(outcomes):
        table.add_row(key, *(_cell(outcome, key) for outcome in outcomes))
    return table


def _keys(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Those that some model has a figure for."""
    here = dict.fromkeys(key for outcome in outcomes for key in outcome.figures)
    ordered = [*_SHOWN, *(key for word in _FIRST_WORDS for key in here if key.startswith(word))]
    yield from (key for key in ordered if any(outcome.figures.get(key) is not None for outcome in outcomes))


def _cell(outcome: Outcome, key: str) -> str:
    value, bound = outcome.figures.get(key), outcome.intervals.get(key)
    if value is None:
        return "-"
    labels = outcome.figures.get(key.replace("recall.", "labels.", 1)) if key.startswith("recall.") else None
    of = "" if labels is None else f" of {labels:g}"
    return f"{value:.2f}{of}" + ("" if bound is None else f" ({bound.low:.2f} to {bound.high:.2f})")


def remarks(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """What the figures are about, and what they mean.

    Args:
        outcomes: one a model, of the same frames.
    """
    from vedette.evaluation.detector3d import DEFINITIONS

    counts = outcomes[0].counts
    joined = counts["frames_of_joined_sweeps"]
    yield (
        f"{counts['frames']} frames of {counts['drives']} drives; {counts['frames_set_aside']} set aside (unreadable,"
        " without labels or without a sweep)." + (f" In {joined} of them sweeps were joined." if joined else "")
    )
    yield from DEFINITIONS.values()
