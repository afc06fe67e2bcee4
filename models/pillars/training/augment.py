"""A sample as it might have been: mirrored, turned, tilted, scaled, objects moved a little, seen by a poorer sensor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillars.training.object_changes import with_objects_changed
from vedette.models.pillars.training.shards import Sample

_BEND_AT_M: Final = 40.0
_LEAST_TO_ERASE: Final = 15  # points; of fewer too little would be left
_LEAST_LEFT: Final = 0.3
_BEAM_SPACING_RAD: Final = np.deg2rad(0.43)  # of an HDL-64E, from +2 to -24.8 degrees


@dataclass(frozen=True)
class Augmentation:
    """How far samples are changed. Raising any of it makes training slower, and what is learnt fit more sensors.

    Args:
        mirrored: share of samples whose left and right are swapped.
        turn_rad: greatest turn about the sensor's axis, either way.
        scale: greatest change of size, either way.
        height_m: standard deviation of the sensor's height.
        tilt_rad: standard deviation of its pitch and roll; KITTI's looks down by 0.005.
        moved_m: standard deviation of each object's shift along x and y, and
        moved_rad: of its turn, points and box together.
        resized: standard deviation of the factors by which its length, width and height are multiplied.
        thinned: share of samples of which points are dropped at random,
        least_kept: and the smallest share of points that is kept then.
        beams_lost: share of samples of which whole beams are dropped,
        most_beams_lost: and the greatest share of beams dropped then.
        bend_m: standard deviation of the rise of the land 40 m away, over the plane at the sensor.
        erased: share of objects of which one side is not seen: mirrors, dark paint, open windows.
        lifted_m: standard deviation of each object's height over the land: kerbs, ditches, slopes beside the road.
    """

    mirrored: float = 0.5
    turn_rad: float = 0.6
    scale: float = 0.05
    height_m: float = 0.1
    tilt_rad: float = 0.007
    moved_m: float = 0.1
    moved_rad: float = 0.05
    resized: float = 0.03
    thinned: float = 0.5
    least_kept: float = 0.4
    beams_lost: float = 0.15
    most_beams_lost: float = 0.5
    bend_m: float = 0.35
    erased: float = 0.25
    lifted_m: float = 0.12


def augment(sample: Sample, rng: np.random.Generator, augmentation: Augmentation) -> Sample:
    """Change a sample at random; points stay where they are in their boxes.

    Args:
        sample: what was seen.
        rng: of this sample in this step.
        augmentation: how far.
    """
    sample = _select(sample, _kept(sample.points_velo_m, rng, augmentation))
    sample = _jittered(_partly_erased(sample, rng, augmentation), rng, augmentation)
    if rng.random() < augmentation.mirrored:
        sample = _mirrored(sample)
    sample = _turned(sample, rng.uniform(-augmentation.turn_rad, augmentation.turn_rad))
    sample = _scaled(sample, 1.0 + rng.uniform(-augmentation.scale, augmentation.scale))
    sample = _bent(sample, rng.normal(size=2) * augmentation.bend_m)
    sample = _tilted(sample, *(rng.normal(size=2) * augmentation.tilt_rad).tolist())
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


def _partly_erased(sample: Sample, rng: np.random.Generator, augmentation: Augmentation) -> Sample:
    """Of some objects the points beyond a plane through them, at most seven tenths."""
    kept = np.ones(len(sample.points_velo_m), np.bool_)
    for row in np.flatnonzero(rng.random(len(sample.boxes_velo)) < augmentation.erased).tolist():
        own = np.flatnonzero(sample.owners == row)
        if len(own) >= _LEAST_TO_ERASE:
            along = sample.points_velo_m[own] @ rng.normal(size=3).astype(np.float32)
            kept[own[along > np.quantile(along, rng.uniform(_LEAST_LEFT, 1.0))]] = False
    return _select(sample, np.flatnonzero(kept))


def _jittered(sample: Sample, rng: np.random.Generator, augmentation: Augmentation) -> Sample:
    """Each object another one, a little."""
    count = len(sample.boxes_velo)
    factors = 1.0 + augmentation.resized * np.clip(rng.normal(size=(count, 3)), -2.0, 2.0)
    spread_m = np.array([augmentation.moved_m, augmentation.moved_m, augmentation.lifted_m])
    shifts_m = rng.normal(size=(count, 3)) * spread_m
    turns_rad = rng.normal(size=count) * augmentation.moved_rad
    return with_objects_changed(sample, factors, shifts_m, turns_rad)


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


def _bent(sample: Sample, rises_m: NDArrayFloat) -> Sample:
    """Land that bends up or down with the square of the distance, ahead and to the side; boxes stay upright."""
    curve = rises_m / _BEND_AT_M**2
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, 2] += (points[:, :2] ** 2) @ curve.astype(np.float32)
    boxes[:, 2] += (boxes[:, :2] ** 2) @ curve
    return replace(sample, points_velo_m=points, boxes_velo=boxes)


def _tilted(sample: Sample, pitch_rad: float, roll_rad: float) -> Sample:
    """Seen by a sensor that looks down by `pitch_rad`, its left side up by `roll_rad`; boxes stay upright."""
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, 2] += points[:, :2] @ np.array([pitch_rad, -roll_rad], np.float32)
    boxes[:, 2] += boxes[:, :2] @ np.array([pitch_rad, -roll_rad])
    return replace(sample, points_velo_m=points, boxes_velo=boxes)


def _raised(sample: Sample, height_m: float) -> Sample:
    points, boxes = sample.points_velo_m.copy(), sample.boxes_velo.copy()
    points[:, 2] += np.float32(height_m)
    boxes[:, 2] += height_m
    return replace(sample, points_velo_m=points, boxes_velo=boxes)
