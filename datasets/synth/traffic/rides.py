"""What drives: a shape with its measures, and the actor that it becomes once its way is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, Shape
from vedette.datasets.synth.roads.network import Network
from vedette.datasets.synth.shapes.people import cyclist
from vedette.datasets.synth.shapes.vehicles import VehicleKind, vehicle
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.motion import Driving, InStep, Progress, Trail
from vedette.datasets.synth.traffic.simulation import STEP_S
from vedette.datasets.synth.traffic.trails import lane_trail
from vedette.datasets.synth.traffic.vehicles import Body, Vehicle

_REAR_SHARE: Final = 0.22  # of the length that lies behind the rear axle
_CYCLIST_SIDE_M: Final = -0.9


@dataclass(frozen=True)
class Ride:
    """A vehicle or somebody on a bicycle.

    Args:
        object_class: of its label.
        shape: what it looks like.
        body: its measures.
        pace_m_s: at which its limbs move as `shape` says; None where it has none.
    """

    object_class: ObjectClass
    shape: Shape
    body: Body
    pace_m_s: float | None = None

    def actor(self, network: Network, state: Vehicle) -> Actor:
        """Who it is in the world, after a simulation.

        Args:
            network: of all lanes.
            state: that the simulation left.
        """
        trail = lane_trail(network, state.pieces, state.route, self.body.side_m)
        progress = Progress(STEP_S, np.array(state.distances_m), np.array(state.speeds_m_s))
        return self.on(network.terrain, state.number, trail, progress)

    def on(self, terrain: Terrain, number: int, trail: Trail, progress: Progress) -> Actor:
        """Who it is in the world, on a way that is known.

        Args:
            terrain: the ground.
            number: of the actor.
            trail: of its rear axle.
            progress: along it.
        """
        motion = Driving(terrain, trail, progress, self.body.length_m / 2 - self.body.rear_m)
        shape = self.shape if self.pace_m_s is None else InStep(self.shape, progress, self.pace_m_s)
        return Actor(number, self.object_class, shape, motion)


def motor_vehicle(kind: VehicleKind, rng: np.random.Generator) -> Ride:
    """A vehicle with an engine.

    Args:
        kind: body style.
        rng: of its looks.
    """
    shape = vehicle(kind, rng)
    length, width, _ = shape.size_m
    return Ride(kind.object_class, shape, Body(length, width, _REAR_SHARE * length))


def bicycle(rng: np.random.Generator, pace_m_s: float | None = None) -> Ride:
    """Somebody on a bicycle.

    Args:
        rng: of looks and pace.
        pace_m_s: of the ride; None to draw it.
    """
    pace = float(rng.uniform(3.5, 6.0)) if pace_m_s is None else pace_m_s
    shape = cyclist(rng, pace)
    length, width, _ = shape.size_m
    return Ride(ObjectClass.CYCLIST, shape, Body(length, width, _REAR_SHARE * length, _CYCLIST_SIDE_M, pace), pace)
