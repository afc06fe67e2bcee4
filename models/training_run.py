"""The loop of every training, and its folder.

    RUN/config.json      what the weights follow from: settings, seed, samples with their hashes
    RUN/log.csv          losses every few steps, figures on held-out samples now and then
    RUN/checkpoint.pt    all that is needed to go on

A training that was stopped goes on when it is started again with the same settings, to the same weights that it would
have come to without a break.
"""

from __future__ import annotations

import json
import math
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from vedette.errors import ConfigError, MissingDataError
from vedette.json_text import read_json_object
from vedette.models.training_log import TrainingLog

CONFIG_FILE: Final = "config.json"
LOG_FILE: Final = "log.csv"
CHECKPOINT_FILE: Final = "checkpoint.pt"
_CONFIG: Final = "what vedette models train writes into the folder of a training"
_NO_SETTINGS: Final = ("folder", "torch", "options")
"""Keys of the configuration that may be others when a training goes on; options say again what settings say."""
_DIFFERENCES_SHOWN: Final = 4


class Losses(Protocol):
    """Of one step."""

    def values(self) -> Mapping[str, float]:
        """By column of the log."""


class Trainer(Protocol):
    """A network on its way."""

    @property
    def step(self) -> int:
        """How many were taken."""

    @property
    def steps(self) -> int:
        """How many it takes in all."""

    @property
    def learning_rate(self) -> float:
        """Of the next step."""

    def advance(self) -> Losses:
        """Take one step."""

    def save(self, path: Path) -> None:
        """Write a checkpoint, whole or not at all."""


class Samples(Protocol):
    """A folder of samples, read."""

    @property
    def folder(self) -> Path:
        """Where it is."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 over all of it."""

    @property
    def recipe(self) -> dict[str, Any]:
        """How it was made."""

    def __len__(self) -> int: ...


Evaluation = Callable[[int | None], Mapping[str, float]]
"""Figures on so many held-out samples, spread over all; on all for None."""


@dataclass(frozen=True)
class Schedule:
    """When to stop, save and look.

    Args:
        minutes: stop then, whatever the step; go on by starting again.
        checkpoint_minutes: between checkpoints.
        log_steps: between lines with the mean losses.
        evaluate_steps: between evaluations.
        evaluate_samples: held-out samples used for each; the last one uses all.
    """

    minutes: float = math.inf
    checkpoint_minutes: float = 3.0
    log_steps: int = 50
    evaluate_steps: int = 500
    evaluate_samples: int = 100


@dataclass(frozen=True)
class TrainingRequest:
    """What trainings of every family are told.

    Args:
        run: folder to write into; one with a checkpoint is gone on with.
        samples: folders to learn from, each ``FOLDER`` or ``FOLDER=WEIGHT``.
        held_out: folder to evaluate on.
        steps: in all.
        batch: samples a step.
        learning_rate: at its greatest.
        seed: of all that is drawn.
        start: checkpoint of another training whose weights to begin with.
        threads: of the CPU.
        schedule: when to stop, save and look.
    """

    run: Path
    samples: Sequence[str]
    held_out: Path
    steps: int
    batch: int
    learning_rate: float
    seed: int
    start: Path | None
    threads: int
    schedule: Schedule

    @property
    def options(self) -> dict[str, Any]:
        """What the weights follow from, as options of the command line."""
        return {
            "steps": self.steps,
            "batch": self.batch,
            "learning-rate": self.learning_rate,
            "seed": self.seed,
        }

    @property
    def checkpoint(self) -> Path:
        """Where the training goes on from, once it is there."""
        return self.run / CHECKPOINT_FILE


@dataclass(frozen=True)
class ExportRequest:
    """What exports of every family are told.

    Args:
        run: folder of the training.
        name: of the model.
        version: numbers with dots.
        folder: for `model.onnx` and `card.yaml`; made.
        held_out: samples for the score cuts and the figures; None for those of the training.
    """

    run: Path
    name: str
    version: str
    folder: Path
    held_out: Path | None


