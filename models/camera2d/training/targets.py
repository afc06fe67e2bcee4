"""Which cell answers for which object.

An object is seen at the 3x3 cells around the middle of what shows of it: for one that is half hidden that is not the
middle of its box, which may lie on whoever hides it. Small objects are seen on the fine grid, large ones on the coarse
one, those between on both. Where several want a cell, it goes to the one that its centre shows, then to the smallest.

Cells in the box of an ignored object count for nothing, unless they answer for another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.camera2d.decode import STRIDES_PX, cell_centres
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.augment import ModelSample
from vedette.models.camera2d.training.samples import NOBODY, OwnerMap
from vedette.models.grids import Grid

_FINE_UP_TO_PX: Final = 96.0
_COARSE_FROM_PX: Final = 64.0
"""Longer side of the box, pixels of the model's input: what is seen on the fine grid, and on the coarse one."""
_REACH: Final = 1.5
"""Strides from the middle to the centres of cells that answer for the object, along either axis."""


@dataclass(frozen=True, eq=False)
class CellTargets:
    """What the cells of one sample should say.

    Args:
        objects: ``(cells,) int64`` row of the object that each answers for, or `NOBODY`.
        counts: ``(cells,) bool`` whether its scores are judged.
    """

    objects: NDArrayInt
    counts: NDArrayBool


def assign(sample: ModelSample, grid: Grid) -> CellTargets:
    """Give every object its cells.

    Args:
        sample: what is shown.
        grid: all cells of the model's input.
    """
    centres = cell_centres(grid)
    wanted = ~sample.ignored
    near = _near(centres, grid.strides_px, _middles(sample)) & _on_grid(grid.strides_px, sample.boxes_px)
    candidates = near & wanted
    sides = sample.boxes_px[:, 2:] - sample.boxes_px[:, :2]
    area = sides.prod(axis=1)
    shown = _shown(centres, sample.owners)[:, None] == np.arange(len(area))
    cost = np.where(candidates, area - np.where(shown, 1e9, 0.0), np.inf)
    cost = np.concatenate([cost, np.full((len(grid), 1), 1e12)], axis=1)  # nobody, when no object wants the cell
    best = cost.argmin(axis=1)
    objects = np.where(best == len(area), NOBODY, best)
    in_ignored = _inside(centres, sample.boxes_px[sample.ignored]).any(axis=1)
    return CellTargets(objects, (objects != NOBODY) | ~in_ignored)


def _middles(sample: ModelSample) -> NDArrayFloat:
    """``(N,2)`` mean of the visible cells of the maps, pixels of the input; of the box where nothing shows."""
    rows, columns = np.nonzero(sample.owners != NOBODY)
    owners = sample.owners[rows, columns]
    count = len(sample.boxes_px)
    cells = np.bincount(owners, minlength=count)
    sums = np.stack([np.bincount(owners, weights=index, minlength=count) for index in (columns, rows)], axis=1)
    means = (sums / np.maximum(cells, 1)[:, None] + 0.5) * MASK_STRIDE_PX
    return np.where(cells[:, None] > 0, means, (sample.boxes_px[:, :2] + sample.boxes_px[:, 2:]) / 2.0)


def _near(centres: NDArrayFloat, strides: NDArrayFloat, middles: NDArrayFloat) -> NDArrayBool:
    """``(cells,N)`` cells around each object's middle."""
    reach = _REACH * strides[:, None]
    near = [np.abs(centres[:, axis, None] - middles[:, axis]) < reach for axis in (0, 1)]
    return np.asarray(near[0] & near[1])


def _on_grid(strides: NDArrayFloat, boxes_px: NDArrayFloat) -> NDArrayBool:
    """``(cells,N)`` whether the cell is of a grid on which the object is to be seen."""
    longer = (boxes_px[:, 2:] - boxes_px[:, :2]).max(axis=1, initial=0.0)
    fine = (strides == STRIDES_PX[0])[:, None]
    return np.asarray(np.where(fine, longer <= _FINE_UP_TO_PX, longer >= _COARSE_FROM_PX))


def _inside(centres: NDArrayFloat, boxes_px: NDArrayFloat) -> NDArrayBool:
    """``(cells,N)`` whether the cell's centre is in the box."""
    x, y = centres[:, 0, None], centres[:, 1, None]
    x1, y1, x2, y2 = boxes_px.T
    return np.asarray((x >= x1) & (y >= y1) & (x <= x2) & (y <= y2))


def _shown(centres: NDArrayFloat, owners: OwnerMap) -> NDArrayInt:
    """``(cells,)`` row of the object that is seen at each centre."""
    columns, rows = (centres / MASK_STRIDE_PX).astype(np.int64).T
    shown = owners[np.minimum(rows, owners.shape[0] - 1), np.minimum(columns, owners.shape[1] - 1)]
    return np.asarray(shown, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class BatchArrays:
    """Several samples at once; objects are numbered through.

    Args:
        pixels_bgr: ``(B,H,W,3) uint8``.
        owners: ``(B,h,w) int64`` object that each cell of the maps shows, or `NOBODY`.
        objects: ``(B,cells) int64`` object that each cell answers for, or `NOBODY`.
        counts: ``(B,cells) bool`` whether its scores are judged.
        boxes_px: ``(M,4) float32`` of all objects.
        channels: ``(M,) int64`` of all objects.
    """

    pixels_bgr: np.ndarray[Any, np.dtype[np.uint8]]
    owners: NDArrayInt
    objects: NDArrayInt
    counts: NDArrayBool
    boxes_px: NDArrayFloat32
    channels: NDArrayInt


def batch_of(samples: list[ModelSample], grid: Grid) -> BatchArrays:
    """Put samples together.

    Args:
        samples: of one size, at least one.
        grid: all cells of the model's input.
    """
    starts = np.cumsum([0, *(len(sample.boxes_px) for sample in samples[:-1])])
    targets = [assign(sample, grid) for sample in samples]
    return BatchArrays(
        np.stack([sample.pixels_bgr for sample in samples]),
        np.stack(
            [_numbered(sample.owners.astype(np.int64), start) for sample, start in zip(samples, starts, strict=True)]
        ),
        np.stack([_numbered(target.objects, start) for target, start in zip(targets, starts, strict=True)]),
        np.stack([target.counts for target in targets]),
        np.concatenate([sample.boxes_px for sample in samples]).astype(np.float32),
        np.concatenate([sample.channels for sample in samples]),
    )


def _numbered(rows: NDArrayInt, start: int) -> NDArrayInt:
    return np.where(rows == NOBODY, NOBODY, rows + start)
