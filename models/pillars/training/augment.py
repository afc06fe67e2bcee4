"""A sample as it might have been: mirrored, turned, scaled, higher or lower, seen by a poorer sensor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat32, NDArrayInt
from vedette.models.pillars.training.shards import Sample

_BEAM_SPACING_RAD: Final = np.deg2rad(0.43)  # of an HDL-64E, from +2 to -24.8 degrees


@dataclass(frozen=True)
class Augmentation:
    """How far samples are changed. Raising any of it makes training slower, and what is learnt fit more sensors.

    Args:
        mirrored: share of samples whose left and right are swapped.
        turn_rad: greatest turn about the sensor's axis, either way.
        scale: greatest change of size, either way.
        height_m: standard deviation of the sensor's height.
        thinned: share of samples of which points are dropped at random,
        least_kept: and the smallest share of points that is kept then.
        beams_lost: share of samples of which whole beams are dropped,
        most_beams_lost: and the greatest share of beams dropped then.
    """

    mirrored: float = 0.5
    turn_rad: float = 0.6
    scale: float = 0.05
    height_m: float = 0.1
    thinned: float = 0.3
    least_kept: float = 0.6
    beams_lost: float = 0.15
    most_beams_lost: float = 0.5


def augment(sample: Sample, rng: np.random.Generator, augmentation: Augmentation) -> Sample:
    """Change a sample at random; points stay where they are in their boxes.

    Args:
        sample: what was seen.
        rng: of this sample in this step.
        augmentation: how far.
    """
    sample = _select(sample, _kept(sample.points_velo_m, rng, augmentation))
    if rng.random() < augmentation.mirrored:
        sample = _mirrored(sample)
    sample = _turned(sample, rng.uniform(-augmentation.turn_rad, augmentation.turn_rad))
    sample = _scaled(sample, 1.0 + rng.uniform(-augmentation.scale, augmentation.scale))
    return _raised(sample, rng.normal() * augmentation.height_m)


def _kept(points: NDArrayFloat32, rng: np.random.Generator, augmentation: Augmentation) -> NDArrayInt:
    kept = np.ones(len(points), np.bool_)
    if rng.random() < augmentation.thinned:
        kept &= rng.random(len(points)) < rng.uniform(augmentation.least_kept, 1.0)
    if rng.random() < augmentation.beams_lost:
        elevation = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
        _, beam = np.unique(np.floor(elevation / _BEAM_SPACING_RAD), return_inverse=True)
        kept &= (rng.random(beam.max(initial=0) + 1) >= rng.uniform(0.0, augmentation.most_beams_lost))[beam]
    return np.flatnonzero(kept)


def _select(sample: Sample, kept: NDArrayInt) -> Sample:
    return replace(sample, points_velo_m=sample.points_velo_m[kept], owners=sample.owners[kept])


def _mirrored(sample: Sample) -> Sample:
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, 1] *= -1.0
    boxes[:, [1, 6]] *= -1.0
    return replace(sample, points_velo_m=points, boxes_velo=boxes)


def _turned(sample: Sample, angle_rad: float) -> Sample:
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    turn = np.array([[cos, -sin], [sin, cos]])
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, :2] = points[:, :2] @ turn.T.astype(np.float32)
    boxes[:, :2] = boxes[:, :2] @ turn.T
    boxes[:, 6] += angle_rad
    return replace(sample, points_velo_m=points, boxes_velo=boxes)


def _scaled(sample: Sample, factor: float) -> Sample:
    boxes = sample.boxes_velo.copy()
    boxes[:, :6] *= factor
    return replace(sample, points_velo_m=sample.points_velo_m * np.float32(factor), boxes_velo=boxes)


def _raised(sample: Sample, height_m: float) -> Sample:
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, 2] += np.float32(height_m)
    boxes[:, 2] += height_m
    return replace(sample, points_velo_m=points, boxes_velo=boxes)
