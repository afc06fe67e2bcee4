"""Trains a network on folders of samples: `vedette models train pillars`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from vedette.errors import ConfigError
from vedette.models.pillars.training.evaluate import Finder, evaluate, network_finder
from vedette.models.pillars.training.hard_negatives import hard_negatives
from vedette.models.pillars.training.mixture import Share
from vedette.models.pillars.training.network import SIZES, PillarNet
from vedette.models.pillars.training.object_changes import with_usual_sizes
from vedette.models.pillars.training.pasting import MixedBank, ObjectBank, Pasting, bank_of
from vedette.models.pillars.training.shards import Sample, SampleSet
from vedette.models.pillars.training.trainer import FAMILY, TrainConfig, Trainer, averaged_weights, read_state
from vedette.models.training_config import described, write_config
from vedette.models.training_log import TrainingLog
from vedette.models.training_recipe import described_start
from vedette.models.training_run import LOG_FILE, TrainingRequest, evenly
from vedette.models.training_run import train as train_to_the_end

NEGATIVE_SAMPLES: Final = 300
"""Of each set, in which hard negatives are looked for."""
WITH_NEGATIVES: Final = Pasting(most=10, shares=(0.35, 0.1, 0.2, 0.15, 0.2))
COLUMNS: Final = (
    "heat_loss",
    "box_loss",
    "quality_loss",
    "ap.r40.car.bev.0.5",
    "ap.r40.car.bev.0.7",
    "ap.r40.car.3d.0.5",
    "ap.r40.car.3d.0.7",
    "ap.r40.van.3d.0.5",
    "ap.r40.pedestrian.3d.0.5",
    "ap.r40.cyclist.3d.0.5",
    "f1.car.bev.0.5.r50",
)
_SIZES: Final = 4  # stream of random numbers


def train(request: TrainingRequest, size: str, *, negatives: bool, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Train, or go on with training.

    Args:
        request: what to do.
        size: of the network, one of `SIZES`.
        negatives: paste what the network that it begins with takes for objects wrongly.
        stopped: asked before every step.

    Returns:
        Whether the last step was taken.

    Raises:
        ConfigError: settings that contradict each other, or the training that the folder holds.
        MissingDataError: a folder without samples.
    """
    if negatives and request.start is None:
        raise ConfigError("--hard-negatives without --start: there is no network to be fooled")
    torch.set_num_threads(request.threads)
    shares, held_out = [_share(text) for text in request.samples], SampleSet(request.held_out)
    config = TrainConfig(
        steps=request.steps,
        batch=request.batch,
        learning_rate=request.learning_rate,
        seed=request.seed,
        network=SIZES[size],
        pasting=WITH_NEGATIVES if negatives else Pasting(),
    )
    options = {**request.options, "size": size, **({"hard-negatives": True} if negatives else {})}
    document = _document(config, shares, held_out, described_start(request.start, _step_of), options)
    start = None if request.start is None else _start_weights(request.start, config)
    write_config(request.run, document)
    trainer = Trainer(config, shares, _bank(shares, config, start if negatives else None))
    if request.checkpoint.exists():
        trainer.load(request.checkpoint)
    elif start is not None:
        trainer.start_from(start)
    log = TrainingLog(request.run / LOG_FILE, COLUMNS, trainer.step)

    def figures(count: int | None) -> Mapping[str, float]:
        return evaluate((held_out[i] for i in evenly(len(held_out), count)), network_finder(trainer.averaged))

    return train_to_the_end(trainer, figures, log, request, stopped)


def _step_of(checkpoint: Path) -> int:
    return int(read_state(checkpoint)["step"])


def _start_weights(checkpoint: Path, config: TrainConfig) -> dict[str, Any]:
    weights = averaged_weights(read_state(checkpoint))
    try:
        PillarNet(config.network).load_state_dict(weights)
    except RuntimeError as error:
        raise ConfigError(f"{checkpoint}: weights of another network; expected those of the same --size") from error
    return weights


def _bank(shares: Sequence[Share], config: TrainConfig, fooled: dict[str, Any] | None) -> MixedBank:
    """The objects of each set by its weight, and what a network with the weights `fooled` finds in it wrongly."""
    find = None
    if fooled is not None:
        network = PillarNet(config.network)
        network.load_state_dict(fooled)
        find = network_finder(network)
    rng = np.random.default_rng([config.seed, _SIZES])
    return MixedBank([(_bank_of_set(share.samples, find, rng), share.weight) for share in shares])


def _bank_of_set(samples: SampleSet, find: Finder | None, rng: np.random.Generator) -> ObjectBank:
    some = (samples[index] for index in evenly(len(samples), NEGATIVE_SAMPLES))
    negatives = [] if find is None else hard_negatives(some, find)
    return bank_of(_with_real_sizes(samples, rng), negatives)


def _with_real_sizes(samples: SampleSet, rng: np.random.Generator) -> Iterator[Sample]:
    return (with_usual_sizes(sample, rng) if samples.of_world else sample for sample in samples)


def _share(text: str) -> Share:
    folder, _, weight = text.partition("=")
    try:
        share = float(weight or 1.0)
    except ValueError:
        share = math.nan
    if not 0 < share < math.inf:
        raise ConfigError(f"samples {text!r}: expected FOLDER or FOLDER=WEIGHT, the weight a number above 0")
    return Share(SampleSet(Path(folder)), share)


def _document(
    config: TrainConfig,
    shares: Sequence[Share],
    held_out: SampleSet,
    start: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """For `config.json`: all that the weights follow from."""
    return {
        "family": FAMILY,
        "options": dict(options),
        "config": asdict(config),
        "samples": [{**described(share.samples), "weight": share.weight} for share in shares],
        "held_out": described(held_out),
        "start": start,
        "torch": torch.__version__,
    }
