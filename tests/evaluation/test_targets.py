"""The table of classes and difficulties."""

from __future__ import annotations

from itertools import pairwise

import pytest

from vedette.classes import CLASS_TO_KITTI, KITTI_TO_CLASS, VEHICLES
from vedette.evaluation.targets import CAR, DIFFICULTIES, OFFICIAL_TARGETS, TARGETS, VAN, VEHICLE


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_type_is_both_own_and_neutral(target):
    """A type cannot count and be neutral at once, and everything is lower case."""
    assert not target.types & target.neutral_types
    assert {name.lower() for name in target.types | target.neutral_types} == target.types | target.neutral_types


def test_car_and_van_are_neutral_to_each_other():
    """Each may absorb detections of the other without counting."""
    assert CAR.neutral_types == VAN.types
    assert VAN.neutral_types == CAR.types


def test_vehicle_pools_what_the_class_table_says():
    """Every vehicle class, as written into KITTI files, is in the pool; no other is."""
    assert {CLASS_TO_KITTI[member].lower() for member in VEHICLES} <= VEHICLE.types
    others = {name.lower() for name, member in KITTI_TO_CLASS.items() if member not in VEHICLES}
    assert not others & VEHICLE.types


def test_official_minima():
    """KITTI asks 0.7 of cars and 0.5 of the others."""
    assert {target.name: target.min_overlaps[0] for target in OFFICIAL_TARGETS} == {
        "car": 0.7,
        "pedestrian": 0.5,
        "cyclist": 0.5,
    }


def test_difficulties_widen():
    """What counts as easy counts as moderate, and that as hard."""
    for inner, outer in pairwise(DIFFICULTIES):
        assert inner.min_height_px >= outer.min_height_px
        assert inner.max_occlusion <= outer.max_occlusion
        assert inner.max_truncation <= outer.max_truncation
