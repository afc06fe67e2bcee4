"""What `vedette models evaluate` prints: a row for a figure, a column for a model, definitions beneath."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from vedette.cli.model_trials import Outcome

_PEOPLE: Final = ("pedestrian", "cyclist")
_LEVELS: Final = ("easy", "moderate", "hard")
_VIEWS: Final = ("bev", "3d")
_SHOWN: Final = (
    *(f"ap.r40.car.{view}.{iou}.{level}" for view in (*_VIEWS, "2d") for iou in ("0.7", "0.5") for level in _LEVELS),
    *(f"ap.r40.van.{view}.0.7.moderate" for view in _VIEWS),
    *(f"ap.r40.{name}.{view}.{iou}.moderate" for name in _PEOPLE for view in _VIEWS for iou in ("0.5", "0.25")),
    *(f"ap.r40.{name}.2d.0.5.{level}" for name in _PEOPLE for level in _LEVELS),
    *(f"f1.{name}.{view}.0.5.r50" for name in ("car", "van", *_PEOPLE, "vehicle") for view in _VIEWS),
    *(f"f1.{name}.2d.0.5{height}" for name in ("car", *_PEOPLE) for height in ("", ".h25-40", ".h40-80", ".h80-")),
)
"""Figures in their order; then come those that begin with one of the words."""
_FIRST_WORDS: Final = (
    "best_f1.",
    "best_cut.",
    "false_boxes_per_frame.",
    "score_cut.",
    "best_recall.",
    "recall.",
    "precision.",
    "detect_",
)
_WITH_LABELS: Final = ("f1.", "recall.")
"""Figures beside which stands how many labels they are of."""
_OF_A_RECALL: Final = "false_boxes_per_frame.car."
"""A dash tells that the recall is not reached."""
_MOST_WITH_INTERVALS: Final = 2
"""Models whose intervals have room beside one another."""


def figures_table(outcomes: Sequence[Outcome]) -> RichTable:
    """The figures of some models side by side; of one or two models with intervals in brackets.

    Args:
        outcomes: one a model.
    """
    from rich.table import Table as RichTable

    table = RichTable()
    table.add_column("figure", no_wrap=True)
    for outcome in outcomes:
        table.add_column(outcome.model, overflow="fold")
    for key in _keys(outcomes):
        cells = [_figure(outcome, key) for outcome in outcomes]
        if len(outcomes) <= _MOST_WITH_INTERVALS:
            cells = [cell + _interval(outcome, key) for cell, outcome in zip(cells, outcomes, strict=True)]
        table.add_row(key, *cells)
    return table


def _keys(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Those that some model has a figure for, and the false boxes at recalls that none of them reaches."""
    all_figures = [outcome.evaluation.figures for outcome in outcomes]
    here = dict.fromkeys(key for figures in all_figures for key in figures)
    ordered = [*_SHOWN, *(key for word in _FIRST_WORDS for key in here if key.startswith(word))]
    found = {key for figures in all_figures for key, value in figures.items() if value is not None}
    yield from (key for key in ordered if key in found or (key.startswith(_OF_A_RECALL) and key in here))


def _figure(outcome: Outcome, key: str) -> str:
    figures = outcome.evaluation.figures
    value = figures.get(key)
    if value is None:
        return "-"
    labels = figures.get(f"labels.{key.partition('.')[2]}") if key.startswith(_WITH_LABELS) else None
    return f"{value:.2f}" if labels is None else f"{value:.2f} of {labels:g}"


def _interval(outcome: Outcome, key: str) -> str:
    bound = outcome.evaluation.intervals.get(key)
    return "" if bound is None else f" ({bound.low:.2f} to {bound.high:.2f})"


def remarks(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """What the figures are about, and what they mean.

    Args:
        outcomes: one a model, of the same frames.
    """
    counts, definitions = outcomes[0].counts, outcomes[0].definitions
    joined = counts.get("frames_of_joined_sweeps")
    yield (
        f"{counts['frames']} frames of {counts['drives']} drives; {counts['frames_set_aside']} set aside (unreadable,"
        " without labels, or without what the models look at)."
        + (f" In {joined} of them sweeps were joined." if joined else "")
    )
    yield from definitions.values()
