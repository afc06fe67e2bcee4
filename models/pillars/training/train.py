"""The training loop.

    python -m vedette.models.pillars.training.train RUN --samples FOLDER --held-out FOLDER --size nano --steps 6000

Writes into the folder RUN: `config.json`, `log.csv` (a line every 50 steps with the mean losses, and one for every
evaluation with average precision on the held-out samples) and `checkpoint.pt`. Started again with the same arguments it
goes on from the checkpoint, to the same weights that a run without a break would have: everything random in a step
follows from the seed and the step's number. The weights that count are the *averaged* ones: an exponential mean over
the steps, which is steadier than any single step's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from vedette.errors import ConfigError
from vedette.models.pillars.training.augment import Augmentation, augment
from vedette.models.pillars.training.batches import collate, losses_of
from vedette.models.pillars.training.evaluate import evaluate, network_finder
from vedette.models.pillars.training.hard_negatives import hard_negatives
from vedette.models.pillars.training.losses import Losses
from vedette.models.pillars.training.mixture import Mixture, Share
from vedette.models.pillars.training.network import SIZES, NetworkConfig, PillarNet
from vedette.models.pillars.training.object_changes import with_usual_sizes
from vedette.models.pillars.training.pasting import Cutting, ObjectBank, Pasting, bank_of, paste
from vedette.models.pillars.training.shards import Sample, SampleSet, level
from vedette.models.pillars.training.training_log import TrainingLog

CONFIG_FILE: Final = "config.json"
LOG_FILE: Final = "log.csv"
CHECKPOINT_FILE: Final = "checkpoint.pt"
NEGATIVE_SAMPLES: Final = 300
"""Of each set, in which hard negatives are looked for."""
WITH_NEGATIVES: Final = Pasting(most=10, shares=(0.35, 0.1, 0.2, 0.15, 0.2))
_CHANGES, _SIZES = 2, 4  # streams of random numbers


@dataclass(frozen=True)
class TrainConfig:
    """All that the weights depend on, besides the samples.

    Args:
        steps: in all; the learning rate has fallen to nothing at the end.
        batch: samples a step.
        learning_rate: at its greatest, in AdamW.
        weight_decay: in AdamW.
        warm_up: share of the steps over which the learning rate rises.
        largest_gradient: longer ones are shortened to this.
        averaging: share of the averaged weights that a step keeps; fewer in the beginning, so that the first are
            forgotten.
        bf16: convolutions in 16 bits.
        seed: of the first weights, the order of samples and their changes.
        network: its size.
        augmentation: how samples are changed.
        pasting: how much of other samples is set into each.
    """

    steps: int = 6000
    batch: int = 4
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    warm_up: float = 0.15
    largest_gradient: float = 10.0
    averaging: float = 0.999
    bf16: bool = True
    seed: int = 0
    network: NetworkConfig = field(default_factory=NetworkConfig)
    augmentation: Augmentation = field(default_factory=Augmentation)
    pasting: Pasting = field(default_factory=Pasting)


class Trainer:
    """A network on its way.

    Args:
        config: what to do.
        shares: to learn from.
        bank: objects to paste.

    Raises:
        ConfigError: no samples.
    """

    def __init__(self, config: TrainConfig, shares: Sequence[Share], bank: ObjectBank) -> None:
        torch.manual_seed(config.seed)
        self.config = config
        self.step = 0
        self.network = PillarNet(config.network)
        self._averaged = _average_of(self.network, config)
        self._samples = Mixture(shares, config.steps * config.batch, config.seed)
        self._bank = bank
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, betas=(0.9, 0.99), weight_decay=config.weight_decay
        )

    @property
    def averaged(self) -> PillarNet:
        """The network with the averaged weights, for use."""
        network = self._averaged.module
        assert isinstance(network, PillarNet)
        network.eval()
        return network

    def start_from(self, weights: dict[str, Any]) -> None:
        """Begin with the weights of another training.

        Args:
            weights: the network's state.
        """
        self.network.load_state_dict(weights)
        self._averaged = _average_of(self.network, self.config)

    def advance(self) -> Losses:
        """Take one step.

        Returns:
            The losses before it.
        """
        self.network.train()
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate(self.config, self.step)
        batch = collate(self._batch(), self.config.network.grid)
        losses = losses_of(self.network, *batch, bf16=self.config.bf16)
        self._optimiser.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.largest_gradient)
        self._optimiser.step()
        self._averaged.update_parameters(self.network)
        self.step += 1
        return losses

    def save(self, path: Path) -> None:
        """Write a checkpoint, whole or not at all.

        Args:
            path: of the file.
        """
        fresh = path.with_suffix(".pending")
        torch.save(
            {
                "step": self.step,
                "config": asdict(self.config),
                "network": self.network.state_dict(),
                "averaged": self._averaged.state_dict(),
                "optimiser": self._optimiser.state_dict(),
            },
            fresh,
        )
        fresh.replace(path)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint.

        Args:
            path: written by `save`.

        Raises:
            ConfigError: it is one of another configuration.
        """
        checkpoint = torch.load(path, weights_only=True)
        if checkpoint["config"] != asdict(self.config):
            raise ConfigError(f"{path}: was made with {checkpoint['config']}; expected {asdict(self.config)}")
        self.network.load_state_dict(checkpoint["network"])
        self._averaged.load_state_dict(checkpoint["averaged"])
        self._optimiser.load_state_dict(checkpoint["optimiser"])
        self.step = checkpoint["step"]

    def _batch(self) -> list[Sample]:
        """The samples of this step, changed."""
        rng = np.random.default_rng([self.config.seed, _CHANGES, self.step])
        places = range(self.step * self.config.batch, (self.step + 1) * self.config.batch)
        return [self._changed(place, rng) for place in places]

    def _changed(self, place: int, rng: np.random.Generator) -> Sample:
        sample = self._samples[place]
        if self._samples.of_world(place):
            sample = with_usual_sizes(sample, rng)
        changed = augment(paste(sample, self._bank, self.config.pasting, rng), rng, self.config.augmentation)
        return level(changed)[0]


