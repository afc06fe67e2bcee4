"""Do the generated world's scans look like real ones? The same figures of both, side by side.

    python benchmarks/bench_world_realism.py kitti-object:build/kitti / synth:town:3:0-49 --fold 0 --every 5 --out DIR

Sources up to a ``/`` are pooled; each such group is one column of every figure. What is written: ``realism.json``, a
chart of each figure that has several values, and ``realism.png`` with six of them.

| figure         | what                                                                                              |
|----------------|---------------------------------------------------------------------------------------------------|
| points         | of a scan                                                                                         |
| rings          | mean number of points of each beam, from the highest; beams begin where the azimuth passes 0      |
| range          | share of the points by distance                                                                   |
| ground_share   | of the points, those under 0.2 m above the lowest of their square metre, where that is low itself |
| intensity      | share of the points by intensity, of all, of the ground and of the labelled cars                  |
| car_points     | median number of points of cars that are whole and nothing hides, by distance                     |
| filled         | of the shots from a ring's first to its last on such a car, the share that returned from it       |
| occlusion      | share of the labelled cars by KITTI's level; besides, cars and DontCare regions of a frame        |
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from labelled_sweeps import groups, labelled_sweeps

from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.kitti.splits import load_splits
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.frames import Frame
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, NDArrayUInt8, points_in_boxes

RANGE_EDGES_M: Final = np.arange(0.0, 81.0, 10.0)
CAR_EDGES_M: Final = np.array([0.0, 8.0, 12.0, 16.0, 20.0, 25.0, 30.0, 40.0, 50.0, 70.0])
INTENSITY_EDGES: Final = np.array([-0.005, 0.005, *np.arange(0.05, 0.651, 0.05), 0.95, 1.005])
BEAMS: Final = 64
GROUND_BAND_M: Final = 0.2
SENSOR_HEIGHT_M: Final = 1.73
LEAST_CAR_POINTS: Final = 30
COLOURS_BGR: Final = ((60, 60, 60), (200, 120, 20), (40, 120, 230), (90, 170, 60))


@dataclass
class Figures:
    """What is gathered of a group of sources."""

    frames: int = 0
    points: list[int] = field(default_factory=list)
    rings: list[NDArrayInt] = field(default_factory=list)
    ranges: NDArrayInt = field(default_factory=lambda: np.zeros(len(RANGE_EDGES_M) - 1, np.int64))
    ground: list[float] = field(default_factory=list)
    intensity: dict[str, NDArrayInt] = field(
        default_factory=lambda: {key: np.zeros(len(INTENSITY_EDGES) - 1, np.int64) for key in ("all", "ground", "cars")}
    )
    cars: list[tuple[float, int, float]] = field(default_factory=list)  # distance, points, filled share
    occlusion: list[int] = field(default_factory=list)
    regions: int = 0

    def summary(self) -> dict[str, Any]:
        """Everything as plain numbers; shares 0 to 100."""
        table = np.array(self.cars, dtype=np.float64).reshape(-1, 3)
        place = np.digitize(table[:, 0], CAR_EDGES_M) - 1
        return {
            "frames": self.frames,
            "points": round(float(np.mean(self.points))),
            "rings": np.mean(self.rings, axis=0).round().astype(int).tolist() if self.rings else None,
            "range": _shares(self.ranges),
            "ground_share": round(100 * float(np.mean(self.ground)), 1),
            "intensity": {key: _shares(counts) for key, counts in self.intensity.items()},
            "car_points": [_median(table[place == i, 1]) for i in range(len(CAR_EDGES_M) - 1)],
            "cars_measured": [int((place == i).sum()) for i in range(len(CAR_EDGES_M) - 1)],
            "filled": [_median(100 * table[place == i, 2]) for i in range(len(CAR_EDGES_M) - 1)],
            "occlusion": _shares(np.bincount(np.array(self.occlusion, dtype=np.int64), minlength=4)[:4]),
            "cars_per_frame": round(len(self.occlusion) / max(self.frames, 1), 2),
            "regions_per_frame": round(self.regions / max(self.frames, 1), 2),
        }


def _shares(counts: NDArrayInt) -> list[float]:
    return [round(100.0 * int(count) / max(int(counts.sum()), 1), 2) for count in counts]


def _median(values: NDArrayFloat) -> float | None:
    finite = values[np.isfinite(values)]
    return round(float(np.median(finite)), 1) if len(finite) else None


def main() -> None:
    """Gather the figures of each group, and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="pooled up to a '/'")
    parser.add_argument("--every", type=int, default=1, help="use one frame in so many; of kitti-object, all")
    parser.add_argument("--fold", type=int, help="of kitti-object sources, only the frames of this fold")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    fold = None if arguments.fold is None else set(load_splits().object_frames(arguments.fold))
    results = {}
    for group in groups(arguments.sources):
        figures = gather(group, arguments.every, fold)
        results[" ".join(group)] = figures.summary()
        print(json.dumps({" ".join(group): results[" ".join(group)]}), flush=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "realism.json").write_text(json.dumps(results, indent=1) + "\n")
    draw(results, arguments.out)


