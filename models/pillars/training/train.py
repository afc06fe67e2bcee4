"""The training loop.

    python -m vedette.models.pillars.training.train RUN --samples FOLDER --held-out FOLDER --size nano --steps 6000

Writes into the folder RUN: `config.json`, `log.csv` (a line every 50 steps with the mean losses, and one for every
evaluation with average precision on the held-out samples) and `checkpoint.pt`. Started again with the same arguments it
goes on from the checkpoint, to the same weights that a run without a break would have.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from vedette.errors import ConfigError
from vedette.models.pillars.training.evaluate import Finder, evaluate, network_finder
from vedette.models.pillars.training.hard_negatives import hard_negatives
from vedette.models.pillars.training.losses import Losses
from vedette.models.pillars.training.mixture import Share
from vedette.models.pillars.training.network import SIZES, PillarNet
from vedette.models.pillars.training.object_changes import with_usual_sizes
from vedette.models.pillars.training.pasting import MixedBank, ObjectBank, Pasting, bank_of
from vedette.models.pillars.training.shards import Sample, SampleSet
from vedette.models.pillars.training.trainer import TrainConfig, Trainer, averaged_weights, learning_rate
from vedette.models.pillars.training.training_log import TrainingLog

CONFIG_FILE: Final = "config.json"
LOG_FILE: Final = "log.csv"
CHECKPOINT_FILE: Final = "checkpoint.pt"
NEGATIVE_SAMPLES: Final = 300
"""Of each set, in which hard negatives are looked for."""
WITH_NEGATIVES: Final = Pasting(most=10, shares=(0.35, 0.1, 0.2, 0.15, 0.2))
_SIZES: Final = 4  # stream of random numbers


@dataclass(frozen=True)
class Schedule:
    """When to stop, save and look.

    Args:
        minutes: stop then, whatever the step; go on by starting again.
        checkpoint_minutes: between checkpoints.
        log_steps: between lines with the mean losses.
        evaluate_steps: between evaluations.
        evaluate_samples: held-out samples used for each.
    """

    minutes: float = math.inf
    checkpoint_minutes: float = 3.0
    log_steps: int = 50
    evaluate_steps: int = 500
    evaluate_samples: int = 100


def train(trainer: Trainer, held_out: SampleSet, run: Path, schedule: Schedule) -> None:
    """Train to the last step, or until time is up.

    Args:
        trainer: new, or loaded.
        held_out: samples to evaluate on.
        run: folder to write into.
        schedule: when to do what.
    """
    log = TrainingLog(run / LOG_FILE)
    started = saved = time.monotonic()
    recent: list[Losses] = []
    while trainer.step < trainer.config.steps and time.monotonic() - started < 60 * schedule.minutes:
        recent.append(trainer.advance())
        place = {"step": trainer.step, "learning_rate": round(learning_rate(trainer.config, trainer.step), 7)}
        if trainer.step % schedule.log_steps == 0:
            log.add({**place, **_means(recent)})
            recent.clear()
        if trainer.step % schedule.evaluate_steps == 0:
            log.add({**place, **_evaluated(trainer, held_out, schedule.evaluate_samples)})
        if time.monotonic() - saved > 60 * schedule.checkpoint_minutes:
            trainer.save(run / CHECKPOINT_FILE)
            saved = time.monotonic()
    trainer.save(run / CHECKPOINT_FILE)
    log.add({"step": trainer.step, **_evaluated(trainer, held_out, len(held_out))})


def _means(recent: Sequence[Losses]) -> dict[str, float]:
    rows = [(losses.heat.item(), losses.box.item(), losses.quality.item()) for losses in recent]
    heat, box, quality = np.mean(rows, axis=0).round(4).tolist()
    return {"heat_loss": heat, "box_loss": box, "quality_loss": quality}


def _evaluated(trainer: Trainer, held_out: SampleSet, count: int) -> dict[str, float]:
    """Figures on some of the samples."""
    return evaluate((held_out[index] for index in _evenly(len(held_out), count)), network_finder(trainer.averaged))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder to write into")
    parser.add_argument(
        "--samples", action="append", required=True, metavar="FOLDER[=WEIGHT]", help="to learn from; several are mixed"
    )
    parser.add_argument("--held-out", type=Path, required=True, help="folder to evaluate on")
    parser.add_argument("--size", choices=sorted(SIZES), default="nano")
    parser.add_argument("--start", type=Path, help="checkpoint whose averaged weights to begin with")
    parser.add_argument(
        "--hard-negatives", action="store_true", help="paste what the network of --start takes for objects wrongly"
    )
    parser.add_argument("--steps", type=int, default=TrainConfig.steps)
    parser.add_argument("--batch", type=int, default=TrainConfig.batch)
    parser.add_argument("--learning-rate", type=float, default=TrainConfig.learning_rate)
    parser.add_argument("--seed", type=int, default=TrainConfig.seed)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop then; started again it goes on")
    parser.add_argument("--threads", type=int, default=1, help="more than 1 only when nothing else runs")
    parser.add_argument("--evaluate-steps", type=int, default=Schedule.evaluate_steps)
    parser.add_argument("--evaluate-samples", type=int, default=Schedule.evaluate_samples)
    return parser.parse_args()


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
    some = (samples[index] for index in _evenly(len(samples), NEGATIVE_SAMPLES))
    negatives = [] if find is None else hard_negatives(some, find)
    return bank_of(_with_real_sizes(samples, rng), negatives)


def _with_real_sizes(samples: SampleSet, rng: np.random.Generator) -> Iterator[Sample]:
    return (with_usual_sizes(sample, rng) if samples.of_world else sample for sample in samples)


def _evenly(length: int, count: int) -> list[int]:
    """So many numbers below a length, or all: neighbours are of one world."""
    numbers: list[int] = np.linspace(0, length - 1, min(count, length)).round().astype(int).tolist()
    return numbers


def _share(text: str) -> Share:
    folder, _, weight = text.partition("=")
    try:
        share = float(weight or 1.0)
    except ValueError:
        raise ConfigError(f"samples {text!r}: expected FOLDER or FOLDER=WEIGHT, the weight a number") from None
    return Share(SampleSet(Path(folder)), share)


def main() -> None:
    """Train, or go on with training."""
    arguments = _arguments()
    if arguments.hard_negatives and arguments.start is None:
        raise ConfigError("--hard-negatives without --start: there is no network to be fooled")
    torch.set_num_threads(arguments.threads)
    shares, held_out = [_share(text) for text in arguments.samples], SampleSet(arguments.held_out)
    config = TrainConfig(
        steps=arguments.steps,
        batch=arguments.batch,
        learning_rate=arguments.learning_rate,
        seed=arguments.seed,
        network=SIZES[arguments.size],
        pasting=WITH_NEGATIVES if arguments.hard_negatives else Pasting(),
    )
    start = None if arguments.start is None else averaged_weights(arguments.start)
    trainer = Trainer(config, shares, _bank(shares, config, start if arguments.hard_negatives else None))
    arguments.run.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.run / CHECKPOINT_FILE
    if checkpoint.exists():
        trainer.load(checkpoint)
    elif start is not None:
        trainer.start_from(start)
    _write_config(arguments.run / CONFIG_FILE, config, shares, held_out, arguments.start)
    schedule = Schedule(
        minutes=arguments.minutes,
        evaluate_steps=arguments.evaluate_steps,
        evaluate_samples=arguments.evaluate_samples,
    )
    train(trainer, held_out, arguments.run, schedule)


def _write_config(
    path: Path, config: TrainConfig, shares: Sequence[Share], held_out: SampleSet, start: Path | None
) -> None:
    document: dict[str, Any] = {
        "config": asdict(config),
        "samples": [
            {
                "count": len(share.samples),
                "weight": share.weight,
                "sha256": share.samples.fingerprint,
                "recipe": share.samples.recipe,
            }
            for share in shares
        ],
        "held_out": {"count": len(held_out), "sha256": held_out.fingerprint},
        "start_sha256": None if start is None else hashlib.sha256(start.read_bytes()).hexdigest(),
        "torch": torch.__version__,
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
