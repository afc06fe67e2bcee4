"""Samples put together for one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from vedette.models.pillars.features import Pillars, pillarise
from vedette.models.pillars.grid import ANSWER_CELLS, CELLS
from vedette.models.pillars.training.losses import Losses, box_loss, heat_loss
from vedette.models.pillars.training.network import PillarNet
from vedette.models.pillars.training.shards import Sample
from vedette.models.pillars.training.targets import Targets, make_targets


@dataclass(frozen=True)
class Scenes:
    """What the network takes; see `PillarNet.forward`."""

    features: Tensor
    slots: Tensor
    cells: Tensor
    count: int


@dataclass(frozen=True)
class Answers:
    """What it should give; see `losses`."""

    heat: Tensor
    asked: Tensor
    cells: Tensor
    code: Tensor
    weights: Tensor


def collate(samples: Sequence[Sample]) -> tuple[Scenes, Answers]:
    """The scenes and the right answers of some samples.

    Args:
        samples: at least one; there must be a point in the grid of some.
    """
    return _scenes([pillarise(s.points_velo_m) for s in samples]), _answers([make_targets(s) for s in samples])


def losses_of(network: PillarNet, scenes: Scenes, answers: Answers, *, bf16: bool) -> Losses:
    """How far the network is off.

    Args:
        network: as it is.
        scenes: what it gets.
        answers: what it should say.
        bf16: convolutions in 16 bits.
    """
    heat, regression = network(scenes.features, scenes.slots, scenes.cells, scenes.count, bf16=bf16)
    return Losses(
        heat_loss(heat[:, 0], answers.heat, answers.asked),
        box_loss(regression, answers.cells, answers.code, answers.weights),
    )


def _scenes(pillars: Sequence[Pillars]) -> Scenes:
    starts = np.cumsum([0, *(len(scene.cells) for scene in pillars)])
    return Scenes(
        torch.from_numpy(np.concatenate([scene.features for scene in pillars])),
        torch.from_numpy(np.concatenate([scene.slots + starts[i] for i, scene in enumerate(pillars)])),
        torch.from_numpy(np.concatenate([scene.cells + i * CELLS for i, scene in enumerate(pillars)])),
        len(pillars),
    )


def _answers(targets: Sequence[Targets]) -> Answers:
    return Answers(
        torch.from_numpy(np.stack([scene.heat for scene in targets])),
        torch.from_numpy(np.stack([scene.asked for scene in targets])),
        torch.from_numpy(np.concatenate([scene.cells + i * ANSWER_CELLS for i, scene in enumerate(targets)])),
        torch.from_numpy(np.concatenate([scene.code for scene in targets])),
        torch.from_numpy(np.concatenate([scene.weights for scene in targets])),
    )
