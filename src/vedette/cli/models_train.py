"""`vedette models samples | train | export`: models of one's own, from nothing to a file that the registry takes."""

from __future__ import annotations

import math
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vedette.cli.options import ConfigOption, ModelsDirOption, given_path

if TYPE_CHECKING:
    from vedette.models.cards import ModelCard
    from vedette.models.training_run import ExportRequest, TrainingRequest

samples_app = typer.Typer(help="Make folders of samples to train on.", no_args_is_help=True)
train_app = typer.Typer(help="Train a model, or go on with training.", no_args_is_help=True)

TRAIN_FOLDER: Final = "train"
HELD_OUT_FOLDER: Final = "held-out"
_SCENARIOS: Final = "town,rush-hour,junction,car-park,motorway"
_MOST_LEARNING_RATE: Final = 1.0  # of AdamW, whose steps are about as long as that
_INTERRUPTED: Final = 130  # as a shell has it for a command that Ctrl-C ended


class Size(StrEnum):
    """Of a pillar network."""

    NANO = "nano"
    LARGE = "large"


OutArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", parser=given_path, help="To write into.", show_default=False)
]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="A-B", help="Worlds to learn from; 0 to 99 are shown.")]
HeldOutSeedsOption = Annotated[
    str, typer.Option("--held-out-seeds", metavar="A-B", help="Worlds to measure on; none leaves them out.")
]
RunArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        parser=given_path,
        help="Folder for config.json, log.csv and checkpoint.pt; one with a checkpoint is gone on with.",
    ),
]
SamplesOption = Annotated[
    list[str], typer.Option("--samples", metavar="FOLDER", help="To learn from; may be repeated.", show_default=False)
]
HeldOutOption = Annotated[
    Path, typer.Option("--held-out", metavar="FOLDER", parser=given_path, help="To measure on.", show_default=False)
]
StartOption = Annotated[
    Path | None,
    typer.Option(
        "--start",
        metavar="FILE",
        parser=given_path,
        help="checkpoint.pt of another training, to begin with its weights.",
    ),
]
StepsOption = Annotated[int, typer.Option("--steps", min=1, help="In all; the learning rate falls to the last.")]
BatchOption = Annotated[int, typer.Option("--batch", min=1, help="Samples a step.")]
RateOption = Annotated[float, typer.Option("--learning-rate", help="At its greatest.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Of weights, order and changes of samples.")]
MinutesOption = Annotated[
    float | None, typer.Option("--minutes", help="Stop then; the same command goes on.", show_default=False)
]
ThreadsOption = Annotated[int, typer.Option("--threads", min=1, help="More only where nothing else runs.")]
EvaluateStepsOption = Annotated[int, typer.Option("--evaluate-steps", min=1, help="Between evaluations.")]
EvaluateSamplesOption = Annotated[
    int, typer.Option("--evaluate-samples", min=1, help="Held-out samples for each; the last one takes all.")
]


@samples_app.command("pillars")
def samples_pillars(
    folder: OutArgument,
    *,
    seeds: SeedsOption = "1000-1007",
    held_out_seeds: HeldOutSeedsOption = "900-901",
    scenarios: Annotated[str, typer.Option("--scenarios", help="Each is built with each seed.")] = _SCENARIOS,
    scans: Annotated[int, typer.Option("--scans", min=1, help="Of each world, three samples each.")] = 20,
    processes: Annotated[int, typer.Option("--processes", min=1, help="That work side by side.")] = 1,
) -> None:
    """Labelled LiDAR points of generated worlds: FOLDER/train and FOLDER/held-out.

    Example: vedette models samples pillars build/pillars
    """
    with _needing("world", "making samples"):
        from vedette.models.pillars.training.samples import Recipe, write_samples

        for part, text in _parts(folder, seeds, held_out_seeds):
            first, last = _range(text)
            write_samples(Recipe(tuple(scenarios.split(",")), first, last, scans), part, processes)


@samples_app.command("recordings")
def samples_recordings(
    folder: OutArgument,
    *,
    data: Annotated[
        list[str],
        typer.Option("--data", metavar="SOURCE", help="Labelled recordings; may be repeated.", show_default=False),
    ],
    folds: Annotated[
        str | None, typer.Option(help="Of kitti-object sources, such as 1,2,3,4.", show_default=False)
    ] = None,
) -> None:
    """Labelled LiDAR points of recordings, for pillars, to be mixed with those of worlds.

    Example: vedette models samples recordings build/real --data kitti-object:DIR --folds 1,2,3,4
    """
    from vedette.cli.folds import chosen_folds

    chosen = sorted(chosen_folds(folds, data) or ())
    with _needing("world", "making samples"):
        from vedette.models.pillars.training.real_samples import write_real_samples

        write_real_samples(folder, data, chosen)