def train(
    trainer: Trainer,
    evaluate: Evaluation,
    log: TrainingLog,
    request: TrainingRequest,
    stopped: Callable[[], bool],
) -> bool:
    """Train to the last step, or until time is up or somebody wants it to stop. Nothing that was learnt is lost.

    Args:
        trainer: new, or loaded.
        evaluate: tells how good it is.
        log: for losses and figures.
        request: the checkpoint, and when to do what.
        stopped: asked before every step.

    Returns:
        Whether the last step was taken.
    """
    checkpoint, schedule = request.checkpoint, request.schedule
    if trainer.step == trainer.steps:
        return True
    started = saved = time.monotonic()
    recent: list[Mapping[str, float]] = []
    while trainer.step < trainer.steps:
        if stopped() or time.monotonic() - started >= 60 * schedule.minutes:
            trainer.save(checkpoint)
            return False
        rate = trainer.learning_rate
        recent.append(trainer.advance().values())
        if trainer.step % schedule.log_steps == 0:
            log.add({"step": trainer.step, "learning_rate": float(f"{rate:.4g}"), **_means(recent)})
            recent.clear()
        if trainer.step % schedule.evaluate_steps == 0 and trainer.step < trainer.steps:
            log.add({"step": trainer.step, **evaluate(schedule.evaluate_samples)})
        if time.monotonic() - saved > 60 * schedule.checkpoint_minutes:
            trainer.save(checkpoint)
            saved = time.monotonic()
    trainer.save(checkpoint)
    log.add({"step": trainer.step, **evaluate(None)})
    return True


def evenly(length: int, count: int | None) -> list[int]:
    """So many numbers below a length, or all: samples that are neighbours are of one world.

    Args:
        length: of the set.
        count: how many are wanted; None for all.
    """
    numbers: list[int] = np.linspace(0, length - 1, min(count or length, length)).round().astype(int).tolist()
    return numbers


def check_checkpoint(path: Path) -> None:
    """See that a file can be a checkpoint, before anything is loaded.

    Args:
        path: of the file.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is something else, or was cut short.
    """
    if not path.exists():
        raise MissingDataError(f"{path}: not there; expected the checkpoint.pt of a training")
    if not zipfile.is_zipfile(path):
        raise ConfigError(f"{path}: another file, or cut short; expected the checkpoint.pt of a training")


def write_config(run: Path, document: Mapping[str, Any]) -> None:
    """Say what a training is made from, before its first step.

    Args:
        run: its folder; made.
        document: for `config.json`.

    Raises:
        ConfigError: there is a checkpoint of a training that was made from something else.
    """
    run.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1) + "\n"
    if (run / CHECKPOINT_FILE).exists():
        different = list(_differences(read_config(run), json.loads(text)))
        if different:
            shown = "; ".join(different[:_DIFFERENCES_SHOWN]) + ("; …" if len(different) > _DIFFERENCES_SHOWN else "")
            raise ConfigError(
                f"{run} holds a training with other settings: {shown}. Go on with the same ones, or name another folder"
            )
    (run / CONFIG_FILE).write_text(text, encoding="utf-8")


def described(samples: Samples) -> dict[str, Any]:
    """A folder of samples as `config.json` has it.

    Args:
        samples: of the folder.
    """
    return {
        "folder": str(samples.folder),
        "count": len(samples),
        "sha256": samples.fingerprint,
        "recipe": samples.recipe,
    }


def read_config(run: Path) -> dict[str, Any]:
    """What a training was made from.

    Args:
        run: its folder.

    Raises:
        MissingDataError: nothing was trained there.
        FileFormatError: it is not as a training writes it.
    """
    return read_json_object(run / CONFIG_FILE, {"config": dict, "samples": list}, _CONFIG)


def _differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """One text for each value that is another, with its place."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in (key for key in {**before, **now} if key not in _NO_SETTINGS):
            yield from _differences(before.get(key), now.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from _differences(*pair, f"{place}.{number}")
    elif before != now:
        yield f"{place} was {_short(before)} and is {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}
