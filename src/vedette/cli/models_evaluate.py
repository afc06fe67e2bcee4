"""`vedette models evaluate`: how right models are on labelled recordings, and how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vedette.cli.options import ConfigOption, JsonOption, ModelsDirOption

if TYPE_CHECKING:
    from vedette.cli.model_trials import Outcome, Trial

_THREADS: Final = 1
"""Of a model's session: times are those of one core, whatever the settings say."""


def evaluate(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="NAME or NAME@VERSION, one or more; with {fold} in it, each fold of the object frames is given to the"
            " model of its number, and what they all find is pooled. NAME+MASKS: a 2D detector with a mask model.",
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
        list[float] | None,
        typer.Option(
            min=0.01,
            max=1.0,
            help="Share of cars found at which false boxes are counted; may be repeated; default: 0.85 and 0.88.",
            show_default=False,
        ),
    ] = None,
    resamples: Annotated[int, typer.Option(min=0, help="Draws of drives for 95 % intervals; 0 for none.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 0,
    json: JsonOption = None,
    models_dir: ModelsDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Run detectors over labelled recordings and compare: AP, F1, false boxes, recall by points and distance, time.

    Frames that cannot be read, or have no labels, no sweep (3D) or no picture (2D), are set aside and counted. Time is
    that of one frame on one core, from points or picture to boxes, without the joining of sweeps.

    Examples:
    vedette models evaluate pillars-nano-synth pillars-large-synth --data kitti-object:~/kitti --folds 0
    vedette models evaluate point-gnn-car --data kitti-tracking:~/kitti:0001:0-24 --json result.json
    vedette models evaluate yolox-nano nanodet-plus+deeplab-cityscapes --data kitti-object:~/kitti
    vedette models evaluate "pillars-nano-kitti-{fold}" --data kitti-object:~/kitti --recall 0.88
    """
    from vedette.cli.folds import chosen_folds
    from vedette.cli.model_tables import figures_table, remarks
    from vedette.cli.model_trials import Question
    from vedette.cli.output import prepare_result, result_document, text_console, write_result
    from vedette.evaluation.detector3d import RECALLS

    prepare_result(json)
    chosen = chosen_folds(folds, data)
    trials = _trials(names, chosen, config, models_dir)
    for source in data:
        _show(source, trials, chosen, sweeps)
    question = Question(tuple(recall or RECALLS), resamples, seed)
    outcomes = [trial.outcome(question) for trial in trials]
    _check_any_frame(outcomes, data)
    console = text_console(stderr=str(json) == "-")
    console.print(figures_table(outcomes))
    for line in remarks(outcomes):
        console.print(line, soft_wrap=True)
    if json is not None:
        settings: dict[str, object] = {
            "models": names,
            "data": data,
            "folds": folds,
            "sweeps": sweeps,
            "recalls": question.recalls,
            "resamples": resamples,
            "seed": seed,
            "threads": _THREADS,
            "definitions": dict(outcomes[0].definitions),
        }
        write_result(result_document("models evaluate", settings, [one.as_run() for one in outcomes]), json)


def _show(source: str, trials: Sequence[Trial], folds: frozenset[int] | None, sweeps: int) -> None:
    """Show every model all frames of a recording."""
    from vedette.datasets.labelled import labelled_frames
    from vedette.frames import Frame
    from vedette.models.joined_sweeps import SweepJoiner

    joiner = SweepJoiner(sweeps)
    for item in labelled_frames(source, folds):
        sweep = joiner.join(item.frame) if isinstance(item.frame, Frame) else None
        for trial in trials:
            trial.see(item, sweep)


def _check_any_frame(outcomes: Sequence[Outcome], data: Sequence[str]) -> None:
    from vedette.errors import MissingDataError

    if not any(outcome.counts["frames"] for outcome in outcomes):
        aside = outcomes[0].counts["frames_set_aside"]
        raise MissingDataError(
            f"{', '.join(data)}: nothing to judge; {aside} frames were set aside, expected some with labels, and with a"
            " sweep (3D) or a picture (2D)"
        )


def _trials(
    names: Sequence[str], folds: frozenset[int] | None, config: Path | None, models_dir: Path | None
) -> list[Trial]:
    """Every model on trial; all must be for one task."""
    from vedette.cli.image_trial import MASKS, ImageTrial
    from vedette.cli.sweep_trial import FOLD, SweepTrial
    from vedette.config_loader import load_settings
    from vedette.errors import ConfigError
    from vedette.models.registry import ModelRegistry

    settings = load_settings(config, {"models.folder": models_dir})
    registry = ModelRegistry(settings.models.folder, settings.models.providers, _THREADS)
    first_fold = str(min(folds or {0}))
    cards = [registry.store.find(name.partition(MASKS)[0].replace(FOLD, first_fold)).card for name in names]
    for card in cards:
        if card.task != cards[0].task or card.task == "segment":
            wanted = "a detector" if card.task == "segment" else f"one for {cards[0].task}, as {cards[0].label} is"
            raise ConfigError(f"{card.label} is a model for {card.task}; expected {wanted}")
    if cards[0].task == "detect3d":
        return [SweepTrial(registry, name, card) for name, card in zip(names, cards, strict=True)]
    score_threshold = settings.edge.detector2d.score_threshold
    return [ImageTrial(registry, name, card, score_threshold) for name, card in zip(names, cards, strict=True)]
