"""Lanes of small plans, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.plan import Plan, Street
from vedette.datasets.synth.roads.network import Lane, Network, Turn, build_network
from vedette.datasets.synth.terrain import Terrain

CROSS = Plan((Street("u", 0.0, -100.0, 100.0, lane_width_m=3.0), Street("v", 0.0, -100.0, 100.0, lane_width_m=3.0)), ())


def network_of(plan: Plan, swing_m: float | None = None) -> Network:
    return build_network(plan, Terrain(), swing_m)


def turns(network: Network, turn: Turn) -> list[Lane]:
    return [lane for lane in network.lanes if lane.turn is turn]


def test_traffic_keeps_to_the_right() -> None:
    network = network_of(Plan((Street("u", 0.0, 0.0, 100.0, lanes=2, lane_width_m=3.0),), ()))

    assert {(lane.direction, lane.rank, float(lane.path.xy_m[0, 1])) for lane in network.lanes} == {
        (1, 0, -1.5), (1, 1, -4.5), (-1, 0, 1.5), (-1, 1, 4.5),
    }  # fmt: skip
    for lane in network.lanes:
        assert (lane.left is None) == (lane.rank == 0)
        assert (lane.right is None) == (lane.rank == 1)


def test_a_crossing_has_three_ways_out_of_every_arm() -> None:
    network = network_of(CROSS)

    assert [len(turns(network, turn)) for turn in (Turn.ALONG, Turn.STRAIGHT, Turn.LEFT, Turn.RIGHT)] == [8, 4, 4, 4]
    assert sorted(len(lane.successors) for lane in turns(network, Turn.ALONG)) == [0, 0, 0, 0, 3, 3, 3, 3]
    assert len(network.crosswalks) == 4


def test_lanes_follow_on_one_another_without_a_gap_or_a_kink() -> None:
    network = build_network(CROSS, Terrain(bend_u_m=4.0, bend_v_m=4.0, bend_rad_m=0.02), 6.0)

    for lane in network.lanes:
        for after in (network.lanes[k] for k in lane.successors):
            np.testing.assert_allclose(lane.path.xy_m[-1], after.path.xy_m[0], atol=1e-9)
            assert np.cos(lane.path.yaw[-1] - after.path.yaw[0]) > 0.9995
        assert lane.successors  # where a street ends, traffic turns round


@pytest.mark.parametrize(("turn", "degrees"), [(Turn.LEFT, 90.0), (Turn.RIGHT, -90.0), (Turn.STRAIGHT, 0.0)])
def test_bends_are_as_wide_and_as_slow_as_they_must_be(turn: Turn, degrees: float) -> None:
    for lane in turns(network_of(CROSS), turn):
        assert np.rad2deg(lane.path.yaw[-1] - lane.path.yaw[0]) == pytest.approx(degrees, abs=0.1)
        bend = np.abs(lane.path.curvature_rad_m).max()
        assert bend <= 1.0 / 5.0
        assert min(lane.speed_profile_m_s) ** 2 * bend <= 2.5


def test_ways_that_meet_are_in_conflict_and_those_side_by_side_are_not() -> None:
    network = network_of(CROSS)
    straight = {round(float(np.rad2deg(lane.path.yaw[0]))): lane.lane_id for lane in turns(network, Turn.STRAIGHT)}
    east, north, west = straight[0], straight[90], straight.get(180, straight.get(-180))

    assert north in network.conflicts[east]
    assert west not in network.conflicts[east]
    for resource, others in network.conflicts.items():
        assert all(resource in network.conflicts[other] for other in others)
    for walk in network.crosswalks:
        assert len(network.conflicts[walk.resource]) == 6  # three ways in, three ways out


def test_a_street_that_ends_at_another_one_gives_no_way_straight_on() -> None:
    aisle = Street("u", 0.0, 0.0, 100.0, lane_width_m=3.0)
    network = network_of(Plan((aisle, Street("v", 0.0, -80.0, 80.0, lane_width_m=3.0)), ()))

    (into,) = (lane for lane in turns(network, Turn.ALONG) if lane.street == 0 and lane.direction < 0)
    assert {network.lanes[k].turn for k in into.successors} == {Turn.LEFT, Turn.RIGHT}
    assert into.length_m == pytest.approx(100.0 - 3.0 - 9.5)
