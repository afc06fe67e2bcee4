"""Objects of other samples set into a sample, each as far away as it was seen, so that it has the points it would have.

After Yan et al., "SECOND", Sensors 2018 (sampling of labelled objects), with what a beam would do: an object stands on
the ground that is there, hides what lies behind it, and is hidden by what stands before it.

    sensor ►  · · · ·┌────┐              the sample's points behind the object go,
              · · · ·│ ▪▪▪│ ✕ ✕ ✕        those of the object behind something nearer never come
              · ·▌   └────┘ ✕ ✕ ✕
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, bev_iou
from vedette.models.pillars.training.shards import NOBODY, Sample
from vedette.models.pillars.training.targets import CHANNELS, MIN_POINTS, NO_CHANNEL, channels_of

MAX_AZIMUTH_RAD: Final = 0.66
"""Of a pasted object's centre: the camera sees 0.71 to either side."""
NOTHING: Final = NO_CHANNEL
"""Channel of pasted things that are none of the classes: what a network took for one, and was wrong."""
_AZIMUTH_STEP_RAD: Final = np.deg2rad(0.35)  # two beams side by side
_ELEVATION_STEP_RAD: Final = np.deg2rad(0.45)  # two beams one above the other
_ELEVATIONS: Final = 128
_AZIMUTHS: Final = 640
_LEAST_BEHIND_M: Final = 0.3
_GROUND_REACH_M: Final = 2.0
_GROUND_PERCENTILE: Final = 20.0
_MIN_GROUND_POINTS: Final = 6
_CLEAR_HEIGHT_M: Final = 0.4  # above the ground; what is higher stands in the way
_MAX_IN_THE_WAY: Final = 5  # points


@dataclass(frozen=True)
class Cutting:
    """An object with its points.

    Args:
        points_velo_m: ``(N,3) float32``.
        box_velo: ``(7,) float64``.
        class_id: value of `ObjectClass`; -1 for what is no object.
    """

    points_velo_m: NDArrayFloat32
    box_velo: NDArrayFloat
    class_id: int


class ObjectBank:
    """Objects to choose from, by heat map.

    Args:
        cuttings: all of them.
    """

    def __init__(self, cuttings: Iterable[Cutting]) -> None:
        self._by_channel: dict[int, list[Cutting]] = {channel: [] for channel in (NOTHING, *range(len(CHANNELS)))}
        for cutting in cuttings:
            self._by_channel[_channel(cutting)].append(cutting)

    def count(self, channel: int) -> int:
        """Objects of one heat map, or of `NOTHING`."""
        return len(self._by_channel[channel])

    def draw(self, channel: int, rng: np.random.Generator) -> Cutting | None:
        """One of them, None where there is none.

        Args:
            channel: heat map, or `NOTHING`.
            rng: to draw with.
        """
        choices = self._by_channel[channel]
        return choices[rng.integers(len(choices))] if choices else None


class MixedBank:
    """Several banks, of which some are drawn from more often than the number of their objects would have it.

    Args:
        banks: each with its weight, above 0.
    """

    def __init__(self, banks: Sequence[tuple[ObjectBank, float]]) -> None:
        self._banks = tuple(banks)

    def draw(self, channel: int, rng: np.random.Generator) -> Cutting | None:
        """One object of some bank that has any, None where none has.

        Args:
            channel: heat map, or `NOTHING`.
            rng: to draw with.
        """
        able = [(bank, weight) for bank, weight in self._banks if bank.count(channel)]
        if not able:
            return None
        weights = np.array([weight for _, weight in able])
        return able[rng.choice(len(able), p=weights / weights.sum())][0].draw(channel, rng)


@dataclass(frozen=True)
class Pasting:
    """How much is pasted.

    Args:
        most: objects that are tried in a sample; a random number up to it.
        shares: of `CHANNELS`, in order, and of `NOTHING`, among them.
    """

    most: int = 8
    shares: tuple[float, ...] = (0.35, 0.15, 0.25, 0.2, 0.05)


def cuttings_of(sample: Sample) -> list[Cutting]:
    """The objects of a sample that have points enough.

    Args:
        sample: labelled.
    """
    usable = np.flatnonzero((channels_of(sample.class_ids) != NO_CHANNEL) & (sample.points_hit >= MIN_POINTS))
    return [
        Cutting(sample.points_velo_m[sample.owners == row], sample.boxes_velo[row], int(sample.class_ids[row]))
        for row in usable.tolist()
    ]


def paste(sample: Sample, bank: ObjectBank | MixedBank, pasting: Pasting, rng: np.random.Generator) -> Sample:
    """Set some objects into a sample; those that do not fit are left out.

    Args:
        sample: what was seen.
        bank: to choose from.
        pasting: how much.
        rng: of this sample in this step.
    """
    kinds = [*range(len(CHANNELS)), NOTHING]
    chosen = rng.choice(kinds, size=rng.integers(pasting.most + 1), p=np.array(pasting.shares) / sum(pasting.shares))
    taken = sample.boxes_velo
    for channel in chosen.tolist():
        cutting = bank.draw(channel, rng)
        placed = None if cutting is None else _placed(_turned(cutting, rng), sample, taken)
        if placed is not None:
            sample = _joined(sample, placed)
            taken = np.vstack([taken, placed.box_velo])
    return sample


def _channel(cutting: Cutting) -> int:
    if cutting.class_id == NOBODY:
        return NOTHING
    return int(channels_of(np.array([cutting.class_id]))[0])


