"""The ego vehicle turns left by 90 degrees at a junction, between parked cars."""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.plan import Parking
from vedette.datasets.synth.roads.network import Turn
from vedette.datasets.synth.scenarios import scripted
from vedette.datasets.synth.shapes.vehicles import VehicleKind
from vedette.datasets.synth.traffic.following import Driver
from vedette.datasets.synth.traffic.placing import Placer, Wanted
from vedette.datasets.synth.traffic.rides import motor_vehicle
from vedette.datasets.synth.traffic.simulation import Traffic
from vedette.datasets.synth.world import World

_STREETS: Final = scripted.Streets(half_m=90.0, parking=Parking.PARALLEL)
_START_M: Final = 45.0  # on its lane
_PARKED: Final = 0.8


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
    ride = motor_vehicle(VehicleKind.ESTATE, rng)
    start = scripted.lane_along(network, 0, 1)
    placer = Placer(network, rng, 0.0, network.lanes)
    ego = placer.put(Wanted(stage.take_id(), ride.body, Driver()), start, _START_M)
    ego.route = scripted.through(network, start, Turn.LEFT)
    placer.set_speeds()
    Traffic(network, [ego]).run(duration_s)
    stage.actors.append(ride.actor(network, ego))
    return scripted.finish(stage, duration_s, _PARKED)
