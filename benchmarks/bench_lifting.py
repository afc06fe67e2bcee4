"""How far boxes are off that are lifted from perfect 2D detections, without any anchor.

    python benchmarks/bench_lifting.py synth:town:13:0-99 synth:junction:13:0-99 --json FILE
    python benchmarks/bench_lifting.py kitti-tracking:build/kitti:0000 kitti-tracking:build/kitti:0001:0-24

The labels' own 2D boxes stand in for the detector; of worlds once more with masks of the visible pixels, and once as a
detector might be that is wrong by 2 pixels and calls every vehicle a car. Lifting and tracking run as in the agent. The
first table is of the target group, cars with at least 50 points after five frames of track; then all cars by distance,
points, occlusion and rung, and all objects by class.

`--ablate` leaves out one ingredient after the other, by functions put in the place of the product's; `--robust` gives
the product a wrong calibration (0.5 degrees about each axis and 5 cm aside, both ways), and an image taken 50 ms
after the sweep; what grows is the median centre error of the target group within 30 m. Boxes are compared with where
things were when the sweep met them: an offset that nobody knows of moves the image's evidence, not the sweep's.

Frames of worlds are kept in the folder of `--films`; making one takes about half a second.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from unittest import mock

import numpy as np
from lifting_ablations import ABLATIONS, Substitution
from lifting_figures import Figures, figures, in_target, tables
from lifting_films import FilmFrame, film
from lifting_run import Outcome, Trial, run
from rich.console import Console
from rich.table import Table

from vedette.geometry import SE3, PinholeCamera

SCHEMA = "vedette.bench.lifting/1"
NEAR_M = 30.0
TILT_RAD = float(np.deg2rad(0.5))
SHIFT_M = 0.05
LATE_MS = 50.0
TARGETS = {"centre_m": 0.20, "heading_deg": 5.0, "size_pct": 10.0}
MOST_GROWTH_M = 0.10
TRIALS = {"boxes": Trial(), "masks": Trial(masks=True), "boxes 2 px off, all cars": Trial(noise_px=2.0, cars_only=True)}
COLUMNS = (
    "count",
    "centre_m",
    "centre_p90_m",
    "along_m",
    "across_m",
    "bottom_m",
    "heading_deg",
    "size_pct",
    "length_pct",
    "width_pct",
    "height_pct",
    "found_3d_0.5_pct",
    "found_bev_0.7_pct",
)

Films = Mapping[str, Sequence[FilmFrame]]


def main() -> int:
    """Run, print, write, and fail where the target group misses a target on worlds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="names of recordings with poses")
    parser.add_argument("--films", type=Path, default=Path("build/films"))
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--robust", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    films = {source: list(film(source, arguments.films)) for source in arguments.sources}
    has_masks = all(frames[0].owners is not None for frames in films.values())
    trials = {name: trial for name, trial in TRIALS.items() if has_masks or not trial.masks}
    runs = [row for name, trial in trials.items() for row in _plain(films, name, trial)]
    if arguments.ablate:
        runs += _ablated(films, trials)
    if arguments.robust:
        runs += _robust(films)
    if arguments.json is not None:
        config = {"sources": arguments.sources, "targets": TARGETS, "most_growth_m": MOST_GROWTH_M}
        document = {"schema": SCHEMA, "command": " ".join(sys.argv), "config": config, "runs": runs}
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
    missed = [
        name for row in runs[: len(trials)] for name, most in TARGETS.items() if row["target"].get(name, 0) > most
    ]
    return 1 if missed and has_masks else 0


