"""The training loop.

    python -m vedette.models.pillars.training.train SAMPLES HELD_OUT RUN --steps 6000

Writes into the folder RUN: `config.json`, `log.jsonl` (one line every 50 steps, and one for every evaluation) and
`checkpoint.pt`. Started again with the same arguments it goes on from the checkpoint, to the same weights that a run
without a break would have: everything random in a step follows from the seed and the step's number.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from vedette.errors import ConfigError
from vedette.models.pillars.decode import Found, decode
from vedette.models.pillars.training.augment import Augmentation, augment
from vedette.models.pillars.training.batches import collate, losses_of
from vedette.models.pillars.training.evaluate import LEAST_SCORE, Finder, evaluate
from vedette.models.pillars.training.losses import Losses
from vedette.models.pillars.training.network import NetworkConfig, PillarNet
from vedette.models.pillars.training.shards import Sample, SampleSet

CONFIG_FILE: Final = "config.json"
LOG_FILE: Final = "log.jsonl"
CHECKPOINT_FILE: Final = "checkpoint.pt"
_ORDER, _CHANGES = 1, 2  # streams of random numbers


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
        bf16: convolutions in 16 bits.
        seed: of the first weights, the order of samples and their changes.
        network: its size.
        augmentation: how samples are changed.
    """

    steps: int = 6000
    batch: int = 4
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    warm_up: float = 0.15
    largest_gradient: float = 10.0
    bf16: bool = True
    seed: int = 0
    network: NetworkConfig = field(default_factory=NetworkConfig)
    augmentation: Augmentation = field(default_factory=Augmentation)


class Trainer:
    """A network on its way.

    Args:
        config: what to do.
        samples: to learn from, at least a batch of them.

    Raises:
        ConfigError: fewer samples than a batch.
    """

    def __init__(self, config: TrainConfig, samples: SampleSet) -> None:
        if len(samples) < config.batch:
            raise ConfigError(f"{len(samples)} samples; expected at least a batch of {config.batch}")
        torch.manual_seed(config.seed)
        self.config = config
        self.step = 0
        self.network = PillarNet(config.network)
        self._samples = samples
        self._optimiser = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, betas=(0.9, 0.99), weight_decay=config.weight_decay
        )

    def advance(self) -> Losses:
        """Take one step.

        Returns:
            The losses before it.
        """
        self.network.train()
        for group in self._optimiser.param_groups:
            group["lr"] = learning_rate(self.config, self.step)
        losses = losses_of(self.network, *collate(self._batch()), bf16=self.config.bf16)
        self._optimiser.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.largest_gradient)
        self._optimiser.step()
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
        self._optimiser.load_state_dict(checkpoint["optimiser"])
        self.step = checkpoint["step"]

    def _batch(self) -> list[Sample]:
        """The samples of this step, changed."""
        rng = np.random.default_rng([self.config.seed, _CHANGES, self.step])
        places = range(self.step * self.config.batch, (self.step + 1) * self.config.batch)
        return [augment(self._samples[self._index(place)], rng, self.config.augmentation) for place in places]

    def _index(self, place: int) -> int:
        """Every sample once, in a new order, then again."""
        epoch, within = divmod(place, len(self._samples))
        order = np.random.default_rng([self.config.seed, _ORDER, epoch]).permutation(len(self._samples))
        return int(order[within])


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


