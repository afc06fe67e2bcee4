"""What is scored: classes with their neighbours, and KITTI's three difficulties.

A *target* pools label types that count as one class. Its *neutral* types look so alike that neither finding nor missing
them counts: KITTI's own rule takes vans as neutral to cars and sitting persons to pedestrians. Types are compared
without regard to case, as KITTI's evaluator does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vedette.classes import CLASS_TO_KITTI, VEHICLES


@dataclass(frozen=True)
class Target:
    """A class as the metrics see it.

    Args:
        name: the word in metric keys.
        types: names of KITTI's type column, lower case, that are this class; any label of them matches any detection.
        neutral_types: labels of these types may absorb detections of this class, and count for nothing else.
        min_overlaps: IoU minima that reports give, the official one first.
    """

    name: str
    types: frozenset[str]
    neutral_types: frozenset[str]
    min_overlaps: tuple[float, ...]


@dataclass(frozen=True)
class Difficulty:
    """Which labels count: at least this tall in the image, and at most this occluded and truncated.

    Args:
        name: the word in metric keys.
        min_height_px: height of the 2D box, pixels; holds for detections too.
        max_occlusion: KITTI's occlusion level, 0 to 2.
        max_truncation: share of the object outside the image, 0 to 1.
    """

    name: str
    min_height_px: float
    max_occlusion: int
    max_truncation: float


EASY: Final = Difficulty("easy", 40.0, 0, 0.15)
MODERATE: Final = Difficulty("moderate", 25.0, 1, 0.3)
HARD: Final = Difficulty("hard", 25.0, 2, 0.5)
DIFFICULTIES: Final = (EASY, MODERATE, HARD)

_VEHICLE_TYPES: Final = frozenset({CLASS_TO_KITTI[member].lower() for member in VEHICLES} | {"bus"})
_SITTING: Final = frozenset({"person_sitting", "person"})  # object and tracking benchmark call them differently

CAR: Final = Target("car", frozenset({"car"}), frozenset({"van"}), (0.7, 0.5))
VAN: Final = Target("van", frozenset({"van"}), frozenset({"car"}), (0.7, 0.5))
TRUCK: Final = Target("truck", frozenset({"truck", "bus"}), frozenset({"tram"}), (0.7, 0.5))
VEHICLE: Final = Target("vehicle", _VEHICLE_TYPES, frozenset({"tram"}), (0.7, 0.5))
PEDESTRIAN: Final = Target("pedestrian", frozenset({"pedestrian"}), _SITTING, (0.5,))
CYCLIST: Final = Target("cyclist", frozenset({"cyclist"}), frozenset(), (0.5,))

TARGETS: Final = (CAR, VAN, TRUCK, VEHICLE, PEDESTRIAN, CYCLIST)
"""All that a replay reports."""

OFFICIAL_TARGETS: Final = (CAR, PEDESTRIAN, CYCLIST)
"""The classes of KITTI's benchmark."""
