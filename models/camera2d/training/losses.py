"""How wrong the network is: at scores, boxes and masks.

- Scores: quality focal loss (Li et al., "Generalized Focal Loss", 2020). A cell's target is the IoU of the box that it
  gives with its object's, so that the score ranks boxes by how good they are; 0 for cells of nobody.
- Boxes: 1 - GIoU (Rezatofighi et al., 2019).
- Masks: binary cross-entropy and Dice of points drawn in the object's box (the drawing is that of PointRend, Kirillov
  et al., 2020, without its preference for borders), so that small objects count as much as large ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from vedette.models.camera2d.decode import BOX_COLUMNS, MAX_LOG_DISTANCE
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.samples import NOBODY

_BOX_WEIGHT: Final = 2.0
_MASK_WEIGHT: Final = 2.0
_MASKS_PER_BATCH: Final = 192
_POINTS_PER_MASK: Final = 196


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of an input, as tensors.

    Args:
        centres_px: ``(cells,2) float32``.
        strides_px: ``(cells,) float32``.
    """

    centres_px: Tensor
    strides_px: Tensor


@dataclass(frozen=True, eq=False)
class Batch:
    """`BatchArrays` as tensors, without the pixels.

    Args:
        owners: ``(B,h,w) int64``.
        objects: ``(B,cells) int64``.
        counts: ``(B,cells) bool``.
        boxes_px: ``(M,4) float32``.
        channels: ``(M,) int64``.
    """

    owners: Tensor
    objects: Tensor
    counts: Tensor
    boxes_px: Tensor
    channels: Tensor


@dataclass(frozen=True, eq=False)
class Losses:
    """Scalars.

    Args:
        score: of all cells.
        box: of cells that answer for an object.
        mask: of some of them.
    """

    score: Tensor
    box: Tensor
    mask: Tensor

    @property
    def total(self) -> Tensor:
        """What is made small."""
        return self.score + _BOX_WEIGHT * self.box + _MASK_WEIGHT * self.mask

    def values(self) -> dict[str, float]:
        """For the log."""
        return {f"{name}_loss": float(value.item()) for name, value in vars(self).items()}


def detection_losses(
    rows: Tensor, maps: Tensor, batch: Batch, cells: Cells, *, class_count: int, generator: torch.Generator
) -> Losses:
    """Compare what the network said with what it should have said.

    Args:
        rows: ``(B,cells,columns) float32`` from the network.
        maps: ``(B,K,h,w) float32`` likewise.
        batch: what there is.
        cells: of the input.
        class_count: columns of scores.
        generator: draws objects and points for the masks.
    """
    picture, cell = torch.nonzero(batch.objects != NOBODY, as_tuple=True)
    owned = batch.objects[picture, cell]
    answers = rows[picture, cell]
    sides = answers[:, class_count : class_count + BOX_COLUMNS]
    said = _boxes(sides, cells.centres_px[cell], cells.strides_px[cell])
    iou, giou = _overlaps(said, batch.boxes_px[owned])
    quality = torch.zeros((*rows.shape[:2], class_count))
    quality[picture, cell, batch.channels[owned]] = iou.detach().clamp(min=0.0)
    drawn = torch.randperm(len(picture), generator=generator)[:_MASKS_PER_BATCH]
    coefficients = answers[drawn, class_count + BOX_COLUMNS :]
    return Losses(
        _quality_focal(rows[..., :class_count], quality, batch.counts) / max(len(picture), 1),
        (1.0 - giou).sum() / max(len(picture), 1),
        _mask_loss(maps, coefficients, batch, picture[drawn], owned[drawn], generator=generator),
    )


def _boxes(sides: Tensor, centres: Tensor, strides: Tensor) -> Tensor:
    """As `decode.decode_boxes`."""
    distances = sides.clamp(max=MAX_LOG_DISTANCE).exp() * strides[:, None]
    return torch.cat([centres - distances[:, :2], centres + distances[:, 2:]], dim=1)


def _overlaps(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """IoU and GIoU of boxes, row by row."""
    shared = _area(torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:]))
    around = _area(torch.minimum(a[:, :2], b[:, :2]), torch.maximum(a[:, 2:], b[:, 2:]))
    union = _area(a[:, :2], a[:, 2:]) + _area(b[:, :2], b[:, 2:]) - shared
    iou = shared / union.clamp(min=1e-6)
    return iou, iou - (around - union) / around.clamp(min=1e-6)


def _area(low: Tensor, high: Tensor) -> Tensor:
    return (high - low).clamp(min=0.0).prod(dim=1)


def _quality_focal(logits: Tensor, quality: Tensor, counts: Tensor) -> Tensor:
    error = (quality - logits.sigmoid()).abs().square()
    entropy = functional.binary_cross_entropy_with_logits(logits, quality, reduction="none")
    return (error * entropy)[counts].sum()


def _mask_loss(
    maps: Tensor, coefficients: Tensor, batch: Batch, picture: Tensor, owned: Tensor, *, generator: torch.Generator
) -> Tensor:
    if len(owned) == 0:
        return maps.sum() * 0.0
    _, count, height, width = maps.shape
    low, high = batch.boxes_px[owned][:, None, :2], batch.boxes_px[owned][:, None, 2:]
    drawn = torch.rand((len(owned), _POINTS_PER_MASK, 2), generator=generator)
    points = ((low + drawn * (high - low)) / MASK_STRIDE_PX).long()
    column, row = points[..., 0].clamp(max=width - 1), points[..., 1].clamp(max=height - 1)
    values = maps.permute(0, 2, 3, 1).reshape(-1, count)[(picture[:, None] * height + row) * width + column]
    at = (torch.stack([column, row], dim=2) + 0.5) * MASK_STRIDE_PX
    u, v = ((2.0 * at - low - high) / (high - low).clamp(min=1.0)).unbind(dim=2)
    place = torch.stack([torch.ones_like(u), u, v, u * u, v * v], dim=2)
    logits = (torch.cat([values, place], dim=2) * coefficients[:, None]).sum(dim=2)
    truth = (batch.owners[picture[:, None], row, column] == owned[:, None]).float()
    entropy = functional.binary_cross_entropy_with_logits(logits, truth)
    return entropy + _dice(logits.sigmoid(), truth).mean()


def _dice(said: Tensor, truth: Tensor) -> Tensor:
    """``(P,)`` one minus the Dice coefficient of each mask's points."""
    return 1.0 - (2.0 * (said * truth).sum(dim=1) + 1.0) / (said.square().sum(dim=1) + truth.sum(dim=1) + 1.0)
