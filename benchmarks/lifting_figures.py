"""Figures of how far lifted boxes are off, and tables of them.

- `centre_m`: distance of the centres seen from above, median. Beside it `centre_p90_m`, and `along_m` and `across_m`,
  the medians of its parts along the ray from the sensor and across it.
- `heading_deg`: median, modulo a full turn for objects that move, modulo half a turn for those that stand.
- `size_pct`: median of the mean over length, width and height of their errors in per cent; and each for itself.
- `bottom_m`: median error of the height of the box's bottom.
- `found_3d_0.5_pct`, `found_bev_0.7_pct`: share of the objects, those without a box included, whose box has an IoU
  above that.

The target group is cars with at least 50 points in frames in which their track has at least five images.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from lifting_run import Outcome

from vedette.classes import ObjectClass
from vedette.geometry import NDArrayFloat, bev_iou_pairs, iou_3d_pairs, wrap_half_pi, wrap_pi

MIN_POINTS: Final = 50
MIN_TRACK_FRAMES: Final = 5

Figures = Mapping[str, float | int]
Split = Mapping[str, Callable[[Outcome], bool]]


def in_target(outcome: Outcome) -> bool:
    """Whether an outcome is of the target group."""
    is_car = outcome.object_class is ObjectClass.CAR
    return is_car and outcome.points >= MIN_POINTS and outcome.track_frames >= MIN_TRACK_FRAMES


def _between(low: float, high: float, value: Callable[[Outcome], float]) -> Callable[[Outcome], bool]:
    return lambda outcome: low <= value(outcome) < high


def _range_m(outcome: Outcome) -> float:
    return float(np.hypot(outcome.truth[0], outcome.truth[1]))


SPLITS: Final[Mapping[str, Split]] = {
    "distance": {
        f"{low}-{high} m": _between(low, high, _range_m)
        for low, high in ((0, 10), (10, 20), (20, 30), (30, 40), (40, 50))
    },
    "points": {
        f"{low}-{high - 1}" if high < 1e6 else f"{low} or more": _between(low, high, lambda outcome: outcome.points)
        for low, high in ((1, 10), (10, 25), (25, 50), (50, 100), (100, 200), (200, 500), (500, 10**6))
    },
    "occlusion": {
        name: _between(level, level + 1, lambda outcome: outcome.occlusion)
        for level, name in enumerate(("visible", "partly occluded", "largely occluded"))
    },
    "class": {
        each.label: _between(int(each), int(each) + 1, lambda outcome: int(outcome.object_class))
        for each in ObjectClass
    },
    "rung": {
        name: lambda outcome, name=name: outcome.rung == name  # type: ignore[misc]
        for name in ("two-faces", "one-face", "centroid", "image", "predicted")
    },
}
"""Tables: of cars by distance, points, occlusion and rung, and of all objects by class."""


@dataclass(frozen=True)
class Errors:
    """Errors of boxes, as parallel arrays.

    Args:
        along_m: of the centre along the ray from the sensor.
        across_m: across it.
        bottom_m: of the bottom's height.
        heading_deg: modulo a full turn where the object moves, else modulo half a turn.
        size_pct: ``(N,3)`` of length, width and height.
        iou_3d: overlap with the truth.
        iou_bev: likewise seen from above.
    """

    along_m: NDArrayFloat
    across_m: NDArrayFloat
    bottom_m: NDArrayFloat
    heading_deg: NDArrayFloat
    size_pct: NDArrayFloat
    iou_3d: NDArrayFloat
    iou_bev: NDArrayFloat

    @property
    def centre_m(self) -> NDArrayFloat:
        """Distance of the centres."""
        return np.asarray(np.hypot(self.along_m, self.across_m))

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Errors:
        """Of outcomes that all have a box."""
        truth = np.array([outcome.truth for outcome in outcomes]).reshape(-1, 7)
        boxes = np.array([outcome.box for outcome in outcomes], np.float64).reshape(-1, 7)
        moving = np.array([outcome.moving for outcome in outcomes], np.bool_)
        offset = boxes[:, :3] - truth[:, :3]
        ray = truth[:, :2] / np.hypot(truth[:, 0], truth[:, 1])[:, None]
        turn = boxes[:, 6] - truth[:, 6]
        return cls(
            along_m=(offset[:, :2] * ray).sum(axis=1),
            across_m=offset[:, 1] * ray[:, 0] - offset[:, 0] * ray[:, 1],
            bottom_m=offset[:, 2] - (boxes[:, 5] - truth[:, 5]) / 2,
            heading_deg=np.rad2deg(np.abs(np.where(moving, wrap_pi(turn), wrap_half_pi(turn)))),
            size_pct=100 * (boxes[:, 3:6] / truth[:, 3:6] - 1),
            iou_3d=iou_3d_pairs(boxes, truth),
            iou_bev=bev_iou_pairs(boxes, truth),
        )


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """All figures of a group of outcomes; only their number where none has a box."""
    boxed = [outcome for outcome in outcomes if outcome.box is not None]
    if not boxed:
        return {"count": len(outcomes)}
    errors = Errors.of(boxed)
    size = np.abs(errors.size_pct)
    medians = {
        "centre_m": errors.centre_m,
        "along_m": np.abs(errors.along_m),
        "across_m": np.abs(errors.across_m),
        "bottom_m": np.abs(errors.bottom_m),
        "heading_deg": errors.heading_deg,
        "size_pct": size.mean(axis=1),
        "length_pct": size[:, 0],
        "width_pct": size[:, 1],
        "height_pct": size[:, 2],
    }
    return {
        "count": len(outcomes),
        **{name: round(float(np.median(values)), 4) for name, values in medians.items()},
        "centre_p90_m": round(float(np.quantile(errors.centre_m, 0.9)), 4),
        "found_3d_0.5_pct": round(100 * float((errors.iou_3d > 0.5).sum()) / len(outcomes), 2),
        "found_bev_0.7_pct": round(100 * float((errors.iou_bev > 0.7).sum()) / len(outcomes), 2),
    }


def tables(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Figures]]:
    """Figures by every split; groups of nobody are left out."""
    found: dict[str, dict[str, Figures]] = {}
    for split, groups in SPLITS.items():
        members = outcomes if split == "class" else [o for o in outcomes if o.object_class is ObjectClass.CAR]
        rows = {name: [outcome for outcome in members if belongs(outcome)] for name, belongs in groups.items()}
        found[split] = {name: figures(row) for name, row in rows.items() if row}
    return found
