"""How far the network's answer is from the right one.

Heat: focal loss with the penalty reduced near centres (Zhou, Wang and Krähenbühl, "Objects as points", 2019, eq. 1;
alpha 2, beta 4), over the number of centres. Boxes: absolute difference in code, sizes counted half as much again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

BOX_WEIGHT: Final = 2.0
_CODE_WEIGHTS: Final = (1.0, 1.0, 1.0, 1.5, 1.5, 1.5, 1.0, 1.0)
_TINY: Final = 1e-4  # keeps logarithms finite


@dataclass(frozen=True)
class Losses:
    """The two parts of the loss, scalars."""

    heat: Tensor
    box: Tensor

    @property
    def total(self) -> Tensor:
        """What is minimised."""
        return self.heat + BOX_WEIGHT * self.box


def heat_loss(logits: Tensor, heat: Tensor, asked: Tensor) -> Tensor:
    """Focal loss of heat maps.

    Args:
        logits: ``(S,R,C)`` before the sigmoid.
        heat: ``(S,R,C)`` what it should be, 1 at centres.
        asked: ``(S,R,C) bool`` where it matters.
    """
    chance = torch.sigmoid(logits).clamp(_TINY, 1.0 - _TINY)
    centre = heat == 1.0
    at_centres = (1.0 - chance) ** 2 * chance.log()
    elsewhere = (1.0 - heat) ** 4 * chance**2 * (1.0 - chance).log()
    return -(torch.where(centre, at_centres, elsewhere) * asked).sum() / centre.sum().clamp(min=1)


def box_loss(regression: Tensor, cells: Tensor, code: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean of the absolute differences, summed over the code.

    Args:
        regression: ``(S,8,R,C)``.
        cells: ``(B,) int64`` cells of the answer, those of scene s counted from s * R * C.
        code: ``(B,8)`` what they should tell.
        weights: ``(B,)``.
    """
    told = regression.permute(0, 2, 3, 1).reshape(-1, regression.shape[1])[cells]
    differences = ((told - code).abs() * code.new_tensor(_CODE_WEIGHTS)).sum(dim=1)
    return (differences * weights).sum() / (weights.sum() + 1e-3)
