"""What is known of an object from its class alone: typical size, and how it moves.

Sizes of cars, pedestrians and cyclists are the anchors of OpenPCDet's KITTI models, adjusted to the means of KITTI's
labels; a van, truck or bus is told from a car by its measured height, because the image classes of COCO know no van
and call it car or truck by taste.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from vedette.classes import ObjectClass


class Group(Enum):
    """Classes that a detector may take for one another; objects of different groups are never the same object."""

    VEHICLE = "vehicle"
    PERSON = "person"
    OTHER = "other"


@dataclass(frozen=True)
class Prior:
    """What a class says about an object.

    Args:
        size_m: length, width, height.
        plan_sigma_m: spread of length and width among objects of the class.
        group: which other classes it may be confused with.
        has_faces: whether its sides are flat enough for a rectangle to be fitted to them.
        speed_sigma_mps: spread of the speed of a newly seen one.
        acceleration_sigma_mps2: spread of its acceleration.
    """

    size_m: tuple[float, float, float]
    plan_sigma_m: tuple[float, float]
    group: Group
    has_faces: bool
    speed_sigma_mps: float
    acceleration_sigma_mps2: float


_PRIORS: Final = {
    ObjectClass.CAR: Prior((3.9, 1.63, 1.53), (0.45, 0.1), Group.VEHICLE, True, 4.0, 2.5),
    ObjectClass.VAN: Prior((4.9, 1.87, 2.1), (0.5, 0.12), Group.VEHICLE, True, 4.0, 2.5),
    ObjectClass.TRUCK: Prior((9.0, 2.5, 3.2), (2.5, 0.15), Group.VEHICLE, True, 4.0, 1.5),
    ObjectClass.BUS: Prior((11.0, 2.55, 3.2), (2.0, 0.1), Group.VEHICLE, True, 4.0, 1.5),
    ObjectClass.PEDESTRIAN: Prior((0.8, 0.65, 1.76), (0.2, 0.1), Group.PERSON, False, 1.0, 1.0),
    ObjectClass.CYCLIST: Prior((1.76, 0.6, 1.74), (0.15, 0.1), Group.PERSON, False, 3.0, 1.5),
    ObjectClass.MOTORCYCLE: Prior((2.1, 0.8, 1.6), (0.2, 0.1), Group.PERSON, False, 5.0, 2.0),
    ObjectClass.OTHER: Prior((3.0, 1.5, 1.6), (1.5, 0.5), Group.OTHER, True, 4.0, 2.0),
}

_VAN_FROM_M: Final = 1.85
_TRUCK_FROM_M: Final = 2.6


def prior(object_class: ObjectClass) -> Prior:
    """What the class says about an object of it."""
    return _PRIORS[object_class]


def class_by_height(object_class: ObjectClass, height_m: float | None) -> ObjectClass:
    """Correct a vehicle's class by its measured height; other classes stay as they are.

    Args:
        object_class: as the detector says.
        height_m: measured, or None when it was not.

    Returns:
        For a vehicle of known height: car, van, or one of truck and bus.
    """
    if height_m is None or prior(object_class).group is not Group.VEHICLE:
        return object_class
    if height_m < _VAN_FROM_M:
        return ObjectClass.CAR
    if height_m < _TRUCK_FROM_M:
        return ObjectClass.VAN
    return object_class if object_class is ObjectClass.BUS else ObjectClass.TRUCK