def _turned(cutting: Cutting, rng: np.random.Generator) -> Cutting:
    """Somewhere else at the same distance, as it was or mirrored."""
    box = cutting.box_velo.copy()
    points = cutting.points_velo_m.astype(np.float64)
    if rng.random() < 0.5:
        points[:, 1] *= -1.0
        box[[1, 6]] *= -1.0
    angle = rng.uniform(-MAX_AZIMUTH_RAD, MAX_AZIMUTH_RAD) - np.arctan2(box[1], box[0])
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points[:, :2] = points[:, :2] @ turn.T
    box[:2] = turn @ box[:2]
    box[6] += angle
    return replace(cutting, points_velo_m=points.astype(np.float32), box_velo=box)


def _placed(cutting: Cutting, sample: Sample, taken: NDArrayFloat) -> Cutting | None:
    """Set on the ground, None where it cannot stand."""
    if (bev_iou(cutting.box_velo[None], taken) > 0).any():
        return None
    offsets = sample.points_velo_m - cutting.box_velo[:3].astype(np.float32)
    reach_m = np.float32(cutting.box_velo[3] / 2 + _GROUND_REACH_M)
    near = np.flatnonzero((np.abs(offsets[:, :2]) < reach_m).all(axis=1))
    if len(near) < _MIN_GROUND_POINTS:
        return None
    heights = sample.points_velo_m[near, 2]
    ground_z_m = float(np.percentile(heights, _GROUND_PERCENTILE))
    in_the_way = _above(offsets[near], cutting.box_velo) & (heights > ground_z_m + _CLEAR_HEIGHT_M)
    if in_the_way.sum() > _MAX_IN_THE_WAY:
        return None
    rise_m = ground_z_m - (cutting.box_velo[2] - cutting.box_velo[5] / 2)
    up = np.array([0.0, 0.0, rise_m])
    box = cutting.box_velo.copy()
    box[:3] += up
    return replace(cutting, points_velo_m=cutting.points_velo_m + up.astype(np.float32), box_velo=box)


def _above(offsets: NDArrayFloat32, box_velo: NDArrayFloat) -> NDArrayBool:
    """Which points, given from the box's centre, lie in its outline seen from above."""
    cos, sin = np.cos(box_velo[6]), np.sin(box_velo[6])
    along = np.abs(cos * offsets[:, 0] + sin * offsets[:, 1])
    across = np.abs(cos * offsets[:, 1] - sin * offsets[:, 0])
    inside: NDArrayBool = (along < box_velo[3] / 2) & (across < box_velo[4] / 2)
    return inside


def _joined(sample: Sample, cutting: Cutting) -> Sample:
    """Both, each without what the other hides; the sample as it was where too little of the object is left."""
    own_bins, own_ranges_m = _beams(cutting.points_velo_m)
    bins, ranges_m = _beams(sample.points_velo_m)
    seen = own_ranges_m < _nearest(bins, ranges_m)[own_bins] + _LEAST_BEHIND_M
    if seen.sum() < MIN_POINTS:
        return sample
    hidden = ranges_m > _nearest(own_bins[seen], own_ranges_m[seen])[bins] + _LEAST_BEHIND_M
    kept = np.flatnonzero(~(hidden | _inside(sample.points_velo_m, cutting.box_velo)))
    return _with(_only(sample, kept), replace(cutting, points_velo_m=cutting.points_velo_m[seen]))


def _only(sample: Sample, kept: NDArrayInt) -> Sample:
    return replace(sample, points_velo_m=sample.points_velo_m[kept], owners=sample.owners[kept])


def _with(sample: Sample, cutting: Cutting) -> Sample:
    is_object = cutting.class_id != NOBODY
    owner = len(sample.boxes_velo) if is_object else NOBODY
    joined = replace(
        sample,
        points_velo_m=np.concatenate([sample.points_velo_m, cutting.points_velo_m]),
        owners=np.concatenate([sample.owners, np.full(len(cutting.points_velo_m), owner)]),
    )
    if not is_object:
        return joined
    boxes = np.vstack([sample.boxes_velo, cutting.box_velo])
    return replace(joined, boxes_velo=boxes, class_ids=np.append(sample.class_ids, cutting.class_id))


def _inside(points: NDArrayFloat32, box_velo: NDArrayFloat) -> NDArrayBool:
    """Which points lie in a box, its lowest hand's breadth left out: there is the ground it stands on."""
    offsets = points - box_velo[:3].astype(np.float32)
    inside: NDArrayBool = _above(offsets, box_velo) & (offsets[:, 2] > 0.1 - box_velo[5] / 2)
    return inside


def _beams(points: NDArrayFloat32) -> tuple[NDArrayInt, NDArrayFloat32]:
    """Direction of each point as the number of a bin, and its distance."""
    across_m = np.hypot(points[:, 0], points[:, 1])
    azimuth = np.arctan2(points[:, 1], points[:, 0]) / _AZIMUTH_STEP_RAD + _AZIMUTHS / 2
    elevation = np.arctan2(points[:, 2], across_m) / _ELEVATION_STEP_RAD + _ELEVATIONS / 2
    column = np.clip(azimuth, 0, _AZIMUTHS - 1).astype(np.int64)
    row = np.clip(elevation, 0, _ELEVATIONS - 1).astype(np.int64)
    return row * _AZIMUTHS + column, np.hypot(across_m, points[:, 2])


def _nearest(bins: NDArrayInt, ranges_m: NDArrayFloat32) -> NDArrayFloat32:
    """Least distance in each bin, infinite in those without a point."""
    nearest = np.full(_AZIMUTHS * _ELEVATIONS, np.inf, np.float32)
    np.minimum.at(nearest, bins, ranges_m)
    return nearest


def bank_of(samples: Iterable[Sample], negatives: Sequence[Cutting] = ()) -> ObjectBank:
    """A bank of all objects of some samples.

    Args:
        samples: labelled.
        negatives: further cuttings that are no objects.
    """
    return ObjectBank([*(cutting for sample in samples for cutting in cuttings_of(sample)), *negatives])