def averaged_weights(path: Path) -> dict[str, Any]:
    """The state of a network with the averaged weights of a checkpoint.

    Args:
        path: written by `Trainer.save`.
    """
    averaged = torch.load(path, weights_only=True)["averaged"]
    return {key.removeprefix("module."): value for key, value in averaged.items() if key.startswith("module.")}


def learning_rate(config: TrainConfig, step: int) -> float:
    """Rises in a line from a tenth, then falls along half a cosine.

    Args:
        config: greatest value, steps, share of the rise.
        step: from 0.
    """
    progress = step / config.steps
    if progress < config.warm_up:
        return config.learning_rate * (0.1 + 0.9 * progress / config.warm_up)
    fallen = (progress - config.warm_up) / (1.0 - config.warm_up)
    return config.learning_rate * max(0.5 * (1.0 + math.cos(math.pi * fallen)), 0.002)


def _average_of(network: PillarNet, config: TrainConfig) -> AveragedModel:
    def mean(averaged: Tensor, current: Tensor, count: Tensor | int) -> Tensor:
        kept = min(config.averaging, (1.0 + int(count)) / (10.0 + int(count)))
        return current if not averaged.is_floating_point() else torch.lerp(current, averaged, kept)

    average: AveragedModel = AveragedModel(network, avg_fn=mean, use_buffers=True)
    return average


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


def _bank(shares: Sequence[Share], config: TrainConfig, fooled: dict[str, Any] | None) -> ObjectBank:
    """All objects of the samples; and what a network with the weights `fooled` finds in some of them wrongly."""
    negatives: list[Cutting] = []
    if fooled is not None:
        network = PillarNet(config.network)
        network.load_state_dict(fooled)
        for share in shares:
            some = (share.samples[index] for index in _evenly(len(share.samples), NEGATIVE_SAMPLES))
            negatives += hard_negatives(some, network_finder(network))
    rng = np.random.default_rng([config.seed, _SIZES])
    return bank_of((sample for share in shares for sample in _with_real_sizes(share.samples, rng)), negatives)


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
