"""Samples put together for one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from vedette.geometry import NDArrayFloat, iou_3d_pairs
from vedette.models.pillars.box_code import decode_boxes
from vedette.models.pillars.features import Pillars, pillarise
from vedette.models.pillars.grid import CELLS, QUARTERS, AnswerGrid
from vedette.models.pillars.training.losses import Losses, at_cells, box_loss, heat_loss, quality_loss
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
    boxes_velo: NDArrayFloat
    code: Tensor
    weights: Tensor


def collate(samples: Sequence[Sample], grid: AnswerGrid) -> tuple[Scenes, Answers]:
    """The scenes and the right answers of some samples.

    Args:
        samples: at least one; there must be a point in the grid of some.
        grid: of the answers.
    """
    return scenes_of(samples), _answers([make_targets(sample, grid) for sample in samples], grid)


def scenes_of(samples: Sequence[Sample]) -> Scenes:
    """The scenes of some samples.

    Args:
        samples: at least one; there must be a point in the grid of some.
    """
    pillars: list[Pillars] = [pillarise(sample.points_velo_m) for sample in samples]
    starts = np.cumsum([0, *(len(scene.cells) for scene in pillars)])
    return Scenes(
        torch.from_numpy(np.concatenate([scene.features for scene in pillars])),
        torch.from_numpy(np.concatenate([scene.slots + QUARTERS * starts[i] for i, scene in enumerate(pillars)])),
        torch.from_numpy(np.concatenate([scene.cells + i * CELLS for i, scene in enumerate(pillars)])),
        len(pillars),
    )


def losses_of(network: PillarNet, scenes: Scenes, answers: Answers, *, bf16: bool) -> Losses:
    """How far the network is off.

    Args:
        network: as it is.
        scenes: what it gets.
        answers: what it should say.
        bf16: convolutions in 16 bits.
    """
    said = network(scenes.features, scenes.slots, scenes.cells, scenes.count, bf16=bf16)
    told = at_cells(said.code, answers.cells)
    quality = at_cells(said.quality[:, None], answers.cells)[:, 0]
    return Losses(
        heat_loss(said.heat, answers.heat, answers.asked),
        box_loss(told, answers.code, answers.weights),
        quality_loss(quality, _iou(told, answers, network.config.grid), answers.weights),
    )


def _iou(told: Tensor, answers: Answers, grid: AnswerGrid) -> Tensor:
    """Of the boxes told with those that should be."""
    boxes = decode_boxes(told.detach().numpy(), answers.cells.numpy() % grid.cells, grid)
    return torch.from_numpy(iou_3d_pairs(boxes, answers.boxes_velo).astype(np.float32))


def _answers(targets: Sequence[Targets], grid: AnswerGrid) -> Answers:
    return Answers(
        torch.from_numpy(np.stack([scene.heat for scene in targets])),
        torch.from_numpy(np.stack([scene.asked for scene in targets])),
        torch.from_numpy(np.concatenate([scene.cells + i * grid.cells for i, scene in enumerate(targets)])),
        np.concatenate([scene.boxes_velo for scene in targets]),
        torch.from_numpy(np.concatenate([scene.code for scene in targets])),
        torch.from_numpy(np.concatenate([scene.weights for scene in targets])),
    )