@samples_app.command("camera2d")
def samples_camera2d(
    folder: OutArgument,
    *,
    seeds: SeedsOption = "2000-2059",
    held_out_seeds: HeldOutSeedsOption = "900-911",
    each: Annotated[int, typer.Option("--each", min=1, help="Pictures of each world.")] = 20,
    scale: Annotated[
        float, typer.Option("--scale", help="Of pictures to learn from, to KITTI's; those to measure on are full.")
    ] = 0.7,
) -> None:
    """Pictures of generated worlds, and whose each pixel is: FOLDER/train and FOLDER/held-out.

    Worlds that are there already are not made again.

    Example: vedette models samples camera2d build/camera2d
    """
    with _needing("world", "making samples"):
        from vedette.models.camera2d.training.pictures import write_pictures

        for part, text in _parts(folder, seeds, held_out_seeds):
            first, last = _range(text)
            write_pictures(part, range(first, last + 1), each, scale if part.name == TRAIN_FOLDER else 1.0)


@train_app.command("pillars")
def train_pillars(
    run: RunArgument,
    *,
    samples: SamplesOption,
    held_out: HeldOutOption,
    size: Annotated[Size, typer.Option("--size", help="nano for the device, large for the cloud.")] = Size.NANO,
    start: StartOption = None,
    hard_negatives: Annotated[
        bool, typer.Option("--hard-negatives", help="Paste what the network of --start takes for objects wrongly.")
    ] = False,
    steps: StepsOption = 6000,
    batch: BatchOption = 4,
    learning_rate: RateOption = 3e-3,
    seed: SeedOption = 0,
    minutes: MinutesOption = None,
    threads: ThreadsOption = 1,
    evaluate_steps: EvaluateStepsOption = 500,
    evaluate_samples: EvaluateSamplesOption = 100,
) -> None:
    """3D boxes from LiDAR points. Ctrl-C saves a checkpoint; the same command goes on.

    Samples are taken from several folders by their weights: --samples build/world=0.6 --samples build/real=0.4

    From nothing to a model:
    vedette models samples pillars build/pillars
    vedette models train pillars build/run --samples build/pillars/train --held-out build/pillars/held-out
    vedette models export build/run --name my-pillars
    """
    request = _request(
        run=run,
        samples=samples,
        held_out=held_out,
        settings=(steps, batch, learning_rate, seed),
        start=start,
        threads=threads,
        schedule=(minutes, evaluate_steps, evaluate_samples),
    )
    with _needing("train", "training"):
        from vedette.models.pillars.training.train import train

    _train(request, lambda stopped: train(request, size, negatives=hard_negatives, stopped=stopped))


@train_app.command("camera2d")
def train_camera2d(
    run: RunArgument,
    *,
    samples: SamplesOption,
    held_out: HeldOutOption,
    photographs: Annotated[
        Path | None,
        typer.Option(
            "--photographs",
            metavar="FOLDER",
            parser=given_path,
            help="To put behind and before objects, for a model that is to work on real pictures; nothing that it is"
            " to find may be in them.",
            show_default=False,
        ),
    ] = None,
    start: StartOption = None,
    steps: StepsOption = 6000,
    batch: BatchOption = 8,
    learning_rate: RateOption = 2e-3,
    seed: SeedOption = 0,
    minutes: MinutesOption = None,
    threads: ThreadsOption = 1,
    evaluate_steps: EvaluateStepsOption = 500,
    evaluate_samples: EvaluateSamplesOption = 50,
) -> None:
    """2D boxes and masks from pictures. Ctrl-C saves a checkpoint; the same command goes on.

    From nothing to a model:
    vedette models samples camera2d build/camera2d
    vedette models train camera2d build/run --samples build/camera2d/train --held-out build/camera2d/held-out
    vedette models export build/run --name my-camera2d
    """
    request = _request(
        run=run,
        samples=samples,
        held_out=held_out,
        settings=(steps, batch, learning_rate, seed),
        start=start,
        threads=threads,
        schedule=(minutes, evaluate_steps, evaluate_samples),
    )
    with _needing("train", "training"):
        from vedette.models.camera2d.training.photographs import read_photographs
        from vedette.models.camera2d.training.train import train

    read = None if photographs is None else read_photographs(photographs)
    if read is not None:
        typer.echo(read.summary)
    _train(request, lambda stopped: train(request, stopped, read))


