"""The one table of class names."""

from __future__ import annotations

from vedette.classes import CLASS_TO_KITTI, COCO_TO_CLASS, KITTI_TO_CLASS, VEHICLES, ObjectClass


def test_ids_on_the_wire_never_change() -> None:
    """Recorded runs and older peers rely on these numbers."""
    assert [member.label for member in ObjectClass] == [
        "car", "van", "truck", "bus", "pedestrian", "cyclist", "motorcycle", "other",
    ]  # fmt: skip
    assert [int(member) for member in ObjectClass] == list(range(8))


def test_every_class_can_be_written_for_kitti() -> None:
    """What we write, KITTI's reader takes; a class that KITTI has comes back as itself."""
    assert set(CLASS_TO_KITTI) == set(ObjectClass)
    kept = [ObjectClass.CAR, ObjectClass.VAN, ObjectClass.TRUCK, ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST]
    assert [KITTI_TO_CLASS[CLASS_TO_KITTI[member]] for member in kept] == kept


def test_dont_care_is_not_a_class() -> None:
    """It is a region without labels."""
    assert "DontCare" not in KITTI_TO_CLASS


def test_vehicles_pool_four_classes() -> None:
    """As the metric key `vehicle` says."""
    assert {member.label for member in VEHICLES} == {"car", "van", "truck", "bus"}
    assert COCO_TO_CLASS["bus"] in VEHICLES
