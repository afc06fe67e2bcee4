"""Object classes, and how other people's names map onto them: the one table."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class ObjectClass(IntEnum):
    """What an object is. The integer is the class id used in arrays and on the wire; it never changes."""

    CAR = 0
    VAN = 1
    TRUCK = 2
    BUS = 3
    PEDESTRIAN = 4
    CYCLIST = 5
    MOTORCYCLE = 6
    OTHER = 7

    @property
    def label(self) -> str:
        """The lower-case name used in reports, metric keys and configuration."""
        return self.name.lower()


VEHICLES: Final = frozenset({ObjectClass.CAR, ObjectClass.VAN, ObjectClass.TRUCK, ObjectClass.BUS})
"""What the metric key ``vehicle`` pools."""

KITTI_TO_CLASS: Final[dict[str, ObjectClass]] = {
    "Car": ObjectClass.CAR,
    "Van": ObjectClass.VAN,
    "Truck": ObjectClass.TRUCK,
    "Tram": ObjectClass.OTHER,
    "Pedestrian": ObjectClass.PEDESTRIAN,
    "Person_sitting": ObjectClass.PEDESTRIAN,
    "Person": ObjectClass.PEDESTRIAN,
    "Cyclist": ObjectClass.CYCLIST,
    "Misc": ObjectClass.OTHER,
}
"""KITTI's type column. ``DontCare`` is a region, not an object, and is deliberately absent."""

CLASS_TO_KITTI: Final[dict[ObjectClass, str]] = {
    ObjectClass.CAR: "Car",
    ObjectClass.VAN: "Van",
    ObjectClass.TRUCK: "Truck",
    ObjectClass.BUS: "Truck",
    ObjectClass.PEDESTRIAN: "Pedestrian",
    ObjectClass.CYCLIST: "Cyclist",
    ObjectClass.MOTORCYCLE: "Cyclist",
    ObjectClass.OTHER: "Misc",
}
"""What we write into a KITTI result file; KITTI knows neither bus nor motorcycle."""

COCO_TO_CLASS: Final[dict[str, ObjectClass]] = {
    "person": ObjectClass.PEDESTRIAN,
    "bicycle": ObjectClass.CYCLIST,
    "car": ObjectClass.CAR,
    "motorcycle": ObjectClass.MOTORCYCLE,
    "bus": ObjectClass.BUS,
    "truck": ObjectClass.TRUCK,
    "train": ObjectClass.OTHER,
}
"""COCO has no cyclist: a person overlapping a bicycle or motorcycle becomes one rider (models, post-processing); a
bicycle or motorcycle without a person is dropped there."""

CITYSCAPES_TO_CLASS: Final[dict[str, ObjectClass]] = {
    "person": ObjectClass.PEDESTRIAN,
    "rider": ObjectClass.CYCLIST,
    "car": ObjectClass.CAR,
    "truck": ObjectClass.TRUCK,
    "bus": ObjectClass.BUS,
    "train": ObjectClass.OTHER,
    "motorcycle": ObjectClass.MOTORCYCLE,
    "bicycle": ObjectClass.CYCLIST,
}
"""Pixels of a bicycle are taken for its rider's; what is not here is background."""

NUSCENES_TO_CLASS: Final[dict[str, ObjectClass]] = {
    "car": ObjectClass.CAR,
    "truck": ObjectClass.TRUCK,
    "trailer": ObjectClass.TRUCK,
    "construction_vehicle": ObjectClass.OTHER,
    "bus": ObjectClass.BUS,
    "motorcycle": ObjectClass.MOTORCYCLE,
    "bicycle": ObjectClass.CYCLIST,
    "pedestrian": ObjectClass.PEDESTRIAN,
}
"""nuScenes' detection classes; boxes of two-wheelers hold their riders. Barriers and traffic cones are no objects."""

AUTOWARE_TO_CLASS: Final[dict[str, ObjectClass]] = {
    "CAR": ObjectClass.CAR,
    "TRUCK": ObjectClass.TRUCK,
    "TRAILER": ObjectClass.TRUCK,
    "BUS": ObjectClass.BUS,
    "MOTORBIKE": ObjectClass.MOTORCYCLE,
    "BICYCLE": ObjectClass.CYCLIST,
    "PEDESTRIAN": ObjectClass.PEDESTRIAN,
}
"""Names in the parameter files of Autoware's LiDAR detectors; boxes of two-wheelers hold their riders."""
