"""The accuracy figures of a report, under keys that name everything that defines them.

- `f1.CLASS.OVERLAP.IOU.rRANGE`: F1 (module `f1`), for example `f1.car.3d.0.5.r50`; beside it the counts it is made of:
  `labels.…`, `tp.…`, `fp.…`, `fn.…`.
- `ap.r40.CLASS.OVERLAP.IOU.DIFFICULTY`, `ap.r11.…`: KITTI's average precision (module `kitti_ap`), for example
  `ap.r40.car.bev.0.7.moderate`; `aos.r40.CLASS.2d.IOU.DIFFICULTY`: orientation similarity. Beside them
  `labels.CLASS.DIFFICULTY`: how many labels count, and so how high the figure can get (100 only from 41 on).
- `idf1.CLASS.3d.IOU.rRANGE`, `id_switches.…`, `fragmentations.…`, `label_tracks.…`: whether objects keep their names
  (module `identity`), for vehicles, pedestrians and cyclists, where labels and boxes have any.

Accuracy is 0 to 100. A class without a counting label has counts, but no F1 and no AP: neither is defined there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from vedette.evaluation.f1 import MAX_RANGE_M, SCORE_CUT, MatchCounts, count_matches
from vedette.evaluation.identity import count_identities
from vedette.evaluation.kitti_ap import PrecisionCurve, precision_curve
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.streaming import PublishedDetections, StampedLabels, streaming_frames
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CYCLIST, DIFFICULTIES, PEDESTRIAN, TARGETS, VEHICLE, Difficulty, Target

DEFINITIONS: Final[Mapping[str, str]] = {
    "f1": (
        f"F1 at score >= {SCORE_CUT:g}: one-to-one assignment with the most matches, then the best IoU. Labels count "
        "at KITTI's hard level (occlusion <= 2, truncation <= 0.5, height >= 25 px) within "
        f"{MAX_RANGE_M:g} m of the camera along the ground; other labels, DontCare regions and neighbouring classes "
        "(car/van) are neutral. vehicle = car + van + truck + bus pooled."
    ),
    "ap": (
        "KITTI average precision as the official evaluator has it: IoU more than the minimum, R40 (or R11) recall "
        "positions; easy/moderate/hard = height >= 40/25/25 px, occlusion <= 0/1/2, truncation <= 0.15/0.30/0.50. "
        "Other labels, lower detections and neighbouring classes are neutral; DontCare regions excuse detections in 2D "
        "only. With n < 41 counting labels R40 cannot exceed (n - 1) / 40 * 100."
    ),
    "identity": (
        "Of the boxes and labels of F1, paired by 3D IoU, the last pairing of a label kept while it holds: an identity "
        "switch is a label paired with another track than last, also after a gap; a fragmentation is a label paired "
        "again after frames in which it counted and was not (CLEAR MOT). IDF1: F1 of boxes with the right name, every "
        "labelled object given the one track that suits it best over the whole recording."
    ),
    "streaming": (
        "As above, but the labels of each capture time are scored against what stood published at that time: the boxes "
        "for the newest time published by then, as they were published, forecasts among them. While the vehicle "
        "drives, boxes that are one frame old are off by the way driven: without forecasts this is near 0."
    ),
    "streaming_carried": (
        "As streaming, without forecasts and with the boxes carried from their capture time to that of the labels, as "
        "any reader on the vehicle can do: by the vehicle's odometry and each box's published velocity."
    ),
}
"""What to print beside the figures, by the first word of their keys."""

_REPORTED_OVERLAPS: Final = (Metric.BOX, Metric.GROUND)
_FOLLOWED_TARGETS: Final = (VEHICLE, PEDESTRIAN, CYCLIST)
_FOLLOWED_OVERLAP: Final = 0.5
_IDENTITY_FIGURES: Final = ("idf1", "id_switches", "fragmentations", "label_tracks")


@dataclass(frozen=True)
class CurveCell:
    """One figure of KITTI's metric with all that defines it."""

    target: Target
    difficulty: Difficulty
    metric: Metric
    min_overlap: float
    curve: PrecisionCurve

    @property
    def key(self) -> str:
        """The end of its metric keys, such as ``car.bev.0.7.moderate``."""
        return f"{self.target.name}.{self.metric}.{self.min_overlap:g}.{self.difficulty.name}"


def precision_cells(table: Table, targets: Iterable[Target], metrics: Iterable[Metric]) -> list[CurveCell]:
    """KITTI's metric for every class, overlap, IoU minimum and difficulty.

    Args:
        table: labels and detections of all frames.
        targets: classes.
        metrics: kinds of overlap.
    """
    return [
        CurveCell(*settings, precision_curve(table, *settings))
        for target, metric in product(targets, metrics)
        for min_overlap in target.min_overlaps
        for difficulty in DIFFICULTIES
        for settings in [(target, difficulty, metric, min_overlap)]
    ]


