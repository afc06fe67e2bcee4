"""What the network should say about a sample.

Heat: 1 in the cell of a positive object's centre, falling off around it; the rest of the map is 0. Around objects that
are neither one nor the other the heat is not asked for: vans, which an observer may well take for cars, and cars of
which hardly a point is seen. Everything else that stands in the world is something that is not a car.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillars.box_code import encode_boxes
from vedette.models.pillars.grid import (
    ANSWER_CELL_M,
    ANSWER_CELLS,
    ANSWER_COLUMNS,
    ANSWER_ROWS,
    LEAST_X_M,
    LEAST_Y_M,
)
from vedette.models.pillars.training.shards import Sample

MIN_POINTS: Final = 5
"""A car with fewer points is none that one could be sure of."""
_HEAT_SIGMA: Final = 0.9  # cells
_HEAT_REACH: Final = 3  # cells; at 3.3 sigma the heat is 0.004
_BOX_REACH: Final = 1  # cells around the centre that tell the box too: a peak may come out one cell off
_BESIDE_WEIGHT: Final = 0.4
_IGNORED_REACH: Final = 2  # cells


@dataclass(frozen=True)
class Targets:
    """The answer for one sample.

    Args:
        heat: ``(R,C) float32`` in [0, 1], exactly 1 in the cells of centres.
        asked: ``(R,C) bool`` where the heat matters.
        cells: ``(B,) int64`` cells that tell a box; one may occur twice where objects stand close.
        code: ``(B,8) float32`` what each tells.
        weights: ``(B,) float32`` how much each matters.
    """

    heat: NDArrayFloat32
    asked: NDArrayBool
    cells: NDArrayInt
    code: NDArrayFloat32
    weights: NDArrayFloat32


def make_targets(sample: Sample) -> Targets:
    """The answer for a sample.

    Args:
        sample: as the network gets it, augmented if it is.
    """
    hit = sample.points_hit
    positive = (sample.class_ids == ObjectClass.CAR) & (hit >= MIN_POINTS)
    alike = np.isin(sample.class_ids, (ObjectClass.CAR, ObjectClass.VAN))
    ignored = ~positive & alike & (hit > 0)
    centres = _in_cells(sample.boxes_velo)
    placed = positive & _in_grid(np.floor(centres).astype(np.int64))
    asked = _asked(np.floor(centres[ignored]).astype(np.int64))
    heat = _heat(centres[placed])
    asked |= heat > 0
    cells, boxes, weights = _told(centres[placed])
    return Targets(heat, asked, cells, encode_boxes(sample.boxes_velo[placed][boxes], cells), weights)


def _in_cells(boxes_velo: NDArrayFloat) -> NDArrayFloat:
    """``(N,2)`` column and row of the centres, with fractions."""
    places: NDArrayFloat = (boxes_velo[:, :2] - (LEAST_X_M, LEAST_Y_M)) / ANSWER_CELL_M
    return places


def _in_grid(places: NDArrayInt) -> NDArrayBool:
    """Which ``(...,2)`` columns and rows exist."""
    inside: NDArrayBool = (places >= 0) & (places < (ANSWER_COLUMNS, ANSWER_ROWS))
    both: NDArrayBool = inside[..., 0] & inside[..., 1]
    return both


def _around(places: NDArrayInt, reach: int) -> NDArrayInt:
    """``(N,W,2)`` the square of cells around each of ``(N,2)``."""
    steps = np.arange(-reach, reach + 1)
    square = np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
    around: NDArrayInt = places[:, None] + square
    return around


def _asked(ignored: NDArrayInt) -> NDArrayBool:
    asked = np.ones((ANSWER_ROWS, ANSWER_COLUMNS), np.bool_)
    near = _around(ignored, _IGNORED_REACH)
    near = near[_in_grid(near)]
    asked[near[:, 1], near[:, 0]] = False
    return asked


def _heat(centres: NDArrayFloat) -> NDArrayFloat32:
    own = np.floor(centres).astype(np.int64)
    near = _around(own, _HEAT_REACH)
    squares = ((near + 0.5 - centres[:, None]) ** 2).sum(axis=-1)
    value = np.exp(-squares / (2 * _HEAT_SIGMA**2)).astype(np.float32)
    inside = _in_grid(near)
    heat = np.zeros((ANSWER_ROWS, ANSWER_COLUMNS), np.float32)
    np.maximum.at(heat, (near[inside][:, 1], near[inside][:, 0]), value[inside])
    heat[own[:, 1], own[:, 0]] = 1.0
    return heat


def _told(centres: NDArrayFloat) -> tuple[NDArrayInt, NDArrayInt, NDArrayFloat32]:
    """Cells that tell a box, which box each tells, and its weight."""
    own = np.floor(centres).astype(np.int64)
    near = _around(own, _BOX_REACH)
    inside = _in_grid(near)
    boxes = np.broadcast_to(np.arange(len(centres))[:, None], inside.shape)[inside]
    weights = np.where((near == own[:, None]).all(axis=-1), 1.0, _BESIDE_WEIGHT)[inside].astype(np.float32)
    cells = near[inside][:, 1] * ANSWER_COLUMNS + near[inside][:, 0]
    assert cells.max(initial=0) < ANSWER_CELLS
    return cells, boxes, weights
