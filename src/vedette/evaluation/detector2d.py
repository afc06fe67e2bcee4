"""All that is said of a 2D detector on labelled pictures: AP, and F1 by the height of the boxes.

Keys, all for the overlap of boxes in the image:

- `ap.r40.CLASS.2d.IOU.DIFFICULTY`: KITTI's average precision (module `kitti_ap`), of all boxes down to a low score; of
  models that know people and bicycles apart and join them afterwards, people down to the cut at which they are used.
- `f1.CLASS.2d.0.5`: F1 at an IoU of more than 0.5 (module `f1`), at any distance, of the boxes that the detector gives
  at the score cut at which it is used; with its counts `labels.…`, `tp.…`, `fp.…`, `fn.…`. Vans are neutral to cars.
- `f1.CLASS.2d.0.5.hBIN`: the same of boxes so many pixels tall; a box of another height may find a label of this one,
  and is no false alarm if it does not.
- `best_f1.CLASS.2d.0.5`, `best_cut.CLASS.2d.0.5`: of all boxes, F1 at the score cut in steps of 0.05 that is best on
  these very labels, and that cut: it compares models whose scores mean different things, and flatters each of them.

Figures are 0 to 100; what is not defined is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.evaluation.bootstrap import DEFINITION as INTERVAL_DEFINITION
from vedette.evaluation.bootstrap import Evaluation, by_drive, intervals
from vedette.evaluation.f1 import HEIGHTS_PX, MatchCounts, count_matches
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.summary import DEFINITIONS as SUMMARY_DEFINITIONS
from vedette.evaluation.summary import count_metrics, precision_cells, precision_metrics
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, MODERATE, PEDESTRIAN, Target

DEFINITIONS: Final[Mapping[str, str]] = {
    "ap": SUMMARY_DEFINITIONS["ap"] + " Boxes down to a score of 0.05; people of COCO models, whose riders are joined "
    "from person and bicycle, down to the score cut at which the detector is used.",
    "f1": (
        "F1 in the image: one-to-one assignment with the most matches of IoU > 0.5, of the boxes given at the score "
        "cut at which the detector is used. Labels count at KITTI's hard level (occlusion <= 2, truncation <= 0.5, "
        "height >= 25 px); other labels, DontCare regions and neighbouring classes (car/van) are neutral. hBIN: of "
        "boxes so many pixels tall. best_f1: at the score cut that is best on these very labels, which flatters every "
        "model."
    ),
    "intervals": INTERVAL_DEFINITION,
    "time": "detect_ms: from picture to boxes, and masks where a model gives them, at the score cut at which it is "
    "used; one frame, one thread; detect_cpu_ms: CPU time, for busy machines.",
}
"""What to print beside the figures."""

_OVERLAP: Final = 0.5
_TARGETS: Final = (CAR, PEDESTRIAN, CYCLIST)
_HEIGHT_BINS_PX: Final = {
    "": HEIGHTS_PX,
    ".h25-40": (25.0, 40.0),
    ".h40-80": (40.0, 80.0),
    ".h80-": (80.0, np.inf),
}
"""By the end of the key: all, and the bins."""
_CUTS: Final = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2).tolist())


@dataclass(frozen=True)
class ExaminedPicture:
    """One picture and what was found in it.

    Args:
        all_boxes: labels, and detections down to a low score.
        used_boxes: labels, and the detections that the detector gives at the score cut at which it is used.
        drive: recordings of one drive are alike.
    """

    all_boxes: ScoredFrame
    used_boxes: ScoredFrame
    drive: str


def evaluate_detections2d(frames: Sequence[ExaminedPicture], *, resamples: int = 0, seed: int = 0) -> Evaluation:
    """Judge detections in pictures.

    Args:
        frames: labels and detections.
        resamples: how often drives are drawn for intervals; 0 for no intervals.
        seed: of the draws.
    """
    drives = by_drive(frames, lambda frame: frame.drive)
    return Evaluation(_figures(frames), intervals(drives, _looked_at, resamples, seed))


def _figures(frames: Sequence[ExaminedPicture]) -> dict[str, float | None]:
    table = Table.from_frames([frame.all_boxes for frame in frames])
    cells = precision_cells(table, _TARGETS, [Metric.IMAGE])
    figures: dict[str, float | None] = {f"ap.r40.{cell.key}": None for cell in cells}
    figures |= precision_metrics(cells)
    for target in _TARGETS:
        figures |= _best(table, target)
    return figures | _f1_figures(frames)


def _looked_at(frames: Sequence[ExaminedPicture]) -> dict[str, float | None]:
    """Those figures that get an interval."""
    table = Table.from_frames([frame.all_boxes for frame in frames])
    figures: dict[str, float | None] = {}
    for target in _TARGETS:
        for overlap in target.min_overlaps:
            curve = precision_curve(table, target, MODERATE, Metric.IMAGE, overlap)
            key = f"ap.r40.{target.name}.2d.{overlap:g}.moderate"
            figures[key] = curve.ap_r40 if curve.label_count else None
    return figures | {key: value for key, value in _f1_figures(frames).items() if key.startswith("f1.")}


def _f1_figures(frames: Sequence[ExaminedPicture]) -> dict[str, float | None]:
    """Of the boxes that are used."""
    table = Table.from_frames([frame.used_boxes for frame in frames])
    figures: dict[str, float | None] = {}
    for target in _TARGETS:
        key = f"{target.name}.2d.{_OVERLAP:g}"
        for ending, heights_px in _HEIGHT_BINS_PX.items():
            figures[f"f1.{key}{ending}"] = None
            figures |= count_metrics(f"{key}{ending}", _matches(table, target, 0.0, heights_px))
    return figures


def _best(table: Table, target: Target) -> dict[str, float | None]:
    key = f"{target.name}.2d.{_OVERLAP:g}"
    f1s = [_matches(table, target, cut, HEIGHTS_PX).f1 for cut in _CUTS]
    defined = [(f1, cut) for f1, cut in zip(f1s, _CUTS, strict=True) if f1 is not None]
    best, cut = max(defined) if defined else (None, None)
    return {f"best_f1.{key}": best, f"best_cut.{key}": cut}


def _matches(table: Table, target: Target, score_cut: float, heights_px: tuple[float, float]) -> MatchCounts:
    return count_matches(
        table, target, Metric.IMAGE, _OVERLAP, max_range_m=np.inf, score_cut=score_cut, heights_px=heights_px
    )