def precision_metrics(cells: Iterable[CurveCell], *, with_r11: bool = False) -> dict[str, float]:
    """The figures of cells under their keys.

    Args:
        cells: from `precision_cells`.
        with_r11: the older eleven-point figures too.
    """
    figures: dict[str, float] = {}
    for cell in cells:
        figures[f"labels.{cell.target.name}.{cell.difficulty.name}"] = cell.curve.label_count
        if cell.curve.label_count == 0:
            continue
        wanted = {"ap.r40": cell.curve.ap_r40, "aos.r40": cell.curve.aos_r40}
        if with_r11:
            wanted |= {"ap.r11": cell.curve.ap_r11, "aos.r11": cell.curve.aos_r11}
        figures |= {f"{name}.{cell.key}": figure for name, figure in wanted.items() if figure is not None}
    return figures


def accuracy_keys(targets: Sequence[Target] = TARGETS) -> list[str]:
    """The F1 and AP keys of `accuracy_metrics`, defined or not, so that a document can name those that are not.

    Args:
        targets: classes.
    """
    keys = []
    for target, metric in product(targets, _REPORTED_OVERLAPS):
        for min_overlap in target.min_overlaps:
            cell = f"{target.name}.{metric}.{min_overlap:g}"
            keys.append(f"f1.{cell}.r{MAX_RANGE_M:g}")
            keys += [f"ap.r40.{cell}.{difficulty.name}" for difficulty in DIFFICULTIES]
    return keys


def accuracy_metrics(frames: Sequence[ScoredFrame]) -> dict[str, float]:
    """F1, AP and counts of every class, for a run's labelled frames.

    Args:
        frames: labels, and detections in the camera's view.
    """
    return table_metrics(Table.from_frames(frames), TARGETS)


def table_metrics(table: Table, targets: Sequence[Target]) -> dict[str, float]:
    """The same of chosen classes, for overlaps that are measured already.

    Args:
        table: labels, and detections in the camera's view.
        targets: classes.
    """
    figures = precision_metrics(precision_cells(table, targets, _REPORTED_OVERLAPS))
    for target in targets:
        for metric in _REPORTED_OVERLAPS:
            for min_overlap in target.min_overlaps:
                key = f"{target.name}.{metric}.{min_overlap:g}.r{MAX_RANGE_M:g}"
                figures |= count_metrics(key, count_matches(table, target, metric, min_overlap))
    return figures


def identity_keys() -> list[str]:
    """The keys of `identity_metrics`, defined or not."""
    return [f"{name}.{_followed(target)}" for target in _FOLLOWED_TARGETS for name in _IDENTITY_FIGURES]


def identity_metrics(table: Table) -> dict[str, float]:
    """Whether objects keep their names; nothing where labels or boxes have none, no IDF1 where no label counts.

    Args:
        table: labels and detections of the frames of one recording, in order.
    """
    figures: dict[str, float] = {}
    for target in _FOLLOWED_TARGETS:
        counts = count_identities(table, target, _FOLLOWED_OVERLAP)
        if counts is None:
            continue
        values = (counts.idf1, counts.switches, counts.fragmentations, counts.label_tracks)
        for name, value in zip(_IDENTITY_FIGURES, values, strict=True):
            figures |= {} if value is None else {f"{name}.{_followed(target)}": value}
    return figures


def _followed(target: Target) -> str:
    return f"{target.name}.{Metric.BOX}.{_FOLLOWED_OVERLAP:g}.r{MAX_RANGE_M:g}"


def streaming_metrics(labels: Sequence[StampedLabels], publications: Sequence[PublishedDetections]) -> dict[str, float]:
    """The same figures for what stood published at each capture time; every key begins with ``streaming_``.

    Args:
        labels: labelled frames with capture times.
        publications: everything published, in order.
    """
    figures = accuracy_metrics(streaming_frames(labels, publications))
    return {f"streaming_{key}": figure for key, figure in figures.items()}


def count_metrics(key: str, counts: MatchCounts) -> dict[str, float]:
    """F1 and what it is made of; no F1 where it is not defined.

    Args:
        key: what defines it, such as ``car.3d.0.5.r50``.
        counts: what was counted.
    """
    figures: dict[str, float] = {
        f"labels.{key}": counts.labels,
        f"tp.{key}": counts.true_positives,
        f"fp.{key}": counts.false_positives,
        f"fn.{key}": counts.false_negatives,
    }
    return figures if counts.f1 is None else {f"f1.{key}": counts.f1} | figures
