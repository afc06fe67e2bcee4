"""How far the network's answer is from the right one.

Heat: focal loss with the penalty reduced near centres (Zhou, Wang and Krähenbühl, "Objects as points", 2019, eq. 1;
alpha 2, beta 4), over the number of centres. Boxes: absolute difference in code. Quality: binary cross-entropy to the
IoU that the box told there has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

BOX_WEIGHT: Final = 2.0
QUALITY_WEIGHT: Final = 0.5
_CODE_WEIGHTS: Final = (0.5, 0.5, 1.0, 1.5, 1.5, 1.5, 1.0, 1.0, 0.2, 0.2)
_TINY: Final = 1e-4  # keeps logarithms finite


@dataclass(frozen=True)
class Losses:
    """The parts of the loss, scalars."""

    heat: Tensor
    box: Tensor
    quality: Tensor

    @property
    def total(self) -> Tensor:
        """What is minimised."""
        return self.heat + BOX_WEIGHT * self.box + QUALITY_WEIGHT * self.quality

    def values(self) -> dict[str, float]:
        """For the log."""
        return {f"{name}_loss": float(value.item()) for name, value in vars(self).items()}


def heat_loss(logits: Tensor, heat: Tensor, asked: Tensor) -> Tensor:
    """Focal loss of heat maps.

    Args:
        logits: ``(S,K,R,C)`` before the sigmoid.
        heat: ``(S,K,R,C)`` what it should be, 1 at centres.
        asked: ``(S,K,R,C) bool`` where it matters.
    """
    chance = torch.sigmoid(logits).clamp(_TINY, 1.0 - _TINY)
    centre = heat == 1.0
    at_centres = (1.0 - chance) ** 2 * chance.log()
    elsewhere = (1.0 - heat) ** 4 * chance**2 * (1.0 - chance).log()
    return -(torch.where(centre, at_centres, elsewhere) * asked).sum() / centre.sum().clamp(min=1)


def box_loss(told: Tensor, code: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean of the absolute differences, summed over the code.

    Args:
        told: ``(B,10)``.
        code: ``(B,10)`` what should be told.
        weights: ``(B,)``.
    """
    differences = ((told - code).abs() * code.new_tensor(_CODE_WEIGHTS)).sum(dim=1)
    return _weighted_mean(differences, weights)


def quality_loss(logits: Tensor, iou: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean of the cross-entropy.

    Args:
        logits: ``(B,)`` before the sigmoid.
        iou: ``(B,)`` of the boxes that were told, in [0, 1].
        weights: ``(B,)``.
    """
    return _weighted_mean(binary_cross_entropy_with_logits(logits, iou, reduction="none"), weights)


def at_cells(maps: Tensor, cells: Tensor) -> Tensor:
    """Rows of maps.

    Args:
        maps: ``(S,W,R,C)``.
        cells: ``(B,) int64`` cells of the answer, those of scene s counted from s * R * C.

    Returns:
        ``(B,W)``.
    """
    return maps.permute(0, 2, 3, 1).reshape(-1, maps.shape[1])[cells]


def _weighted_mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / (weights.sum() + 1e-3)
