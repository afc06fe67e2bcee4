"""Traffic in steps: who may go, who brakes for whom, who changes lanes, and on.

What happens in a step depends on the steps before it and on nothing that comes later, so a longer simulation repeats
a shorter one and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Axis
from vedette.datasets.synth.roads.network import Network
from vedette.datasets.synth.roads.path import BRAKING_M_S2
from vedette.datasets.synth.traffic.following import SETTLING_S
from vedette.datasets.synth.traffic.lane_changes import consider_change
from vedette.datasets.synth.traffic.occupancy import Occupancy
from vedette.datasets.synth.traffic.right_of_way import RightOfWay, Signals
from vedette.datasets.synth.traffic.vehicles import Vehicle
from vedette.datasets.synth.traffic.walkers import Walker, move_walkers

STEP_S: Final = 0.1
"""Length of a step."""

_HORIZON_S: Final = 5.0  # that drivers look ahead
_HORIZON_M: Final = 40.0  # and at least
_ASKING_M: Final = 8.0  # beyond the braking distance: when drivers ask for the right of way
_STOP_SHORT_M: Final = 0.7  # how far before the line they stop
_LEAVE_ROOM_M: Final = 2.5
_CLEAR_M: Final = 0.3
_HORIZON_LANES: Final = 3
_CONSIDER_STEPS: Final = 5  # every how many steps a driver considers to change lanes


@dataclass
class Traffic:
    """Everybody who moves, and the rules between them.

    Args:
        network: of all lanes.
        vehicles: in the order of their numbers.
        walkers: people on foot.
        signals: by junction; elsewhere, whoever comes first goes first.
    """

    network: Network
    vehicles: list[Vehicle]
    walkers: list[Walker] = field(default_factory=list)
    signals: dict[int, Signals] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.right_of_way = RightOfWay(self.network)
        self.step = 0

    def run(self, duration_s: float) -> None:
        """Simulate until a time, and note where everybody was at every step.

        Args:
            duration_s: seconds from the beginning.
        """
        steps = int(np.ceil(duration_s / STEP_S)) + 1
        while self.step <= steps:
            self._record()
            self._advance()
            self.step += 1

    @property
    def now_s(self) -> float:
        """Seconds since the beginning."""
        return self.step * STEP_S

    def _record(self) -> None:
        for vehicle in self.vehicles:
            vehicle.record()
        for walker in self.walkers:
            walker.record()

    def _advance(self) -> None:
        for vehicle in self.vehicles:
            vehicle.choose_route(self.network, _horizon_m(vehicle))
        occupancy = Occupancy(self.network, self.vehicles)
        self._ask(occupancy)
        self._grant()
        wishes = [self._wish(vehicle) for vehicle in self.vehicles]
        for vehicle, wish in zip(self.vehicles, wishes, strict=True):
            vehicle.acceleration_m_s2 = self._acceleration(vehicle, occupancy, wish)
        self._change_lanes(occupancy, wishes)
        for vehicle in self.vehicles:
            vehicle.advance(self.network, STEP_S)
            self._release(vehicle)
        move_walkers(self.walkers, self.right_of_way, STEP_S)

    def _ask(self, occupancy: Occupancy) -> None:
        for vehicle in self.vehicles:
            turn = vehicle.route[0] if vehicle.route else None
            if turn is None or turn not in self.network.conflicts or vehicle.granted == turn:
                continue
            to_line = self.network.lanes[vehicle.lane].length_m - vehicle.front_at_m
            asking_from = vehicle.speed_m_s**2 / (2.0 * BRAKING_M_S2) + _ASKING_M
            is_first = to_line < asking_from and occupancy.ahead(vehicle.lane, vehicle.at_m) is None
            if is_first or self.right_of_way.has_asked(vehicle.number):
                may_go = self._is_green(vehicle.lane, turn) and self._has_room(vehicle, turn, occupancy)
                self.right_of_way.ask(vehicle.number, turn, may_go=may_go)
        for walker in self.walkers:
            if walker.waits_for is not None:
                green = self._may_walk(walker.waits_for)
                self.right_of_way.ask(walker.number, walker.waits_for, may_go=green)

    def _is_green(self, lane: int, turn: int) -> bool:
        junction = self.network.lanes[turn].junction
        signals = None if junction is None else self.signals.get(junction)
        street = self.network.plan.streets[self.network.lanes[lane].street]
        return signals is None or signals.is_green(street.axis, self.now_s)

    def _may_walk(self, resource: int) -> bool:
        walk = self.network.crosswalks[resource - len(self.network.lanes)]
        signals = self.signals.get(walk.junction)
        if signals is None:
            return True
        across: Axis = "v" if self.network.plan.streets[walk.arm.street].axis == "u" else "u"
        return signals.is_green(across, self.now_s)

    def _has_room(self, vehicle: Vehicle, turn: int, occupancy: Occupancy) -> bool:
        """Whether there is room behind the junction for it and for all that are on their way there."""
        (after,) = self.network.lanes[turn].successors
        entries = occupancy.on(after)
        room = entries[0].rear_at_m if entries else self.network.lanes[after].length_m
        for other in self.vehicles:
            using = other.lane if other.granted is None else other.granted
            if using in self.network.conflicts and self.network.lanes[using].successors[0] == after:
                room -= other.body.length_m + _LEAVE_ROOM_M
        return room >= vehicle.body.length_m + _LEAVE_ROOM_M

    def _grant(self) -> None:
        by_number = {vehicle.number: vehicle for vehicle in self.vehicles}
        walkers = {walker.number: walker for walker in self.walkers}
        for request in self.right_of_way.grant():
            if request.user in walkers:
                walkers[request.user].go()
            else:
                by_number[request.user].granted = request.resource

    def _wish(self, vehicle: Vehicle) -> float:
        """Speed that the road allows, bends ahead included, and that the driver likes."""
        lane = self.network.lanes[vehicle.lane]
        preview = SETTLING_S * vehicle.speed_m_s
        allowed = min(lane.allowed_m_s(vehicle.at_m), lane.allowed_m_s(vehicle.at_m + preview))
        way = lane.length_m - vehicle.at_m - preview
        for following in vehicle.route[:_HORIZON_LANES]:
            there = self.network.lanes[following].allowed_m_s(0.0)
            allowed = min(allowed, (there**2 + 2.0 * BRAKING_M_S2 * max(way, 0.0)) ** 0.5)
            way += self.network.lanes[following].length_m
        return max(0.5, min(allowed * vehicle.driver.speed_factor, vehicle.body.top_m_s))

    def _acceleration(self, vehicle: Vehicle, occupancy: Occupancy, wish_m_s: float) -> float:
        found = occupancy.next_on_route(vehicle, _horizon_m(vehicle))
        gap, ahead = (np.inf, 0.0) if found is None else (found[0] - vehicle.body.front_m, found[1].speed_m_s)
        free = vehicle.driver.acceleration(vehicle.speed_m_s, wish_m_s, gap, ahead)
        if vehicle.leaving is not None:  # whoever is ahead on the lane that it is leaving counts until it has left
            old, new = self.network.lanes[vehicle.leaving], self.network.lanes[vehicle.lane]
            at_m = vehicle.at_m * old.length_m / new.length_m
            entry = next((e for e in occupancy.on(old.lane_id) if e.at_m > at_m and e.vehicle is not vehicle), None)
            if entry is not None:
                gap = entry.rear_at_m - at_m - vehicle.body.front_m
                there = vehicle.driver.acceleration(vehicle.speed_m_s, wish_m_s, gap, entry.vehicle.speed_m_s)
                free = min(free, there)
        stop = self._stop_gap_m(vehicle)
        return free if stop is None else min(free, vehicle.driver.acceleration(vehicle.speed_m_s, wish_m_s, stop, 0.0))

    def _stop_gap_m(self, vehicle: Vehicle) -> float | None:
        """Way to the next line that it must not pass, as it enters its braking; None where it may go on."""
        way = self.network.lanes[vehicle.lane].length_m - vehicle.front_at_m
        for lane in vehicle.route:
            if way > _horizon_m(vehicle):
                return None
            if lane in self.network.conflicts and lane != vehicle.granted:
                return way + vehicle.driver.gap_m - _STOP_SHORT_M
            way += self.network.lanes[lane].length_m
        is_end = not self.network.lanes[vehicle.route[-1] if vehicle.route else vehicle.lane].successors
        return way + vehicle.driver.gap_m - _STOP_SHORT_M if is_end else None

    def _change_lanes(self, occupancy: Occupancy, wishes: Sequence[float]) -> None:
        for vehicle, wish in zip(self.vehicles, wishes, strict=True):
            if vehicle.leaving is not None and vehicle.distance_m >= vehicle.leaving_until_m:
                vehicle.leaving = None
            if (self.step + vehicle.number) % _CONSIDER_STEPS or vehicle.body.is_long:
                continue
            if consider_change(vehicle, self.network, occupancy, wish):
                vehicle.choose_route(self.network, _horizon_m(vehicle))
                self.right_of_way.forget(vehicle.number)
                occupancy = Occupancy(self.network, self.vehicles)

    def _release(self, vehicle: Vehicle) -> None:
        if vehicle.granted is not None and vehicle.lane == vehicle.granted:
            beyond = self.network.lanes[vehicle.lane].length_m - vehicle.at_m + vehicle.body.rear_m + _CLEAR_M
            vehicle.held.append((vehicle.granted, vehicle.distance_m + beyond))
            vehicle.granted = None
        while vehicle.held and vehicle.distance_m >= vehicle.held[0][1]:
            self.right_of_way.release(vehicle.number, vehicle.held.pop(0)[0])


def _horizon_m(vehicle: Vehicle) -> float:
    return max(_HORIZON_M, _HORIZON_S * vehicle.speed_m_s)