def gather(sources: Sequence[str], every: int, fold: Collection[int] | None) -> Figures:
    """The figures of some sources.

    Args:
        sources: names of recordings.
        every: one frame in so many is used; of object frames, which are no sequence, all.
        fold: frame numbers that are used of object sources; None for all.
    """
    figures = Figures()
    for source in sources:
        for frame, labels in labelled_sweeps(source, every, fold):
            assert frame.sweep is not None
            _add(figures, frame, frame.sweep.points_velo, labels)
    return figures


def _add(figures: Figures, frame: Frame, points: NDArrayFloat32, labels: CameraObjects | None) -> None:
    ground = is_ground(points)
    figures.frames += 1
    figures.points.append(len(points))
    figures.ranges += np.histogram(np.hypot(points[:, 0], points[:, 1]), bins=RANGE_EDGES_M)[0]
    figures.ground.append(float(ground.mean()))
    rings = rings_of(points)
    if rings is not None:
        figures.rings.append(np.bincount(rings, minlength=BEAMS))
    _add_intensity(figures, "all", points)
    _add_intensity(figures, "ground", points[ground])
    if labels is not None:
        _add_cars(figures, frame, points, rings, labels)


def _add_intensity(figures: Figures, key: str, points: NDArrayFloat32) -> None:
    figures.intensity[key] += np.histogram(points[:, 3], bins=INTENSITY_EDGES)[0]


def _add_cars(
    figures: Figures, frame: Frame, points: NDArrayFloat32, rings: NDArrayInt | None, labels: CameraObjects
) -> None:
    figures.regions += sum(kind == DONT_CARE for kind in labels.types)
    cars = labels.select([kind == "Car" for kind in labels.types])
    figures.occlusion += np.clip(cars.occlusion, 0, 3).tolist()
    boxes = detections_from_camera_objects(cars, frame.camera).boxes_velo
    # the lowest hand's breadth is road as often as tyre
    above = points[None, :, 2] > (boxes[:, 2] - boxes[:, 5] / 2 + 0.15)[:, None]
    for inside in points_in_boxes(points[:, :3], boxes) & above:
        _add_intensity(figures, "cars", points[inside])
    whole = (cars.occlusion == 0) & (cars.truncation <= 0.05)
    for box in boxes[whole]:
        inside = points_in_boxes(points[:, :3], box[None])[0]
        share = np.nan if rings is None else filled_share(points[inside], rings[inside])
        figures.cars.append((float(np.hypot(box[0], box[1])), int(inside.sum()), share))


def is_ground(points: NDArrayFloat32) -> NDArrayBool:
    """``(N,) bool``: little above the lowest point of its square metre, which is about as low as the road.

    Args:
        points: ``(N,4) float32``, velo frame.
    """
    cells = np.floor(points[:, :2]).astype(np.int64) + 512
    key = cells[:, 0] * 1024 + cells[:, 1]
    lowest = np.full(1024 * 1024, np.inf, dtype=np.float32)
    np.minimum.at(lowest, key, points[:, 2])
    floor = lowest[key]
    slack = 0.3 + 0.03 * np.hypot(points[:, 0], points[:, 1])
    return np.asarray((points[:, 2] < floor + GROUND_BAND_M) & (np.abs(floor + SENSOR_HEIGHT_M) < slack))


def rings_of(points: NDArrayFloat32) -> NDArrayInt | None:
    """``(N,)`` which beam each point is of, from the order of KITTI's files; None where that does not give 64.

    Args:
        points: ``(N,4) float32``, velo frame, in the order of the file.
    """
    azimuth = np.arctan2(points[:, 1], points[:, 0])
    begins = (azimuth[:-1] < 0) & (azimuth[1:] >= 0) & (np.abs(np.diff(azimuth)) < np.pi)
    rings = np.concatenate([[0], np.cumsum(begins)])
    return rings if rings[-1] == BEAMS - 1 else None


def filled_share(points: NDArrayFloat32, rings: NDArrayInt) -> float:
    """Of the shots from each ring's first to its last on an object, the share that returned; NaN for few points.

    Args:
        points: ``(N,4) float32`` on the object.
        rings: ``(N,)`` their beams.
    """
    if len(points) < LEAST_CAR_POINTS:
        return float("nan")
    middle = np.arctan2(points[:, 1].mean(), points[:, 0].mean())
    azimuth = (np.arctan2(points[:, 1], points[:, 0]) - middle + np.pi) % (2 * np.pi)
    step = 2 * np.pi / (2145 if _is_fast(azimuth, rings) else 2083)
    expected = sum(np.ptp(azimuth[rings == ring]) / step + 1 for ring in np.unique(rings))
    return float(min(len(points) / expected, 1.0))


