"""What the network should say about a sample.

Heat: on the map of the object's class 1 in the cell of its centre, falling off around it; elsewhere 0. It is not asked
for around objects of which hardly a point is seen, on the map of their class, and on all maps where something stands
of which the labels do not say whether it is one of the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillars.box_code import encode_boxes
from vedette.models.pillars.grid import LEAST_X_M, LEAST_Y_M, AnswerGrid
from vedette.models.pillars.training.shards import Sample

CHANNELS: Final = ("Car", "Van", "Pedestrian", "Cyclist")
"""Heat maps in order, by KITTI's names; vans are all that is larger than a car."""
NO_CHANNEL: Final = -1
MIN_POINTS: Final = 5
"""An object with fewer points is none that one could be sure of."""
_CHANNEL_BY_CLASS: Final = {
    ObjectClass.CAR: 0,
    ObjectClass.VAN: 1,
    ObjectClass.TRUCK: 1,
    ObjectClass.BUS: 1,
    ObjectClass.PEDESTRIAN: 2,
    ObjectClass.CYCLIST: 3,
}
_HEAT_SIGMA_M: Final = (0.58, 0.58, 0.45, 0.45)
_HEAT_REACH: Final = 3.3  # sigmas; the heat is 0.004 there
_BOX_REACH: Final = 1  # cells around the centre that tell the box too: a peak may come out one cell off
_BESIDE_WEIGHT: Final = 0.4
_IGNORED_REACH_M: Final = 1.5


@dataclass(frozen=True)
class Targets:
    """The answer for one sample.

    Args:
        heat: ``(K,R,C) float32`` in [0, 1], exactly 1 in the cells of centres.
        asked: ``(K,R,C) bool`` where the heat matters.
        cells: ``(B,) int64`` cells that tell a box; one may occur twice where objects stand close.
        boxes_velo: ``(B,7) float64`` the box of each.
        code: ``(B,10) float32`` what each tells.
        weights: ``(B,) float32`` how much each matters.
    """

    heat: NDArrayFloat32
    asked: NDArrayBool
    cells: NDArrayInt
    boxes_velo: NDArrayFloat
    code: NDArrayFloat32
    weights: NDArrayFloat32


def channels_of(class_ids: NDArrayInt) -> NDArrayInt:
    """The heat map of each object.

    Args:
        class_ids: ``(N,) int64`` values of `ObjectClass`.

    Returns:
        ``(N,) int64``, `NO_CHANNEL` for what is of none.
    """
    table = np.full(max(ObjectClass) + 1, NO_CHANNEL)
    table[list(_CHANNEL_BY_CLASS)] = list(_CHANNEL_BY_CLASS.values())
    channels: NDArrayInt = table[class_ids]
    return channels


def make_targets(sample: Sample, grid: AnswerGrid) -> Targets:
    """The answer for a sample.

    Args:
        sample: as the network gets it, augmented if it is.
        grid: of the answer.
    """
    channels = channels_of(sample.class_ids)
    centres = _in_cells(sample.boxes_velo, grid)
    placed = (channels != NO_CHANNEL) & (sample.points_hit >= MIN_POINTS) & _in_grid(np.floor(centres), grid)
    uncertain = ~placed & (sample.points_hit > 0)
    asked = _asked(channels[uncertain], centres[uncertain], grid)
    heat = _heat(channels[placed], centres[placed], grid)
    cells, told, weights = _told(centres[placed], grid)
    boxes = sample.boxes_velo[placed][told]
    return Targets(heat, asked | (heat > 0), cells, boxes, encode_boxes(boxes, cells, grid), weights)


def _in_cells(boxes_velo: NDArrayFloat, grid: AnswerGrid) -> NDArrayFloat:
    """``(N,2)`` column and row of the centres, with fractions."""
    places: NDArrayFloat = (boxes_velo[:, :2] - (LEAST_X_M, LEAST_Y_M)) / grid.cell_m
    return places


def _in_grid(places: NDArrayFloat | NDArrayInt, grid: AnswerGrid) -> NDArrayBool:
    """Which ``(...,2)`` columns and rows exist."""
    inside: NDArrayBool = (places >= 0) & (places < (grid.columns, grid.rows))
    both: NDArrayBool = inside[..., 0] & inside[..., 1]
    return both


def _around(places: NDArrayInt, reach: int) -> NDArrayInt:
    """``(N,W,2)`` the square of cells around each of ``(N,2)``."""
    steps = np.arange(-reach, reach + 1)
    square = np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
    around: NDArrayInt = places[:, None] + square
    return around


def _asked(channels: NDArrayInt, centres: NDArrayFloat, grid: AnswerGrid) -> NDArrayBool:
    """Not around the objects given: on the map of each, on all maps where it has none."""
    asked = np.ones((len(CHANNELS), grid.rows, grid.columns), np.bool_)
    near = _around(np.floor(centres).astype(np.int64), round(_IGNORED_REACH_M / grid.cell_m))
    inside = _in_grid(near, grid)
    for channel, cells, exist in zip(channels.tolist(), near, inside, strict=True):
        maps = slice(None) if channel == NO_CHANNEL else channel
        asked[maps, cells[exist, 1], cells[exist, 0]] = False
    return asked


def _heat(channels: NDArrayInt, centres: NDArrayFloat, grid: AnswerGrid) -> NDArrayFloat32:
    heat = np.zeros((len(CHANNELS), grid.rows, grid.columns), np.float32)
    for channel, sigma_m in enumerate(_HEAT_SIGMA_M):
        _warm(heat[channel], centres[channels == channel], sigma_m / grid.cell_m, grid)
    return heat


def _warm(heat: NDArrayFloat32, centres: NDArrayFloat, sigma: float, grid: AnswerGrid) -> None:
    """Put centres on a map; sigma in cells."""
    own = np.floor(centres).astype(np.int64)
    near = _around(own, int(np.ceil(_HEAT_REACH * sigma)))
    squares = ((near + 0.5 - centres[:, None]) ** 2).sum(axis=-1)
    value = np.exp(-squares / (2 * sigma**2)).astype(np.float32)
    inside = _in_grid(near, grid)
    np.maximum.at(heat, (near[inside][:, 1], near[inside][:, 0]), value[inside])
    heat[own[:, 1], own[:, 0]] = 1.0


def _told(centres: NDArrayFloat, grid: AnswerGrid) -> tuple[NDArrayInt, NDArrayInt, NDArrayFloat32]:
    """Cells that tell a box, which box each tells, and its weight."""
    own = np.floor(centres).astype(np.int64)
    near = _around(own, _BOX_REACH)
    inside = _in_grid(near, grid)
    boxes = np.broadcast_to(np.arange(len(centres))[:, None], inside.shape)[inside]
    weights = np.where((near == own[:, None]).all(axis=-1), 1.0, _BESIDE_WEIGHT)[inside].astype(np.float32)
    cells = near[inside][:, 1] * grid.columns + near[inside][:, 0]
    return cells, boxes, weights
