"""Parked vehicles stand beside the road and off the footways; footways lead round blocks and over streets."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.plan import Block, BlockUse, Claims, Parking, Plan, Street
from vedette.datasets.synth.roads.network import Network, build_network
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.footways import build_footways, footway_circles
from vedette.datasets.synth.traffic.itinerary import Itinerary
from vedette.datasets.synth.traffic.parking import park_on_driveways, park_vehicles
from vedette.datasets.synth.traffic.right_of_way import RightOfWay
from vedette.datasets.synth.traffic.walkers import Walker, move_walkers


def place(right: Parking, left: Parking) -> Network:
    """Four blocks of houses round a crossing; the street along u has parking at its sides."""
    street = Street("u", 0.0, -80.0, 80.0, parking=(right, left))
    other = Street("v", 0.0, -80.0, 80.0)
    v_low, v_high = -street.side_m[0], street.side_m[1]
    blocks = [
        Block(u0, v0, u1, v1, BlockUse.HOUSES)
        for u0, u1 in ((-80.0, -3.2), (3.2, 80.0))
        for v0, v1 in ((-80.0, v_low), (v_high, 80.0))
    ]
    return build_network(Plan((street, other), tuple(blocks)), Terrain(), None)


def test_parallel_rows_stand_at_the_kerb_clear_of_lane_and_junction() -> None:
    parked = park_vehicles(place(Parking.PARALLEL, Parking.NONE), np.random.default_rng(1), 1.0)

    assert 15 < len(parked) < 30  # 2 stretches of 67 m
    for one in parked:
        length, width, _ = one.shape.size_m
        u, v = one.uv_m
        assert v - width / 2 > -3.2 - 2.1 - 0.05
        assert v + width / 2 < -3.2 + 0.2
        assert abs(u) - length / 2 > 3.2 + 9.5
        assert abs(np.sin(one.plan_yaw)) < np.sin(np.deg2rad(2.1))


@pytest.mark.parametrize("parking", [Parking.ANGLED, Parking.PERPENDICULAR])
def test_nobody_in_a_bay_reaches_into_the_carriageway(parking: Parking) -> None:
    parked = park_vehicles(place(Parking.NONE, parking), np.random.default_rng(2), 1.0)

    assert len(parked) > 15
    for one in parked:
        length, width, _ = one.shape.size_m
        reach = (length * abs(np.sin(one.plan_yaw)) + width * abs(np.cos(one.plan_yaw))) / 2
        assert one.uv_m[1] - reach > 3.2


def test_driveways_lie_behind_the_pavement_and_on_the_kerb() -> None:
    parked = park_on_driveways(place(Parking.NONE, Parking.NONE), np.random.default_rng(3), 1.0)

    assert len(parked) >= 16
    assert {one.above_m for one in parked} == {0.12}
    for one in parked:
        nose = min(abs(one.uv_m[0]), abs(one.uv_m[1])) - one.shape.size_m[0] / 2
        assert nose > 3.2 + 2.5


def test_footways_stay_on_the_pavement_and_meet_all_crossings() -> None:
    footways = build_footways(place(Parking.NONE, Parking.NONE))

    assert len(footways) == 8
    for footway in footways.values():
        block = footway.block
        points = footway.point(np.arange(0.0, footway.length_m, 1.0))
        edge = np.minimum(points - [block.u0, block.v0], np.array([block.u1, block.v1]) - points).min(axis=1)
        assert ((edge > 1.0) & (edge < 2.3)).all()
        assert len(footway.accesses) == 2  # every block has two arms beside it


def test_footways_are_claimed() -> None:
    footways = build_footways(place(Parking.NONE, Parking.NONE))
    claims = Claims()
    claims.claim(footway_circles(footways))

    for footway in footways.values():
        for at_m in np.arange(0.0, footway.length_m, 3.0):
            assert not claims.is_free(footway.point(float(at_m)), 0.1)


def test_a_walker_waits_for_his_crossing_and_gives_it_back() -> None:
    network = place(Parking.NONE, Parking.NONE)
    footways = build_footways(network)
    right_of_way = RightOfWay(network)
    walker = Walker(1, 1.4, Itinerary(footways, np.random.default_rng(4), (0, 1), 5.0))
    waited = crossed = 0
    for step in range(15000):
        move_walkers([walker], right_of_way, 0.1)
        if walker.waits_for is not None:
            waited += 1
            right_of_way.ask(1, walker.waits_for, may_go=waited % 50 == 0)
            if right_of_way.grant():
                walker.go()
                crossed += 1
        if step % 100 == 0:
            assert sum(len(users) for users in right_of_way.holders.values()) <= 1

    assert crossed >= 2
    assert waited >= 50 * crossed
    assert sum(len(users) for users in right_of_way.holders.values()) <= 1
