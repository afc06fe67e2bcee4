"""The figures that the table on the terminal and the page show, as rows over policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from vedette.evaluation.targets import TARGETS


class Better(Enum):
    """Which direction of a figure is the better one."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True)
class Row:
    """One figure for every policy.

    Args:
        group: heading that it stands under.
        label: what it is, for people.
        values: one per run; None where it is not defined.
        digits: after the decimal point.
        better: whether more or less of it is better.
    """

    group: str
    label: str
    values: tuple[float | None, ...]
    digits: int = 1
    better: Better = Better.NEITHER

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as they are shown."""
        return tuple("–" if value is None else f"{value:,.{self.digits}f}" for value in self.values)

    @property
    def best(self) -> frozenset[int]:
        """Positions of the best value; none where all are alike or no direction is better."""
        known = [value for value in self.values if value is not None]
        if self.better is Better.NEITHER or len(known) < 2 or min(known) == max(known):
            return frozenset()
        top = max(known) if self.better is Better.HIGHER else min(known)
        return frozenset(i for i, value in enumerate(self.values) if value == top)


_ACCURACY: Final = (  # plain streaming last: while the vehicle drives it is near 0 without forecasts
    ("f1.{}.3d.0.5.r50", "F1, 3D IoU 0.5, to 50 m"),
    ("f1.{}.bev.0.7.r50", "F1, BEV IoU 0.7, to 50 m"),
    ("ap.r40.{}.3d.0.5.moderate", "AP R40, 3D IoU 0.5, moderate"),
    ("ap.r40.{}.bev.0.7.moderate", "AP R40, BEV IoU 0.7, moderate"),
    ("streaming_carried_f1.{}.3d.0.5.r50", "streaming F1, boxes carried on, 3D IoU 0.5, to 50 m"),
    ("streaming_carried_ap.r40.{}.3d.0.5.moderate", "streaming AP R40, boxes carried on, 3D IoU 0.5, moderate"),
    ("streaming_f1.{}.3d.0.5.r50", "streaming F1, 3D IoU 0.5, to 50 m"),
    ("streaming_ap.r40.{}.3d.0.5.moderate", "streaming AP R40, 3D IoU 0.5, moderate"),
)
_IDENTITY: Final = (
    ("idf1", "IDF1, 3D IoU 0.5, to 50 m", 1, Better.HIGHER),
    ("id_switches", "identity switches of {objects:.0f} objects", 0, Better.LOWER),
    ("fragmentations", "fragmentations of {objects:.0f} objects", 0, Better.LOWER),
)


def summary_rows(runs: Sequence[Mapping[str, Any]]) -> list[Row]:
    """All rows, group by group.

    Args:
        runs: of the report's document.
    """
    return [*_accuracy_rows(runs), *_time_rows(runs), *_cost_rows(runs)]


def _accuracy_rows(runs: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    for target in TARGETS:
        labels = runs[0].get(f"labels.{target.name}.3d.0.5.r50", 0)
        group = f"{target.name} ({labels:.0f} labels to 50 m)"
        for pattern, label in _ACCURACY:
            key = pattern.format(target.name)
            if any(run.get(key) is not None for run in runs):
                yield Row(group, label, tuple(run.get(key) for run in runs), better=Better.HIGHER)
        yield from _identity_rows(runs, target.name, group)


def _identity_rows(runs: Sequence[Mapping[str, Any]], target: str, group: str) -> Iterator[Row]:
    """Rows of a class whose labels and boxes have names; none for the others."""
    key = f"{target}.3d.0.5.r50"
    objects = max(run.get(f"label_tracks.{key}") or 0 for run in runs)
    if objects == 0:
        return
    for name, label, digits, better in _IDENTITY:
        values = tuple(run.get(f"{name}.{key}") for run in runs)
        yield Row(group, label.format(objects=objects), values, digits, better)


def _time_rows(runs: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    for share in ("p50", "p95", "p99"):
        values = tuple(run["latency_ms"][share] for run in runs)
        yield Row("time", f"latency {share}, capture to first own boxes, ms", values, better=Better.LOWER)
    yield _counts(runs, "time", "frames answered from their own data", "answered_frames", Better.HIGHER)
    yield _counts(runs, "time", "frames answered by propagation alone", "propagated_frames", Better.LOWER)
    for share in ("p50", "p95"):
        values = tuple(run["age_ms"][share] for run in runs)
        yield Row("time", f"age {share} where first boxes were propagated, ms", values, better=Better.LOWER)


def _cost_rows(runs: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    yield _per_run(runs, "sent up, MB", lambda run: run["bytes_up"] / 1e6, 2)
    yield _per_run(runs, "sent down, MB", lambda run: run["bytes_down"] / 1e6, 3)
    yield _per_run(runs, "frames sent to the cloud, %", lambda run: 100 * run["offloaded_share"], 1)
    yield _per_run(runs, "frames offered to a 3D detector, %", lambda run: 100 * run["offered_share"], 1)
    yield _counts(runs, "link", "answers", "answers")
    for reason in sorted({reason for run in runs for reason in run["lost"]}):
        yield _per_run(runs, f"lost: {reason}", lambda run, reason=reason: run["lost"].get(reason, 0), 0)
    yield _counts(runs, "input", "frames skipped for a newer one", "skipped_frames")
    yield _counts(runs, "input", "bad frames", "bad_frames")


def _counts(
    runs: Sequence[Mapping[str, Any]], group: str, label: str, key: str, better: Better = Better.NEITHER
) -> Row:
    return Row(group, label, tuple(run[key] for run in runs), 0, better)


def _per_run(runs: Sequence[Mapping[str, Any]], label: str, value: Callable[..., float], digits: int) -> Row:
    return Row("link", label, tuple(value(run) for run in runs), digits)
