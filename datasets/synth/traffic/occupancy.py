"""Who is on which lane, in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vedette.datasets.synth.roads.network import Network
from vedette.datasets.synth.traffic.vehicles import Vehicle


@dataclass(frozen=True)
class Entry:
    """A vehicle on a lane.

    Args:
        at_m: its rear axle, along the lane.
        vehicle: who.
    """

    at_m: float
    vehicle: Vehicle

    @property
    def rear_at_m(self) -> float:
        """Its rear bumper, along the lane."""
        return self.at_m - self.vehicle.body.rear_m

    @property
    def front_at_m(self) -> float:
        """Its front bumper, along the lane."""
        return self.at_m + self.vehicle.body.front_m


class Occupancy:
    """All vehicles by lane; one that changes lanes is on both.

    Args:
        network: of all lanes.
        vehicles: everybody.
    """

    def __init__(self, network: Network, vehicles: Iterable[Vehicle]) -> None:
        self._network = network
        self._lanes: dict[int, list[Entry]] = {}
        for vehicle in vehicles:
            self._lanes.setdefault(vehicle.lane, []).append(Entry(vehicle.at_m, vehicle))
            if vehicle.leaving is not None:
                old, new = network.lanes[vehicle.leaving], network.lanes[vehicle.lane]
                entry = Entry(vehicle.at_m * old.length_m / new.length_m, vehicle)
                self._lanes.setdefault(vehicle.leaving, []).append(entry)
        for entries in self._lanes.values():
            entries.sort(key=lambda entry: (entry.at_m, entry.vehicle.number))

    def on(self, lane: int) -> list[Entry]:
        """Everybody on a lane, the last in traffic first.

        Args:
            lane: its id.
        """
        return self._lanes.get(lane, [])

    def ahead(self, lane: int, at_m: float) -> Entry | None:
        """The next one on a lane.

        Args:
            lane: its id.
            at_m: beyond which to look.
        """
        return next((entry for entry in self.on(lane) if entry.at_m > at_m), None)

    def behind(self, lane: int, at_m: float) -> Entry | None:
        """The one before on a lane.

        Args:
            lane: its id.
            at_m: at or before which to look.
        """
        return next((entry for entry in reversed(self.on(lane)) if entry.at_m <= at_m), None)

    def next_on_route(self, vehicle: Vehicle, horizon_m: float) -> tuple[float, Vehicle] | None:
        """Whoever is next on a vehicle's way, and the way to his rear bumper from the vehicle's rear axle.

        Args:
            vehicle: who looks ahead.
            horizon_m: how far.
        """
        entry = self.ahead(vehicle.lane, vehicle.at_m)
        if entry is not None:
            return entry.rear_at_m - vehicle.at_m, entry.vehicle
        way = self._network.lanes[vehicle.lane].length_m - vehicle.at_m
        for lane in vehicle.route:
            if way > horizon_m:
                return None
            entries = self.on(lane)
            if entries:
                return way + entries[0].rear_at_m, entries[0].vehicle
            way += self._network.lanes[lane].length_m
        return None
