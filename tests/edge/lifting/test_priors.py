"""Class priors."""

from __future__ import annotations

import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import class_by_height, prior

CAR, VAN, TRUCK, BUS = ObjectClass.CAR, ObjectClass.VAN, ObjectClass.TRUCK, ObjectClass.BUS


@pytest.mark.parametrize(
    ("said", "height_m", "expected"),
    [
        (CAR, None, CAR),
        (TRUCK, None, TRUCK),
        (CAR, 1.5, CAR),
        (CAR, 1.84, CAR),
        (CAR, 1.85, VAN),
        (TRUCK, 2.0, VAN),  # COCO's detectors call many vans trucks
        (TRUCK, 1.5, CAR),  # and some cars
        (CAR, 3.0, TRUCK),
        (BUS, 3.0, BUS),
        (ObjectClass.PEDESTRIAN, 2.5, ObjectClass.PEDESTRIAN),
        (ObjectClass.OTHER, 2.5, ObjectClass.OTHER),
    ],
)
def test_height_corrects_vehicles_only(said, height_m, expected):
    """Vehicles are told apart by height; nothing else changes."""
    assert class_by_height(said, height_m) is expected


@pytest.mark.parametrize("object_class", list(ObjectClass))
def test_every_class_has_a_prior(object_class):
    """No class is forgotten, and all sizes and their spreads are positive."""
    assert min(prior(object_class).size_m) > 0
    assert min(prior(object_class).plan_sigma_m) > 0
