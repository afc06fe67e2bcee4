"""`vedette models evaluate`: how right a model is on labelled recordings, and how long it takes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vedette.cli.options import ConfigOption, JsonOption, ModelsDirOption

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from vedette.datasets.recording import Recording
    from vedette.detections import Detector3D
    from vedette.evaluation.detector3d import Examined
    from vedette.frames import Frame, Sweep
    from vedette.models.registry import ModelRegistry

FOLD: Final = "{fold}"
"""In a model's name stands for the number of the fold that a frame is of."""
_OBJECT: Final = "kitti-object"


def evaluate(
    name: Annotated[
        str,
        typer.Argument(
            help="NAME or NAME@VERSION; with {fold} in it, each fold of the object frames is given to the model of"
            " its number.",
            show_default=False,
        ),
    ],
    *,
    data: Annotated[list[str], typer.Option("--data", metavar="SOURCE", help="Labelled recordings; may be repeated.")],
    folds: Annotated[
        str | None,
        typer.Option(help="Of kitti-object sources only frames of these folds, such as 1,2,3,4.", show_default=False),
    ] = None,
    sweeps: Annotated[
        int,
        typer.Option(
            min=1, max=10, help="Join each sweep with those before it, so many in all, by the recording's poses."
        ),
    ] = 1,
    recall: Annotated[
        float, typer.Option(min=0.01, max=1.0, help="Share of cars found at which false boxes are counted.")
    ] = 0.85,
    resamples: Annotated[int, typer.Option(min=0, help="Draws of drives for 95 % intervals; 0 for none.")] = 200,
    json: JsonOption = None,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Run a 3D detector over labelled recordings and compare: AP, F1, false boxes, recall by points and distance.

    Frames that cannot be read, or have no labels or no sweep, are set aside and counted. Time is that of one frame from
    points to boxes, without the joining of sweeps.

    Examples:
    vedette models evaluate pillars-nano-synth --data kitti-object:~/kitti --folds 0
    vedette models evaluate point-gnn-car --data kitti-tracking:~/kitti:0001:0-24 --json result.json
    vedette models evaluate "pillars-nano-kitti-{fold}" --data kitti-object:~/kitti --recall 0.88
    """
    from vedette.cli.output import prepare_result, result_document, text_console, write_result
    from vedette.evaluation.detector3d import detector_figures, interval_figures

    prepare_result(json)
    seen = _Run(_Detectors(_registry(config, models_dir), name), sweeps)
    for source in data:
        seen.go_through(source, _folds(folds))
    figures = detector_figures(seen.frames, recall) | seen.times()
    bounds = interval_figures(seen.frames, recall, resamples) if resamples else {}
    console = text_console(stderr=str(json) == "-")
    console.print(_table(name, figures, bounds))
    console.print(seen.remark(), soft_wrap=True)
    if json is not None:
        settings = {
            "model": name,
            "data": data,
            "folds": folds,
            "sweeps": sweeps,
            "recall": recall,
            "resamples": resamples,
        }
        run = {**seen.counts(), **figures, **{f"interval95.{key}": value for key, value in bounds.items()}}
        write_result(result_document("models evaluate", settings, [run]), json)


@dataclass
class _Detectors:
    """The model of each fold, loaded when it is first asked for."""

    registry: ModelRegistry
    name: str
    loaded: dict[str, Detector3D] = field(default_factory=dict)

    def of_fold(self, fold: int | None) -> Detector3D:
        from vedette.errors import ConfigError

        if FOLD in self.name and fold is None:
            raise ConfigError(f"model {self.name!r}: a frame that is of no fold; {FOLD} is for kitti-object frames")
        name = self.name.replace(FOLD, str(fold))
        if name not in self.loaded:
            self.loaded[name] = self.registry.load_detector3d(name)
        return self.loaded[name]


class _Run:
    """What was found in the frames so far."""

    def __init__(self, detectors: _Detectors, sweeps: int) -> None:
        self.frames: list[Examined] = []
        self._detectors = detectors
        self._sweeps = sweeps
        self._joined = 0
        self._seconds: list[float] = []
        self._set_aside = 0

    def go_through(self, source: str, folds: Collection[int] | None) -> None:
        """Detect in every labelled frame of a recording."""
        from vedette.datasets.source_spec import open_recording
        from vedette.frames import Frame
        from vedette.models.joined_sweeps import SweepJoiner

        joiner = SweepJoiner(self._sweeps)
        with closing(open_recording(source)) as recording:
            for frame, drive, fold in _frames(recording, source, folds):
                sweep = joiner.join(frame) if isinstance(frame, Frame) else None
                self._examine(recording, frame, sweep, drive, fold)

    def _examine(self, recording: Recording, frame: Any, sweep: Sweep | None, drive: str, fold: int | None) -> None:
        from vedette.errors import DataError

        try:
            labels = recording.labels(frame.index) if sweep is not None else None
        except DataError:
            labels = None
        if labels is None or sweep is None:
            self._set_aside += 1
            return
        self._joined += len(sweep) > len(frame.sweep)
        self.frames.append(self._examined(frame, sweep, labels, drive, fold))

    def _examined(self, frame: Frame, sweep: Sweep, labels: Any, drive: str, fold: int | None) -> Examined:
        from vedette.datasets.kitti.convert import camera_objects_from_detections
        from vedette.evaluation.detector3d import Examined
        from vedette.evaluation.objects import ScoredFrame

        detector = self._detectors.of_fold(fold)
        started = time.perf_counter()
        found = detector.detect(sweep, frame.camera)
        self._seconds.append(time.perf_counter() - started)
        scored = ScoredFrame(labels, camera_objects_from_detections(found, frame.camera))
        return Examined(scored, _label_points(frame, labels), drive)

    def times(self) -> dict[str, float | None]:
        """Milliseconds from points to boxes, without the first frame, in which memory is fetched."""
        import numpy as np

        if len(self._seconds) < 2:
            return {"detect_ms.p50": None, "detect_ms.p90": None}
        p50, p90 = np.percentile(1e3 * np.array(self._seconds[1:]), [50, 90]).tolist()
        return {"detect_ms.p50": p50, "detect_ms.p90": p90}

    def counts(self) -> dict[str, int]:
        """Frames and drives."""
        drives = len({frame.drive for frame in self.frames})
        return {
            "frames": len(self.frames),
            "frames_set_aside": self._set_aside,
            "frames_of_joined_sweeps": self._joined,
            "drives": drives,
        }

    def remark(self) -> str:
        """What the figures are about."""
        counts = self.counts()
        joined = f" In {self._joined} of them sweeps were joined." if self._sweeps > 1 else ""
        return (
            f"{counts['frames']} frames of {counts['drives']} drives; {counts['frames_set_aside']} set aside"
            f" (unreadable, without labels or without a sweep).{joined} Intervals: 95 %, drives drawn with replacement."
        )


def _frames(recording: Recording, source: str, folds: Collection[int] | None) -> Iterator[tuple[Any, str, int | None]]:
    """Each frame with its drive and, of the object benchmark, its fold."""
    kind, _, rest = source.partition(":")
    if kind != _OBJECT:
        yield from ((frame, rest, None) for frame in recording)
        return
    places = _object_places()
    for frame in recording:
        drive, fold = places.get(frame.index, (f"object frame {frame.index}", None))
        if folds is None or fold in folds:
            yield frame, drive, fold


def _object_places() -> dict[int, tuple[str, int | None]]:
    from vedette.datasets.kitti.splits import load_splits

    return {
        index: (drive, fold)
        for fold, drives in enumerate(load_splits().object_folds)
        for drive, indices in drives.items()
        for index in indices
    }


def _label_points(frame: Frame, labels: Any) -> Any:
    """``(L,) int64`` points of the sweep in each label's box; 0 for regions."""
    import numpy as np

    from vedette.geometry import boxes_velo_from_cam, points_in_boxes

    assert frame.sweep is not None
    real = np.flatnonzero(labels.boxes_cam[:, 3:6].min(axis=1, initial=np.inf) > 0)
    boxes = boxes_velo_from_cam(frame.camera.cam_SE3_velo, labels.boxes_cam[real])
    points = np.zeros(len(labels), np.int64)
    points[real] = points_in_boxes(frame.sweep.points_velo, boxes).sum(axis=1)
    return points


def _folds(text: str | None) -> Collection[int] | None:
    from vedette.errors import ConfigError

    if text is None:
        return None
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise ConfigError(f"folds {text!r}: expected numbers with commas between, such as 1,2,3,4")
    return frozenset(map(int, parts))


def _registry(config: Path | None, models_dir: Path | None) -> ModelRegistry:
    from vedette.config_loader import load_settings
    from vedette.models.registry import ModelRegistry

    settings = load_settings(config, {"models.folder": models_dir}).models
    return ModelRegistry(settings.folder, settings.providers, settings.threads)


_SHOWN: Final = (
    *(f"ap.r40.car.{metric}.{overlap}.{level}" for metric in ("bev", "3d") for overlap in ("0.7", "0.5")
      for level in ("easy", "moderate", "hard")),
    *(f"ap.r40.{name}.3d.0.5.moderate" for name in ("van", "pedestrian", "cyclist")),
    *(f"f1.{name}.3d.0.5.r50" for name in ("car", "van", "pedestrian", "cyclist", "vehicle")),
    "false_boxes_per_frame", "false_boxes.recall", "false_boxes.score_cut",
    "false_boxes_per_frame.car.cut0.5", "recall.car.cut0.5",
    *(f"recall.car.points.{span}" for span in ("1-10", "10-30", "30-100", "100-")),
    *(f"recall.car.range_m.{span}" for span in ("0-20", "20-40", "40-60")),
    "detect_ms.p50", "detect_ms.p90",
)  # fmt: skip


def _table(
    name: str, figures: Mapping[str, float | None], bounds: Mapping[str, tuple[float, float] | None]
) -> RichTable:
    from rich.table import Table as RichTable

    table = RichTable("figure", "value", "95 % interval", title=name, title_justify="left")
    for key in _SHOWN:
        value, bound = figures.get(key), bounds.get(key)
        interval = "" if bound is None else f"{bound[0]:.2f} to {bound[1]:.2f}"
        table.add_row(key, "-" if value is None else f"{value:.2f}", interval)
    return table
