"""Where everybody is at the beginning: on lanes, with room, at a speed that suits whoever is ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.roads.network import Lane, Network, Turn
from vedette.datasets.synth.traffic.following import Driver
from vedette.datasets.synth.traffic.vehicles import Body, Vehicle
from vedette.errors import ConfigError

_TRIES: Final = 400
_BRAKING_M_S2: Final = 1.2
_HEADWAY_S: Final = 1.4


@dataclass(frozen=True)
class Wanted:
    """A vehicle that is to be placed.

    Args:
        number: of the vehicle.
        body: its size.
        driver: how it is driven.
        turn_weight: how much it likes to turn, against going straight on.
        part: of a lane where it may begin, as shares of its length.
    """

    number: int
    body: Body
    driver: Driver
    turn_weight: float = 0.5
    part: tuple[float, float] = (0.0, 1.0)


class Placer:
    """Puts vehicles on lanes.

    Args:
        network: of all lanes.
        rng: of the places; every vehicle gets a generator of its own from it.
        closest_m: bumper to bumper.
        lanes: that may be used.
    """

    def __init__(self, network: Network, rng: np.random.Generator, closest_m: float, lanes: Sequence[Lane]) -> None:
        self._network = network
        self._rng = rng
        self._closest_m = closest_m
        self._lanes = lanes
        self.vehicles: list[Vehicle] = []

    def place(self, wanted: Wanted, lanes: Sequence[Lane] | None = None) -> Vehicle | None:
        """Find a place.

        Args:
            wanted: the vehicle.
            lanes: where to look; None for all.

        Returns:
            The vehicle, at rest; None where no place was found.
        """
        return self._search(wanted, self._lanes if lanes is None else lanes, np.inf)

    def place_near_first(self, wanted: Wanted, reach_m: float, lanes: Sequence[Lane] | None = None) -> Vehicle:
        """Find a place not far from the vehicle that was placed first; the first one may be anywhere.

        Args:
            wanted: the vehicle.
            reach_m: greatest distance, exceeded only where there is no room.
            lanes: where the first one goes; None for all.

        Raises:
            ConfigError: all lanes are full.
        """
        if not self.vehicles:
            found = self.place(wanted, lanes)
        else:
            found = self._search(wanted, self._lanes, reach_m) or self.place(wanted)
        if found is None:
            raise ConfigError(
                f"no room for connected vehicle {wanted.number} on {len(self._lanes)} lanes; expected fewer"
            )
        return found

    def _search(self, wanted: Wanted, lanes: Sequence[Lane], reach_m: float) -> Vehicle | None:
        lengths = np.array([lane.length_m for lane in lanes])
        for _ in range(_TRIES):
            lane = lanes[int(self._rng.choice(len(lanes), p=lengths / lengths.sum()))]
            low = max(wanted.body.rear_m + 1.0, wanted.part[0] * lane.length_m)
            high = min(lane.length_m - wanted.body.front_m - 1.0, wanted.part[1] * lane.length_m)
            if high <= low or (wanted.body.is_long and lane.right is not None):
                continue
            at_m = float(self._rng.uniform(low, high))
            if self._is_near_first(lane, at_m, reach_m) and self._is_free(wanted.body, lane.lane_id, at_m):
                return self.put(wanted, lane.lane_id, at_m)
        return None

    def put(self, wanted: Wanted, lane: int, at_m: float) -> Vehicle:
        """Put a vehicle somewhere.

        Args:
            wanted: the vehicle.
            lane: id of the lane.
            at_m: its rear axle, along the lane.
        """
        (rng,) = self._rng.spawn(1)
        vehicle = Vehicle(
            wanted.number, wanted.body, wanted.driver, rng, lane, at_m, 0.0, turn_weight=wanted.turn_weight
        )
        self.vehicles.append(vehicle)
        return vehicle

    def set_speeds(self) -> None:
        """Let everybody go as fast as the lane, the next stop line and whoever is ahead allow."""
        ordered = sorted(self.vehicles, key=lambda vehicle: (vehicle.lane, -vehicle.at_m))
        ahead: Vehicle | None = None
        for vehicle in ordered:
            lane = self._network.lanes[vehicle.lane]
            to_line = max(0.0, lane.length_m - vehicle.front_at_m - 2.0)
            after = self._network.lanes[lane.successors[0]] if lane.successors else None
            there = after.allowed_m_s(0.0) if after is not None and after.turn is Turn.ROUND else 0.0
            wish = lane.allowed_m_s(vehicle.at_m) * vehicle.driver.speed_factor
            speed = min(0.9 * wish, vehicle.body.top_m_s, (there**2 + 2.0 * _BRAKING_M_S2 * to_line) ** 0.5)
            if ahead is not None and ahead.lane == vehicle.lane:
                gap = max(0.0, ahead.rear_at_m - vehicle.front_at_m - vehicle.driver.gap_m)
                speed = min(speed, gap / _HEADWAY_S, (ahead.speed_m_s**2 + 2.0 * _BRAKING_M_S2 * gap) ** 0.5)
            vehicle.speed_m_s = speed
            ahead = vehicle

    def _is_near_first(self, lane: Lane, at_m: float, reach_m: float) -> bool:
        if not self.vehicles or reach_m == np.inf:
            return True
        first = self.vehicles[0]
        place = self._network.lanes[first.lane].path.point(first.at_m)
        return bool(np.linalg.norm(lane.path.point(at_m) - place) <= reach_m)

    def _is_free(self, body: Body, lane: int, at_m: float) -> bool:
        rear, front = at_m - body.rear_m - self._closest_m, at_m + body.front_m + self._closest_m
        return all(other.lane != lane or other.front_at_m < rear or other.rear_at_m > front for other in self.vehicles)


def inner_lanes(network: Network) -> list[Lane]:
    """Lanes along streets from where traffic does not turn round at once; all where there are no others.

    Args:
        network: of all lanes.
    """
    along = [lane for lane in network.lanes if lane.turn is Turn.ALONG]
    inner = [
        lane
        for lane in along
        if lane.successors and all(network.lanes[after].turn is not Turn.ROUND for after in lane.successors)
    ]
    return inner or along
