"""One car that crosses the ego vehicle's way from the left at constant speed. The ego vehicle stands at the junction.

The car stops where the street ends, far to the right.
"""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.roads.network import Turn
from vedette.datasets.synth.scenarios import scripted
from vedette.datasets.synth.shapes.vehicles import VehicleKind
from vedette.datasets.synth.traffic.rides import motor_vehicle
from vedette.datasets.synth.traffic.vehicles import Piece
from vedette.datasets.synth.world import World

SPEED_M_S: Final = 8.0
"""Of the car."""

_STREETS: Final = scripted.Streets(half_m=90.0)
_START_M: Final = 60.0  # on its lane: the car comes into view after two seconds
_BEFORE_LINE_M: Final = 1.0


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:  # noqa: ARG001
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected: one.
    """
    stage = scripted.open_stage(scenario, seed, _STREETS)
    rng, network = stage.rng("vehicles"), stage.network
    ego, car = motor_vehicle(VehicleKind.ESTATE, rng), motor_vehicle(VehicleKind.SALOON, rng)
    own = scripted.lane_along(network, 0, 1)
    at_m = network.lanes[own].length_m - _BEFORE_LINE_M - ego.body.front_m
    stage.actors.append(scripted.standing(stage, stage.take_id(), ego, own, at_m))
    start = scripted.lane_along(network, 1, -1)
    pieces = [Piece(start, _START_M, 0.0)]
    come_m = network.lanes[start].length_m - _START_M
    for lane in scripted.through(network, start, Turn.STRAIGHT):
        pieces.append(Piece(lane, 0.0, come_m))
        come_m += network.lanes[lane].length_m
    passing = scripted.cruise(duration_s, SPEED_M_S, come_m - car.body.front_m)
    stage.actors.append(scripted.driven(stage, stage.take_id(), car, pieces, passing))
    return scripted.finish(stage, duration_s)
