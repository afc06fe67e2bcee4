"""Bays lie inside their block, beside their street, and vehicles in them face into the block."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.bays import bay_strips
from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street

NORTH = Block(0.0, 5.0, 60.0, 50.0, BlockUse.HOUSES)
SOUTH = Block(0.0, -50.0, 60.0, -5.0, BlockUse.HOUSES)


def plan_of(right: Parking, left: Parking) -> Plan:
    return Plan((Street("u", 0.0, -20.0, 80.0, lane_width_m=5.0, parking=(right, left)),), (SOUTH, NORTH))


def test_perpendicular_bays_on_the_left_lie_north_and_face_north() -> None:
    (strip,) = bay_strips(plan_of(Parking.NONE, Parking.PERPENDICULAR))

    assert strip.block is NORTH
    assert strip.rectangle == pytest.approx((6.0, 5.0, 54.0, 10.0))
    assert strip.count == 19  # 48 m of 2.5 m
    np.testing.assert_allclose(strip.centres_uv_m[0], [7.25, 7.5])
    assert strip.yaw == pytest.approx(np.pi / 2)


def test_angled_bays_on_the_right_face_ahead_and_south() -> None:
    (strip,) = bay_strips(plan_of(Parking.ANGLED, Parking.NONE))

    assert strip.block is SOUTH
    assert np.cos(strip.yaw) > 0.5
    assert np.sin(strip.yaw) < -0.5
    assert (strip.centres_uv_m[:, 1] == -5.0 - strip.depth_m / 2).all()


def test_a_street_along_v_has_its_right_side_in_the_east() -> None:
    street = Street("v", 0.0, -20.0, 80.0, lane_width_m=5.0, parking=(Parking.PERPENDICULAR, Parking.NONE))
    east = Block(5.0, 0.0, 50.0, 60.0, BlockUse.HOUSES)
    west = Block(-50.0, 0.0, -5.0, 60.0, BlockUse.HOUSES)

    (strip,) = bay_strips(Plan((street,), (west, east)))

    assert strip.block is east
    assert strip.yaw == pytest.approx(0.0)
    assert strip.rectangle == pytest.approx((5.0, 6.0, 10.0, 54.0))


@pytest.mark.parametrize(
    ("parking", "block"),
    [
        (Parking.PARALLEL, NORTH),  # at the kerb, nothing is cut
        (Parking.PERPENDICULAR, Block(0.0, 8.0, 60.0, 50.0, BlockUse.HOUSES)),  # not beside the street
        (Parking.PERPENDICULAR, Block(0.0, 5.0, 13.0, 50.0, BlockUse.HOUSES)),  # too short for one
    ],
)
def test_where_no_bays_are_there_is_no_strip(parking: Parking, block: Block) -> None:
    street = Street("u", 0.0, -20.0, 80.0, lane_width_m=5.0, parking=(Parking.NONE, parking))

    assert bay_strips(Plan((street,), (block,))) == ()
