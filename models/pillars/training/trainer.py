"""A network on its way: one step after another, everything random in which follows from the seed and the step's number.

So a training that goes on from a checkpoint comes to the same weights that one without a break would have. The weights
that count are the *averaged* ones: an exponential mean over the steps, which is steadier than any single step's.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from vedette.errors import ConfigError
from vedette.models.checkpoints import checkpoint_state
from vedette.models.pillars.training.augment import Augmentation, augment
from vedette.models.pillars.training.batches import collate, losses_of
from vedette.models.pillars.training.losses import Losses
from vedette.models.pillars.training.mixture import Mixture, Share
from vedette.models.pillars.training.network import NetworkConfig, PillarNet
from vedette.models.pillars.training.object_changes import with_usual_sizes
from vedette.models.pillars.training.pasting import MixedBank, ObjectBank, Pasting, paste
from vedette.models.pillars.training.shards import Sample, level
from vedette.paths import write_whole

FAMILY: Final = "pillars"
_CHANGES: Final = 2  # stream of random numbers


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

    def __init__(self, config: TrainConfig, shares: Sequence[Share], bank: ObjectBank | MixedBank) -> None:
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
    def steps(self) -> int:
        """How many it takes in all."""
        return self.config.steps

    @property
    def learning_rate(self) -> float:
        """Of the next step."""
        return learning_rate(self.config, self.step)

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
            group["lr"] = self.learning_rate
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
        content = io.BytesIO()
        torch.save(
            {
                "step": self.step,
                "config": asdict(self.config),
                "network": self.network.state_dict(),
                "averaged": self._averaged.state_dict(),
                "optimiser": self._optimiser.state_dict(),
            },
            content,
        )
        write_whole(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Go on from a checkpoint.

        Args:
            path: written by `save`.

        Raises:
            ConfigError: it is one of another configuration, or none.
        """
        checkpoint = read_state(path)
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


def read_state(path: Path) -> dict[str, Any]:
    """All that a checkpoint holds.

    Args:
        path: written by `Trainer.save`.

    Raises:
        MissingDataError: it is not there.
        ConfigError: it is none of this family.
    """
    return checkpoint_state(path, partial(torch.load, weights_only=True), FAMILY, "network")


def averaged_weights(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a network with the averaged weights of a checkpoint.

    Args:
        state: of the checkpoint.
    """
    return {key.removeprefix("module."): value for key, value in state["averaged"].items() if key.startswith("module.")}


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
