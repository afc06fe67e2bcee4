"""The objects of a sample each changed with its points: another size, another place, another heading."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat
from vedette.models.pillars.training.shards import NOBODY, Sample
from vedette.models.pillars.training.targets import channels_of

_WORLD_SIZES: Final = (
    ((0.93, 0.1), (0.97, 0.04), (1.01, 0.06)),
    ((1.0, 0.13), (1.0, 0.07), (1.0, 0.1)),
    ((1.0, 0.1), (1.1, 0.1), (1.04, 0.04)),
    ((1.03, 0.1), (0.95, 0.12), (1.07, 0.05)),
    ((1.0, 0.0), (1.0, 0.0), (1.0, 0.0)),
)
"""Mean and standard deviation by which length, width and height of the world's objects are multiplied to have the
sizes of KITTI's labels: by heat map, and last for what has none. The world's cars are longer than those of Karlsruhe,
its vans less various, its people lower and narrower than annotators draw them."""


def with_usual_sizes(sample: Sample, rng: np.random.Generator) -> Sample:
    """A sample of the generated world with objects of the sizes that labels of real ones have.

    Args:
        sample: of the world.
        rng: to draw with.
    """
    table = np.array(_WORLD_SIZES)[channels_of(sample.class_ids)]
    factors = table[..., 0] + table[..., 1] * np.clip(rng.normal(size=table.shape[:2]), -2.0, 2.0)
    count = len(sample.boxes_velo)
    return with_objects_changed(sample, factors, np.zeros((count, 3)), np.zeros(count))


def with_objects_changed(
    sample: Sample, factors: NDArrayFloat, shifts_m: NDArrayFloat, turns_rad: NDArrayFloat
) -> Sample:
    """Each object changed about the middle of its bottom.

    Args:
        sample: labelled.
        factors: ``(M,3)`` by which length, width and height are multiplied.
        shifts_m: ``(M,3)`` along x, y and z.
        turns_rad: ``(M,)`` counter-clockwise.
    """
    boxes = sample.boxes_velo.copy()
    boxes[:, :3] += shifts_m
    boxes[:, 3:6] *= factors
    boxes[:, 2] += (boxes[:, 5] - sample.boxes_velo[:, 5]) / 2
    boxes[:, 6] += turns_rad
    owned = np.flatnonzero(sample.owners != NOBODY)
    owner = sample.owners[owned]
    local = _local(sample.points_velo_m[owned].astype(np.float64), sample.boxes_velo[owner]) * factors[owner]
    points = sample.points_velo_m.copy()
    points[owned] = _global(local, boxes[owner])
    return replace(sample, points_velo_m=points, boxes_velo=boxes)


def _local(points: NDArrayFloat, boxes: NDArrayFloat) -> NDArrayFloat:
    """Each point as seen from its box: along, across, above the bottom."""
    offsets = points - _bottoms(boxes)
    cos, sin = np.cos(boxes[:, 6]), np.sin(boxes[:, 6])
    along = cos * offsets[:, 0] + sin * offsets[:, 1]
    across = cos * offsets[:, 1] - sin * offsets[:, 0]
    return np.column_stack([along, across, offsets[:, 2]])


def _global(local: NDArrayFloat, boxes: NDArrayFloat) -> NDArrayFloat:
    cos, sin = np.cos(boxes[:, 6]), np.sin(boxes[:, 6])
    x = cos * local[:, 0] - sin * local[:, 1]
    y = sin * local[:, 0] + cos * local[:, 1]
    places: NDArrayFloat = np.column_stack([x, y, local[:, 2]]) + _bottoms(boxes)
    return places


def _bottoms(boxes: NDArrayFloat) -> NDArrayFloat:
    bottoms: NDArrayFloat = boxes[:, :3] - boxes[:, 5:6] * [0.0, 0.0, 0.5]
    return bottoms