def _is_fast(azimuth: NDArrayFloat, rings: NDArrayInt) -> bool:
    """KITTI's steps are 0.18 degrees with some of 0.09 between; the world's are 0.1728."""
    steps = np.concatenate([np.diff(np.sort(azimuth[rings == ring])) for ring in np.unique(rings)])
    return bool(np.median(steps) > np.radians(0.176))


def draw(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """A bar chart for each figure that has several values.

    Args:
        results: summaries by group.
        folder: where the charts go.
    """
    to_m = [f"{edge:g}" for edge in CAR_EDGES_M[1:]]
    charts = {
        "rings": ("points of each beam, from the highest", [str(beam) for beam in range(BEAMS)]),
        "range": ("points by distance up to (m), %", [f"{edge:g}" for edge in RANGE_EDGES_M[1:]]),
        "car_points": ("points of whole cars, median, by distance up to (m), logarithmic", to_m),
        "filled": ("shots on whole cars that return, %, by distance up to (m)", to_m),
        "occlusion": ("cars by occlusion, %", ["visible", "partly", "largely", "unknown"]),
    }
    for key, (title, names) in charts.items():
        table = np.array([row[key] or [None] * len(names) for row in results.values()], dtype=np.float64)
        shown = np.log10(table + 1) if key == "car_points" else table
        cv2.imwrite(str(folder / f"{key}.png"), chart(title, names, shown, list(results)))
    names = [f"{edge:.2f}" for edge in INTENSITY_EDGES[1:]]
    for part in ("all", "ground", "cars"):
        table = np.array([row["intensity"][part] for row in results.values()])
        picture = chart(f"points by intensity up to, {part}, %", names, table, list(results))
        cv2.imwrite(str(folder / f"intensity_{part}.png"), picture)
    cv2.imwrite(str(folder / "realism.png"), _sheet(folder), [cv2.IMWRITE_PNG_COMPRESSION, 9])


def _sheet(folder: Path) -> NDArrayUInt8:
    """The charts that docs/world.md shows, two in a row, at two thirds of their size."""
    names = ("rings", "car_points", "occlusion", "intensity_all", "intensity_cars", "range")
    charts = [cv2.imread(str(folder / f"{name}.png")) for name in names]
    sheet = np.concatenate([np.concatenate(charts[k : k + 2], axis=1) for k in range(0, len(charts), 2)])
    return np.asarray(cv2.resize(sheet, None, fx=0.66, fy=0.66, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def chart(title: str, names: Sequence[str], table: NDArrayFloat, groups: Sequence[str]) -> NDArrayUInt8:
    """A picture of grouped bars.

    Args:
        title: above it.
        names: N, of the places along the axis.
        table: ``(groups, N)``; NaN leaves a gap.
        groups: names of the rows.

    Returns:
        ``(H,W,3) uint8``.
    """
    width, height, left, bottom = 1100, 420, 60, 40
    picture = np.full((height, width, 3), 255, np.uint8)
    top = 40 + 18 * len(groups)
    peak = float(np.nanmax(table)) if np.isfinite(table).any() else 1.0
    font, black = cv2.FONT_HERSHEY_SIMPLEX, (0, 0, 0)
    cv2.putText(picture, title, (left, 22), font, 0.55, black, 1, cv2.LINE_AA)
    slot = (width - left - 10) / len(names)
    bar = slot * 0.8 / len(groups)
    for row, group in enumerate(groups):
        colour = COLOURS_BGR[row % len(COLOURS_BGR)]
        cv2.putText(picture, group, (left, 42 + 18 * row), font, 0.45, colour, 1, cv2.LINE_AA)
        for column in np.flatnonzero(np.isfinite(table[row])).tolist():
            x = left + column * slot + row * bar
            y = height - bottom - max(float(table[row, column]), 0.0) / peak * (height - bottom - top)
            cv2.rectangle(picture, (int(x), int(y)), (int(x + bar), height - bottom), colour, -1)
    for place in range(0, len(names), max(1, len(names) // 32)):
        cv2.putText(picture, names[place], (int(left + place * slot), height - 20), font, 0.4, black, 1, cv2.LINE_AA)
    cv2.putText(picture, f"{peak:.4g}", (5, top + 10), font, 0.4, black, 1, cv2.LINE_AA)
    cv2.putText(picture, "0", (40, height - bottom), font, 0.4, black, 1, cv2.LINE_AA)
    return picture


if __name__ == "__main__":
    main()