def network_finder(network: PillarNet) -> Finder:
    """A network in torch as a detector of samples.

    Args:
        network: put into the state for use, not for training.
    """
    network.eval()

    def find(sample: Sample) -> Found:
        scenes, _ = collate([sample])
        with torch.no_grad():
            heat, regression = network(scenes.features, scenes.slots, scenes.cells, 1, bf16=True)
        return decode(torch.sigmoid(heat[0]).numpy(), regression[0].numpy(), LEAST_SCORE)

    return find


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
    started = saved = time.monotonic()
    recent: list[tuple[float, float]] = []
    while trainer.step < trainer.config.steps and time.monotonic() - started < 60 * schedule.minutes:
        losses = trainer.advance()
        recent.append((losses.heat.item(), losses.box.item()))
        if trainer.step % schedule.log_steps == 0:
            _log(run, trainer, started, _means(recent))
            recent.clear()
        if trainer.step % schedule.evaluate_steps == 0:
            _log(run, trainer, started, _evaluated(trainer, held_out, schedule.evaluate_samples))
        if time.monotonic() - saved > 60 * schedule.checkpoint_minutes:
            trainer.save(run / CHECKPOINT_FILE)
            saved = time.monotonic()
    trainer.save(run / CHECKPOINT_FILE)
    _log(run, trainer, started, _evaluated(trainer, held_out, len(held_out)))


def _means(recent: list[tuple[float, float]]) -> dict[str, float]:
    heat, box = np.mean(recent, axis=0).round(4).tolist()
    return {"heat_loss": heat, "box_loss": box}


def _evaluated(trainer: Trainer, held_out: SampleSet, count: int) -> dict[str, float]:
    """Figures on some of the samples, taken evenly: neighbours are of one world."""
    chosen = np.linspace(0, len(held_out) - 1, min(count, len(held_out))).round().astype(int).tolist()
    return evaluate((held_out[index] for index in chosen), network_finder(trainer.network))


def _log(run: Path, trainer: Trainer, started: float, figures: Mapping[str, float]) -> None:
    rate = learning_rate(trainer.config, trainer.step)
    place = {"step": trainer.step, "seconds": round(time.monotonic() - started, 1), "learning_rate": round(rate, 6)}
    line = json.dumps({**place, **figures}) + "\n"
    with (run / LOG_FILE).open("a", encoding="utf-8") as file:
        file.write(line)
    sys.stdout.write(line)
    sys.stdout.flush()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path, help="folder to learn from")
    parser.add_argument("held_out", type=Path, help="folder to evaluate on")
    parser.add_argument("run", type=Path, help="folder to write into")
    parser.add_argument("--steps", type=int, default=TrainConfig.steps)
    parser.add_argument("--batch", type=int, default=TrainConfig.batch)
    parser.add_argument("--learning-rate", type=float, default=TrainConfig.learning_rate)
    parser.add_argument("--seed", type=int, default=TrainConfig.seed)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop then; started again it goes on")
    parser.add_argument("--threads", type=int, default=1, help="more than 1 only when nothing else runs")
    parser.add_argument("--evaluate-steps", type=int, default=Schedule.evaluate_steps)
    parser.add_argument("--evaluate-samples", type=int, default=Schedule.evaluate_samples)
    return parser.parse_args()


def main() -> None:
    """Train, or go on with training."""
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    samples, held_out = SampleSet(arguments.samples), SampleSet(arguments.held_out)
    config = TrainConfig(
        steps=arguments.steps,
        batch=arguments.batch,
        learning_rate=arguments.learning_rate,
        seed=arguments.seed,
    )
    trainer = Trainer(config, samples)
    arguments.run.mkdir(parents=True, exist_ok=True)
    checkpoint = arguments.run / CHECKPOINT_FILE
    if checkpoint.exists():
        trainer.load(checkpoint)
    _write_config(arguments.run / CONFIG_FILE, trainer.config, samples, held_out)
    schedule = Schedule(
        minutes=arguments.minutes,
        evaluate_steps=arguments.evaluate_steps,
        evaluate_samples=arguments.evaluate_samples,
    )
    train(trainer, held_out, arguments.run, schedule)


def _write_config(path: Path, config: TrainConfig, samples: SampleSet, held_out: SampleSet) -> None:
    document: dict[str, Any] = {
        "config": asdict(config),
        "samples": {"count": len(samples), "sha256": samples.fingerprint},
        "held_out": {"count": len(held_out), "sha256": held_out.fingerprint},
        "torch": torch.__version__,
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
