"""A place that is being peopled: who is there so far, whose ground is taken, and chance that follows from the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np

from vedette.datasets.synth.actors import Actor, Still
from vedette.datasets.synth.plan import Claims, rectangle_circles
from vedette.datasets.synth.roads.network import Network, Turn
from vedette.datasets.synth.roads.ways import turning_room_m
from vedette.datasets.synth.scenery import build_scenery
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.footways import Footway, footway_circles
from vedette.datasets.synth.traffic.parking import Parked, park_on_driveways, park_vehicles
from vedette.datasets.synth.world import Light, World

EGO_ID: Final = 1
"""The connected vehicle that is followed."""

_SIGHT_M: Final = 3.5
_BESIDE_TURNING_M: Final = 3.0
_OVERCAST: Final = 0.2


class Stage:
    """A place that is being peopled.

    Args:
        scenario: name of the world.
        seed: of the world.
        network: lanes of the place.
    """

    def __init__(self, scenario: str, seed: int, network: Network) -> None:
        self.network = network
        self.actors: list[Actor] = []
        self.claims = Claims()
        self._scenario = scenario
        self._seed = seed
        self._next_id = EGO_ID

    @property
    def terrain(self) -> Terrain:
        """Shape of the ground."""
        return self.network.terrain

    def rng(self, purpose: str) -> np.random.Generator:
        """A stream of random numbers of its own.

        Args:
            purpose: what it is for.
        """
        return stream(self._scenario, self._seed, purpose)

    def take_id(self) -> int:
        """A number that nobody has; the first one is the ego vehicle's."""
        self._next_id += 1
        return self._next_id - 1

    def park(self, share: float, driveways: float) -> None:
        """Park vehicles at kerbs, in bays and on driveways.

        Args:
            share: of the places at kerbs and in bays that are taken.
            driveways: share of the possible driveways.
        """
        parked = park_vehicles(self.network, self.rng("parked"), share)
        parked += park_on_driveways(self.network, self.rng("driveways"), driveways)
        for one in parked:
            self.add_parked(self.take_id(), one)

    def add_parked(self, actor_id: int, one: Parked) -> None:
        """Add a vehicle that stands, and claim its ground.

        Args:
            actor_id: its number.
            one: the vehicle.
        """
        self.claims.claim(one.circles)
        pose = self.terrain.plan_pose(np.array(one.uv_m), one.plan_yaw, one.above_m)
        self.actors.append(Actor(actor_id, one.kind.object_class, one.shape, Still(pose)))

    def claim_ways(self, footways: dict[tuple[int, int], Footway]) -> None:
        """Keep footways, the corners of junctions, and the places where traffic turns round free.

        Args:
            footways: of the place.
        """
        self.claims.claim(footway_circles(footways))
        streets = self.network.plan.streets
        for junction in self.network.junctions:
            u, v = junction.centre_uv_m
            right_u, left_u = streets[junction.u_street].side_m
            right_v, left_v = streets[junction.v_street].side_m
            for du in (-left_v - _SIGHT_M, right_v + _SIGHT_M):
                self.claims.claim((u + du, v + dv, _SIGHT_M) for dv in (-right_u - _SIGHT_M, left_u + _SIGHT_M))
        for lane in self.network.lanes:
            if lane.turn is Turn.ROUND:
                street = streets[lane.street]
                length = turning_room_m(street, self.network.swing_m)
                middle = street.point(lane.along_m[0] - lane.direction * length / 2, 0.0)
                width = 2.0 * (max(street.side_m) + self.network.swing_m + _BESIDE_TURNING_M)
                self.claims.claim(rectangle_circles(middle, street.yaw, max(length, width), width))

    def build(self, duration_s: float, connected_ids: Sequence[int]) -> World:
        """The world, with scenery on all ground that is still free.

        Args:
            duration_s: how long it lasts.
            connected_ids: vehicles with sensors and a link.
        """
        return World(
            f"{self._scenario}:{self._seed}",
            duration_s,
            self.terrain,
            build_scenery(self.network.plan, self.terrain, self.claims, self.rng("scenery")),
            tuple(sorted(self.actors, key=lambda actor: actor.actor_id)),
            tuple(connected_ids),
            draw_light(self.rng("light")),
        )


def stream(scenario: str, seed: int, purpose: str) -> np.random.Generator:
    """A stream of random numbers of its own.

    Args:
        scenario: name of the world.
        seed: of the world.
        purpose: what it is for.
    """
    return np.random.default_rng([seed, crc32(scenario.encode()), crc32(purpose.encode())])


def draw_light(rng: np.random.Generator) -> Light:
    """Sun and sky: mostly fair, sometimes overcast.

    Args:
        rng: of the weather.
    """
    azimuth, elevation = float(rng.uniform(-np.pi, np.pi)), float(np.deg2rad(rng.uniform(20.0, 60.0)))
    if rng.random() < _OVERCAST:
        return Light(azimuth, elevation, float(rng.uniform(0.0, 0.25)), 0.8, float(rng.uniform(250.0, 500.0)))
    return Light(azimuth, elevation, float(rng.uniform(0.85, 1.1)), 0.45, float(rng.uniform(400.0, 900.0)))
