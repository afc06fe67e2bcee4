"""When drivers change lanes: if it pays, and if nobody has to brake hard for it.

After MOBIL (Kesting, Treiber, Helbing, Transp. Res. Rec. 1999, 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.roads.network import Lane, Network
from vedette.datasets.synth.traffic.occupancy import Occupancy
from vedette.datasets.synth.traffic.vehicles import Piece, Vehicle

_DURATION_S: Final = 4.0
_SHORTEST_M: Final = 18.0
_ROOM_AFTER_M: Final = 15.0
_ROOM_BEFORE_M: Final = 25.0  # whoever comes out of a junction is not seen yet
_ADVANTAGE_M_S2: Final = 0.4
_KEEP_RIGHT_M_S2: Final = 0.15
_HARDEST_FOR_OTHERS_M_S2: Final = -1.5
_CLOSEST_M: Final = 4.0


@dataclass(frozen=True)
class _Offer:
    lane: Lane
    at_m: float
    acceleration_m_s2: float


def consider_change(vehicle: Vehicle, network: Network, occupancy: Occupancy, wish_m_s: float) -> bool:
    """Change to the lane beside if that pays and is safe.

    Args:
        vehicle: who considers; it is moved to the new lane.
        network: of all lanes.
        occupancy: who is where; the caller brings it up to date after a change.
        wish_m_s: speed that road and driver would allow.

    Returns:
        Whether it has changed.
    """
    lane = network.lanes[vehicle.lane]
    over_m = max(_SHORTEST_M, _DURATION_S * vehicle.speed_m_s)
    room = lane.length_m - vehicle.front_at_m
    if vehicle.at_m < _ROOM_BEFORE_M or room < over_m + _ROOM_AFTER_M:
        return False
    if vehicle.leaving is not None or vehicle.granted is not None:
        return False
    here = _acceleration(vehicle, occupancy, lane, vehicle.at_m, wish_m_s)
    best: _Offer | None = None
    needed = here + _ADVANTAGE_M_S2
    for beside, dislike in ((lane.left, _KEEP_RIGHT_M_S2), (lane.right, -_KEEP_RIGHT_M_S2)):
        if beside is not None:
            target = network.lanes[beside]
            offer = _offer(vehicle, target, vehicle.at_m * target.length_m / lane.length_m, occupancy, wish_m_s)
            if offer is not None and offer.acceleration_m_s2 - dislike > needed:
                best, needed = offer, offer.acceleration_m_s2 - dislike
    if best is None:
        return False
    change_lane(vehicle, network, best.lane, best.at_m, over_m)
    return True


def change_lane(vehicle: Vehicle, network: Network, target: Lane, at_m: float, over_m: float) -> None:
    """Move a vehicle to the lane beside; it stays visible on the old one until it has left that.

    Args:
        vehicle: who changes.
        network: of all lanes.
        target: the lane beside.
        at_m: place on it.
        over_m: distance of the passage.
    """
    old = network.lanes[vehicle.lane]
    shift = old.path.point(vehicle.at_m) - target.path.point(at_m)
    turned = float(np.interp(vehicle.at_m, old.path.distance_m, old.path.yaw))
    turned -= float(np.interp(at_m, target.path.distance_m, target.path.yaw))
    vehicle.leaving, vehicle.leaving_until_m = old.lane_id, vehicle.distance_m + over_m
    vehicle.lane, vehicle.at_m = target.lane_id, at_m
    vehicle.route.clear()
    piece = Piece(target.lane_id, at_m, vehicle.distance_m, (float(shift[0]), float(shift[1])), turned, over_m)
    vehicle.pieces.append(piece)


def _offer(vehicle: Vehicle, beside: Lane, at_m: float, occupancy: Occupancy, wish_m_s: float) -> _Offer | None:
    behind = occupancy.behind(beside.lane_id, at_m)
    if behind is not None:
        gap = at_m - vehicle.body.rear_m - behind.front_at_m
        braking = behind.vehicle.driver.acceleration(
            behind.vehicle.speed_m_s, max(behind.vehicle.speed_m_s, 1.0), gap, vehicle.speed_m_s
        )
        if gap < _CLOSEST_M or braking < _HARDEST_FOR_OTHERS_M_S2:
            return None
    ahead = occupancy.ahead(beside.lane_id, at_m)
    if ahead is not None and ahead.rear_at_m - at_m - vehicle.body.front_m < _CLOSEST_M:
        return None
    there = _acceleration(vehicle, occupancy, beside, at_m, wish_m_s)
    return _Offer(beside, at_m, there) if there > _HARDEST_FOR_OTHERS_M_S2 else None


def _acceleration(vehicle: Vehicle, occupancy: Occupancy, lane: Lane, at_m: float, wish_m_s: float) -> float:
    ahead = occupancy.ahead(lane.lane_id, at_m)
    gap = np.inf if ahead is None else ahead.rear_at_m - at_m - vehicle.body.front_m
    speed = 0.0 if ahead is None else ahead.vehicle.speed_m_s
    return vehicle.driver.acceleration(vehicle.speed_m_s, wish_m_s, gap, speed)
