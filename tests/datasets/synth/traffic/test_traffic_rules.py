"""Following, right of way, signals and motion: the rules one by one."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.plan import Plan, Street
from vedette.datasets.synth.roads.network import Turn, build_network
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.following import HARDEST_M_S2, Driver
from vedette.datasets.synth.traffic.lane_changes import change_lane
from vedette.datasets.synth.traffic.motion import Driving, Progress
from vedette.datasets.synth.traffic.right_of_way import RightOfWay, Signals
from vedette.datasets.synth.traffic.simulation import STEP_S, Traffic
from vedette.datasets.synth.traffic.trails import lane_trail
from vedette.datasets.synth.traffic.vehicles import Body, Vehicle

CROSS = build_network(Plan((Street("u", 0.0, -90.0, 90.0), Street("v", 0.0, -90.0, 90.0)), ()), Terrain(), None)
CAR = Body(4.0, 1.8, 0.9)


def car(number: int, lane: int, at_m: float, speed_m_s: float, body: Body = CAR) -> Vehicle:
    return Vehicle(number, body, Driver(), np.random.default_rng(number), lane, at_m, speed_m_s)


def lane_into(direction: int, street: int) -> int:
    (found,) = (
        lane.lane_id
        for lane in CROSS.lanes
        if (lane.turn, lane.street, lane.direction) == (Turn.ALONG, street, direction) and lane.successors
    )
    return found


@pytest.mark.parametrize(
    ("speed", "wish", "gap", "ahead", "expected"),
    [
        (0.0, 10.0, np.inf, 0.0, 1.6),  # free road from rest: all that the car gives
        (10.0, 10.0, np.inf, 0.0, 0.0),  # at the wish
        (10.8, 10.0, np.inf, 0.0, -1.0),  # 0.8 m/s too fast, shed in 0.8 s
        (0.0, 10.0, 2.0, 0.0, 0.0),  # in a queue, at the wanted gap
        (10.0, 10.0, 0.5, 0.0, -HARDEST_M_S2),  # about to hit
        (10.0, 20.0, 14.0, 10.0, 0.0),  # in step: 2 m and 1.2 s behind
    ],
)
def test_acceleration(speed: float, wish: float, gap: float, ahead: float, expected: float) -> None:
    assert Driver().acceleration(speed, wish, gap, ahead) == pytest.approx(expected)


def test_signals_give_each_street_its_time_and_never_both() -> None:
    signals = Signals(green_s=10.0, offset_s=0.0)
    states = [(signals.is_green("u", t), signals.is_green("v", t)) for t in np.arange(0.0, 48.0, 0.5)]

    assert (True, True) not in states
    assert [states.count(state) for state in ((True, False), (False, True), (False, False))] == [40, 40, 16]


def test_whoever_asked_first_goes_first_and_those_that_cannot_do_not_block() -> None:
    east, north = (CROSS.lanes[lane_into(1, street)].successors[0] for street in (0, 1))
    right_of_way = RightOfWay(CROSS)

    right_of_way.ask(1, east, may_go=False)
    right_of_way.ask(2, north, may_go=True)
    assert [request.user for request in right_of_way.grant()] == [2]
    right_of_way.ask(1, east, may_go=True)
    assert right_of_way.grant() == []
    right_of_way.release(2, north)
    assert [request.user for request in right_of_way.grant()] == [1]


def test_two_cars_that_arrive_at_once_pass_one_after_the_other() -> None:
    cars = [car(1, lane_into(1, 0), 50.0, 8.0), car(2, lane_into(1, 1), 50.0, 8.0)]
    for one in cars:
        one.route = [CROSS.lanes[one.lane].successors[0]]
    Traffic(CROSS, cars).run(20.0)

    inside = [set(), set()]
    for k, one in enumerate(cars):
        start, end = (piece.distance_m for piece in one.pieces[1:3])
        inside[k] = {i for i, come in enumerate(one.distances_m) if start <= come < end}
        assert inside[k]
    assert not inside[0] & inside[1]


def test_a_car_stops_behind_one_that_stands_and_where_the_street_ends() -> None:
    out = next(lane for lane in CROSS.lanes if lane.turn is Turn.ALONG and not lane.successors)
    cars = [car(1, out.lane_id, 10.0, 9.0), car(2, out.lane_id, 30.0, 5.0)]
    Traffic(CROSS, cars).run(40.0)

    assert cars[1].speeds_m_s[-1] < 0.05
    assert out.length_m - 3.0 < cars[1].front_at_m < out.length_m
    assert 1.0 < cars[1].rear_at_m - cars[0].front_at_m < 3.5
    assert min(np.diff(cars[0].speeds_m_s)) / STEP_S > -4.0


def test_a_lane_change_is_smooth_and_ends_in_the_middle() -> None:
    network = build_network(Plan((Street("u", 0.0, 0.0, 200.0, lanes=2, lane_width_m=3.0),), ()), Terrain(), None)
    left, right = (next(x for x in network.lanes if (x.direction, x.rank) == (1, rank)) for rank in (0, 1))
    one = car(1, right.lane_id, 20.0, 10.0)
    change_lane(one, network, left, 20.0, over_m=40.0)
    trail = lane_trail(network, one.pieces, one.route)
    y = np.array([trail.at(float(come))[1] for come in (0.0, 20.0, 40.0, 60.0)])

    np.testing.assert_allclose(y, [-4.5, -3.0, -1.5, -1.5], atol=1e-6)
    assert trail.at(20.0)[2] == pytest.approx(np.arctan(1.875 * 3.0 / 40.0))  # steepest of the smooth step


def test_the_rear_axle_follows_the_trail_and_the_middle_lies_before_it() -> None:
    lane = CROSS.lanes[lane_into(1, 0)]
    one = car(1, lane.lane_id, 10.0, 0.0)
    progress = Progress(0.5, np.array([0.0, 1.0, 4.0]), np.array([0.0, 4.0, 8.0]))
    motion = Driving(Terrain(), lane_trail(CROSS, one.pieces, []), progress, centre_m=1.1)

    assert motion.pose(0.0).translation == pytest.approx([-90.0 + 10.0 + 1.1, -1.6, 0.0])
    assert motion.pose(0.25).translation[0] == pytest.approx(-78.9 + 0.25)  # half of 8 m/s2 times t squared
    assert motion.pose(0.5).translation[0] == pytest.approx(-77.9)