def _plain(films: Films, name: str, trial: Trial) -> list[dict[str, object]]:
    """Figures of one condition: of the target group, by source, and in tables."""
    by_source = {source: run(frames, trial) for source, frames in films.items()}
    outcomes = [outcome for found in by_source.values() for outcome in found]
    rows = {source: _target(found) for source, found in by_source.items()}
    target = _target(outcomes)
    _print(f"{name}: target group", {**rows, "together": target} if len(rows) > 1 else rows)
    split = tables(outcomes)
    for title, groups in split.items():
        _print(f"{name}: by {title}", groups)
    setting = {key: value for key, value in asdict(trial).items() if key != "camera"}
    return [{"condition": name, "trial": setting, "target": target, "sources": rows, "tables": split}]


def _target(outcomes: Sequence[Outcome]) -> Figures:
    return figures([outcome for outcome in outcomes if in_target(outcome)])


def _pooled(films: Films, trial: Trial) -> list[Outcome]:
    return [outcome for frames in films.values() for outcome in run(frames, trial)]


def _ablated(films: Films, trials: Mapping[str, Trial]) -> list[dict[str, object]]:
    """The target group without one ingredient each, of perfect detections."""
    runs: list[dict[str, object]] = []
    for name, trial in trials.items():
        if trial.noise_px:
            continue
        rows: dict[str, Figures] = {}
        for ingredient, substitutions in {"nothing": (), **ABLATIONS}.items():
            with _substituted(substitutions):
                rows[ingredient] = _target(_pooled(films, trial))
        _print(f"{name}: target group without", rows)
        runs.append({"condition": name, "ablation": rows})
    return runs


@contextmanager
def _substituted(substitutions: Sequence[Substitution]) -> Iterator[None]:
    if not substitutions:
        yield
        return
    first, *others = substitutions
    with mock.patch.object(first.place, first.name, first.function), _substituted(others):
        yield


def _robust(films: Films) -> list[dict[str, object]]:
    """Growth of the median centre error within 30 m under wrong calibration and timing."""
    trials = {"right": Trial(), **{name: Trial(camera=change) for name, change in _calibrations().items()}}
    trials["image 50 ms late"] = Trial(late_ms=LATE_MS)
    rows: dict[str, Figures] = {}
    for name, trial in trials.items():
        near = [o for o in _pooled(films, trial) if np.hypot(o.truth[0], o.truth[1]) < NEAR_M]
        rows[name] = _target(near)
    right = rows["right"]["centre_m"]
    grown = {name: {**row, "growth_m": round(row["centre_m"] - right, 4)} for name, row in rows.items()}
    _print(f"boxes: target group within {NEAR_M:.0f} m", grown, ("count", "centre_m", "growth_m", *COLUMNS[2:]))
    return [{"condition": "boxes", "robustness": grown}]


def _calibrations() -> dict[str, Callable[[PinholeCamera], PinholeCamera]]:
    """Cameras turned by half a degree about each of their axes and moved by 5 cm, both ways."""
    names = ("pitch", "yaw", "roll")
    return {
        f"{name} {sign * 0.5:+.1f} deg, {sign * 5:+.0f} cm": _turned(axis, sign)
        for axis, name in enumerate(names)
        for sign in (1.0, -1.0)
    }


def _turned(axis: int, sign: float) -> Callable[[PinholeCamera], PinholeCamera]:
    first, second = [other for other in range(3) if other != axis]
    rotation = np.eye(3)
    cos, sin = np.cos(TILT_RAD), sign * np.sin(TILT_RAD)
    rotation[first, first] = rotation[second, second] = cos
    rotation[first, second], rotation[second, first] = -sin, sin
    error = SE3(rotation, np.array([sign * SHIFT_M, 0.0, 0.0]))
    return lambda camera: replace(camera, cam_SE3_velo=error.compose(camera.cam_SE3_velo))


def _print(title: str, rows: Mapping[str, Figures], columns: Sequence[str] = COLUMNS) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("", *(column.replace("found_", "").replace("_pct", " %") for column in columns)):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in rows.items():
        table.add_row(name, *(f"{row[column]:g}" if column in row else "" for column in columns))
    Console(width=200).print(table)


if __name__ == "__main__":
    sys.exit(main())