def export(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", parser=given_path, help="Folder of a training.", show_default=False)
    ],
    *,
    name: Annotated[str, typer.Option("--name", help="Of the model.", show_default=False)],
    version: Annotated[str, typer.Option("--version", help="Numbers with dots between.")] = "1",
    held_out: Annotated[
        Path | None,
        typer.Option(
            "--held-out",
            metavar="FOLDER",
            parser=given_path,
            help="To measure on; default: the training's.",
            show_default=False,
        ),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(
            "--calibration",
            metavar="FOLDER",
            parser=given_path,
            help="pillars: samples for the ranges of 8-bit integers; default: the first of the training.",
            show_default=False,
        ),
    ] = None,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="pillars: average with the mirrored scene: better, in twice the time.")
    ] = False,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Make a model of the last checkpoint of a training: the ONNX file and its card, in the folder of models.

    It is measured on the held-out samples, and the card says what came out, and how to train it again.

    Example: vedette models export build/run --name my-pillars
    """
    from vedette.cli.models_access import registry_of, tell_stored
    from vedette.errors import ConfigError
    from vedette.models.cards import check_label
    from vedette.models.store import MODEL_FILE
    from vedette.models.training_run import ExportRequest

    check_label(name, version)
    store = registry_of(config, models_dir).store
    target = store.folder / name / version
    if target.exists():
        raise ConfigError(f"{name}@{version} is already there ({target}): give another --version or --name")
    with tempfile.TemporaryDirectory() as pending:
        request = ExportRequest(run, name, version, Path(pending), held_out)
        card = _exported(request, calibration, mirrored=mirrored)
        store.put(Path(pending) / MODEL_FILE, card)
    for one in card.accuracy:
        typer.echo(f"{one.metric}  {one.value:g}")
    tell_stored(store, card)


def _exported(request: ExportRequest, calibration: Path | None, *, mirrored: bool) -> ModelCard:
    """By the family that the training was of."""
    from vedette.errors import ConfigError
    from vedette.models.training_config import read_config

    family = read_config(request.run)["family"]
    with _needing("train", "exporting a model"):
        from vedette.models.camera2d.training.export import export as export_camera2d
        from vedette.models.pillars.training.export import export as export_pillars

    if family == "pillars":
        return export_pillars(request, calibration, mirrored=mirrored)
    if calibration is not None or mirrored:
        raise ConfigError(f"{request.run} is a training of {family}; --calibration and --mirrored are for pillars")
    return export_camera2d(request)


def _request(
    *,
    run: Path,
    samples: list[str],
    held_out: Path,
    settings: tuple[int, int, float, int],
    start: Path | None,
    threads: int,
    schedule: tuple[float | None, int, int],
) -> TrainingRequest:
    """The options of both families."""
    from vedette.errors import ConfigError
    from vedette.models.training_run import Schedule, TrainingRequest

    minutes, evaluate_steps, evaluate_samples = schedule
    if "" in samples:
        raise ConfigError("--samples is empty; expected a folder (. is the current one)")
    if not 0 < settings[2] <= _MOST_LEARNING_RATE:
        raise ConfigError(f"--learning-rate {settings[2]:g}: expected above 0, and at most {_MOST_LEARNING_RATE:g}")
    if minutes is not None and not minutes > 0:
        raise ConfigError(f"--minutes {minutes:g}: expected a number above 0")
    when = Schedule(
        minutes=math.inf if minutes is None else minutes,
        evaluate_steps=evaluate_steps,
        evaluate_samples=evaluate_samples,
    )
    return TrainingRequest(run, tuple(samples), held_out, *settings, start, threads, when)


def _train(request: TrainingRequest, work: Callable[[Callable[[], bool]], bool]) -> None:
    """Until the end, or until somebody stops it."""
    from vedette.cli.signals import calling_on_stop

    stop = threading.Event()
    with calling_on_stop(stop.set):
        finished = work(stop.is_set)
    if finished:
        typer.echo(f"Finished. To make a model of it: vedette models export {request.run} --name NAME")
        return
    typer.echo(f"Stopped; {request.checkpoint} holds all of it. The same command goes on.")
    if stop.is_set():
        raise typer.Exit(_INTERRUPTED)


@contextmanager
def _needing(extra: str, needed_for: str) -> Iterator[None]:
    """Say which extra brings a package that is missing."""
    from vedette.errors import MissingPackageError

    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "vedette":
            raise
        raise MissingPackageError(package, extra=extra, needed_for=needed_for, error=error) from error


def _parts(folder: Path, seeds: str, held_out_seeds: str) -> list[tuple[Path, str]]:
    """Folders to make, and the seeds of each."""
    parts = [(folder / TRAIN_FOLDER, seeds)]
    return parts if held_out_seeds == "none" else [*parts, (folder / HELD_OUT_FOLDER, held_out_seeds)]


def _range(text: str) -> tuple[int, int]:
    from vedette.errors import ConfigError

    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal() or int(last or first) < int(first):
        raise ConfigError(f"seeds {text!r}; expected a number, or a range such as 1000-1009")
    return int(first), int(last or first)
