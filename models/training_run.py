"""The loop of every training, and its folder.

    RUN/config.json      what the weights follow from: settings, seed, samples with their hashes
    RUN/log.csv          losses every few steps, figures on held-out samples now and then
    RUN/checkpoint.pt    all that is needed to go on

A training that was stopped goes on when it is started again with the same settings, to the same weights that it would
have come to without a break.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from vedette.models.checkpoints import CHECKPOINT_FILE
from vedette.models.training_log import TrainingLog

LOG_FILE: Final = "log.csv"


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


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}
