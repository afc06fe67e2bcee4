"""From a plan and a crowd to a world: what all scenarios do alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Shape, Still
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Claims, Plan
from vedette.datasets.synth.roads.network import Lane, Network
from vedette.datasets.synth.scenery import build_scenery
from vedette.datasets.synth.shapes.people import cyclist, pedestrian
from vedette.datasets.synth.shapes.vehicles import VehicleKind, draw_kind, vehicle
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.following import Driver
from vedette.datasets.synth.traffic.footways import Footway, build_footways, footway_circles
from vedette.datasets.synth.traffic.motion import Driving, InStep, Progress, Walking
from vedette.datasets.synth.traffic.parking import Parked, park_on_driveways, park_vehicles
from vedette.datasets.synth.traffic.placing import Placer, Wanted, inner_lanes
from vedette.datasets.synth.traffic.right_of_way import Signals
from vedette.datasets.synth.traffic.simulation import STEP_S, Traffic
from vedette.datasets.synth.traffic.trails import lane_trail
from vedette.datasets.synth.traffic.vehicles import Body, Vehicle
from vedette.datasets.synth.traffic.walkers import Walker
from vedette.datasets.synth.world import Light, World
from vedette.geometry import SE3

EGO_ID: Final = 1

_REAR_SHARE: Final = 0.22  # of the length that lies behind the rear axle
_SIGHT_M: Final = 3.5
_CYCLIST_ASIDE_M: Final = -0.9
_NARROW_WIDTH_M: Final = 0.8


@dataclass(frozen=True)
class Crowd:
    """Who is there.

    Args:
        vehicles: that drive, connected ones included.
        walkers: on pavements and crossings.
        groups: of people who stand and talk.
        cyclists: on the road.
        parked: share of the places at kerbs and in bays that are taken.
        driveways: share of the possible driveways that are there and taken.
        closest_m: bumper to bumper, at the beginning.
        heavy: share of trucks and buses among those that drive; None for the street's mix.
        green_s: of the signals at junctions; None for no signals.
    """

    vehicles: int
    walkers: int = 0
    groups: int = 0
    cyclists: int = 0
    parked: float = 0.75
    driveways: float = 0.5
    closest_m: float = 8.0
    heavy: float | None = None
    green_s: float | None = None


@dataclass(frozen=True)
class _Ride:
    object_class: ObjectClass
    shape: Shape
    body: Body
    pace_m_s: float | None = None  # of limbs, where it has some


class Stage:
    """A place that is being peopled.

    Args:
        scenario: name of the world.
        seed: of the world.
        network: lanes of the place.
    """

    def __init__(self, scenario: str, seed: int, network: Network) -> None:
        self.scenario = scenario
        self.seed = seed
        self.network = network
        self.actors: list[Actor] = []
        self.claims = Claims()
        self._next_id = EGO_ID

    def rng(self, purpose: str) -> np.random.Generator:
        """A stream of random numbers of its own.

        Args:
            purpose: what it is for.
        """
        return stream(self.scenario, self.seed, purpose)

    @property
    def terrain(self) -> Terrain:
        """Shape of the ground."""
        return self.network.terrain

    def take_id(self) -> int:
        """A number that nobody has."""
        self._next_id += 1
        return self._next_id - 1

    def park(self, share: float, driveways: float) -> None:
        """Park vehicles at kerbs, in bays and on driveways, and claim their ground.

        Args:
            share: of the places that are taken.
            driveways: share of the possible driveways.
        """
        parked = park_vehicles(self.network, self.rng("parked"), share)
        parked += park_on_driveways(self.network, self.rng("driveways"), driveways)
        for one in parked:
            self.add_parked(one)

    def add_parked(self, one: Parked) -> None:
        """Add a vehicle that stands, and claim its ground.

        Args:
            one: the vehicle.
        """
        self.claims.claim(one.circles)
        pose = self.terrain.plan_pose(np.array(one.uv_m), one.plan_yaw, one.above_m)
        self.actors.append(Actor(self.take_id(), one.kind.object_class, one.shape, Still(pose)))

    def claim_ways(self, footways: dict[tuple[int, int], Footway]) -> None:
        """Keep footways, lanes beyond the streets and the corners of junctions free.

        Args:
            footways: of the place.
        """
        self.claims.claim(footway_circles(footways))
        for junction in self.network.junctions:
            u_street, v_street = (self.network.plan.streets[i] for i in (junction.u_street, junction.v_street))
            for du in (-v_street.side_m[1] - _SIGHT_M, v_street.side_m[0] + _SIGHT_M):
                for dv in (-u_street.side_m[0] - _SIGHT_M, u_street.side_m[1] + _SIGHT_M):
                    u, v = junction.centre_uv_m
                    self.claims.claim([(u + du, v + dv, _SIGHT_M)])

    def build(self, duration_s: float, connected_ids: Sequence[int]) -> World:
        """The world.

        Args:
            duration_s: how long it lasts.
            connected_ids: vehicles with sensors and a link.
        """
        return World(
            f"{self.scenario}:{self.seed}",
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
    if rng.random() < 0.25:
        return Light(azimuth, elevation, float(rng.uniform(0.0, 0.25)), 0.8, float(rng.uniform(250.0, 500.0)))
    return Light(azimuth, elevation, float(rng.uniform(0.85, 1.1)), 0.45, float(rng.uniform(400.0, 900.0)))


def people_streets(stage: Stage, crowd: Crowd, duration_s: float, connected: int, reach_m: float) -> World:
    """Park, place, simulate and build.

    Args:
        stage: an empty place.
        crowd: who is there.
        duration_s: how long the world lasts.
        connected: how many vehicles have sensors and a link.
        reach_m: how far from the first one the other connected vehicles begin.
    """
    footways = build_footways(stage.network)
    connected_ids = [stage.take_id() for _ in range(connected)]
    vehicles, rides = _place(stage, crowd, connected_ids, reach_m)
    walkers = _walkers(stage, crowd, footways)
    stage.park(crowd.parked, crowd.driveways)
    stage.claim_ways(footways)
    _add_groups(stage, crowd, footways)
    traffic = Traffic(stage.network, vehicles, walkers, _signals(stage, crowd))
    traffic.run(duration_s)
    for one in traffic.vehicles:
        stage.actors.append(_driven(stage, one, rides[one.number]))
    for walker in walkers:
        stage.actors.append(_walked(stage, walker))
    return stage.build(duration_s, connected_ids)


def _signals(stage: Stage, crowd: Crowd) -> dict[int, Signals]:
    if crowd.green_s is None:
        return {}
    rng = stage.rng("signals")
    cycle = 2.0 * crowd.green_s
    return {k: Signals(crowd.green_s, float(rng.uniform(0.0, cycle))) for k in range(len(stage.network.junctions))}


def _place(
    stage: Stage, crowd: Crowd, connected_ids: Sequence[int], reach_m: float
) -> tuple[list[Vehicle], dict[int, _Ride]]:
    rng = stage.rng("vehicles")
    lanes = inner_lanes(stage.network)
    placer = Placer(stage.network, rng, crowd.closest_m, lanes)
    rides: dict[int, _Ride] = {}
    near = None
    for number in connected_ids:
        rides[number] = _car(VehicleKind.ESTATE, rng)
        placed = placer.place(Wanted(number, rides[number].body, Driver(), 1.5, near))
        near = near or (None if placed is None else (lanes_point(stage.network, placed), reach_m))
    for _ in range(crowd.vehicles - len(connected_ids)):
        kind = draw_kind(rng, parked=False)
        number = stage.take_id()
        rides[number] = _car(kind, rng)
        driver = Driver.draw(rng, is_heavy=rides[number].body.is_long)
        placer.place(Wanted(number, rides[number].body, driver))
    for _ in range(crowd.cyclists):
        number = stage.take_id()
        rides[number] = _bicycle(rng)
        placer.place(Wanted(number, rides[number].body, Driver(gap_m=1.5, acceleration_m_s2=1.0)))
    placer.set_speeds()
    return placer.vehicles, rides


def lanes_point(network: Network, one: Vehicle) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """``(2,)`` world point of a vehicle's rear axle."""
    return network.lanes[one.lane].path.point(one.at_m)


def _car(kind: VehicleKind, rng: np.random.Generator) -> _Ride:
    shape = vehicle(kind, rng)
    length, width, _ = shape.size_m
    return _Ride(kind.object_class, shape, Body(length, width, _REAR_SHARE * length))


def _bicycle(rng: np.random.Generator) -> _Ride:
    pace = float(rng.uniform(3.5, 6.0))
    shape = cyclist(rng, pace)
    length, width, _ = shape.size_m
    body = Body(length, width, _REAR_SHARE * length, _CYCLIST_ASIDE_M, pace)
    return _Ride(ObjectClass.CYCLIST, shape, body, pace)


def _walkers(stage: Stage, crowd: Crowd, footways: dict[tuple[int, int], Footway]) -> list[Walker]:
    rng = stage.rng("walkers")
    keys = sorted(footways)
    lengths = np.array([footways[key].length_m for key in keys])
    walkers = []
    for _ in range(crowd.walkers if keys else 0):
        key = keys[int(rng.choice(len(keys), p=lengths / lengths.sum()))]
        at_m = float(rng.uniform(0.0, footways[key].length_m))
        pace = float(np.clip(rng.normal(1.3, 0.2), 0.8, 1.8))
        (own,) = rng.spawn(1)
        walkers.append(Walker(stage.take_id(), pace, footways, own, key, at_m))
    return walkers


def _add_groups(stage: Stage, crowd: Crowd, footways: dict[tuple[int, int], Footway]) -> None:
    """People who stand and talk, beside the footways."""
    rng = stage.rng("groups")
    keys = [key for key in sorted(footways) if key[1] == 1]
    for _ in range(crowd.groups if keys else 0):
        footway = footways[keys[int(rng.integers(len(keys)))]]
        place = footway.point(float(rng.uniform(0.0, footway.length_m)))
        inward = np.array([footway.block.u0 + footway.block.u1, footway.block.v0 + footway.block.v1]) / 2 - place
        place = place + inward / np.abs(inward).max() * 2.6
        if not stage.claims.is_free(place, 0.8):
            continue
        stage.claims.claim([(float(place[0]), float(place[1]), 0.9)])
        turn = float(rng.uniform(0.0, 2.0 * np.pi))
        for k in range(int(rng.integers(1, 4))):
            angle = turn + k * 2.1
            at = stage.terrain.to_world(place + 0.55 * np.array([np.cos(angle), np.sin(angle)]), footway.block.kerb_m)
            pose = SE3.from_yaw(angle + np.pi, at)
            actor = Actor(stage.take_id(), ObjectClass.PEDESTRIAN, pedestrian(rng, 0.0), Still(pose))
            stage.actors.append(actor)


def _driven(stage: Stage, one: Vehicle, ride: _Ride) -> Actor:
    trail = lane_trail(stage.network, one.pieces, one.route, one.body.side_m)
    progress = Progress(STEP_S, np.array(one.distances_m), np.array(one.speeds_m_s))
    motion = Driving(stage.terrain, trail, progress, one.body.length_m / 2 - one.body.rear_m)
    shape = ride.shape if ride.pace_m_s is None else InStep(ride.shape, progress, ride.pace_m_s)
    return Actor(one.number, ride.object_class, shape, motion)


def _walked(stage: Stage, walker: Walker) -> Actor:
    progress = Progress(STEP_S, np.array(walker.distances_m), np.array(walker.speeds_m_s))
    shape = InStep(pedestrian(stage.rng(f"person {walker.number}"), walker.pace_m_s), progress, walker.pace_m_s)
    motion = Walking(stage.terrain, walker.trail(stage.terrain), progress)
    return Actor(walker.number, ObjectClass.PEDESTRIAN, shape, motion)


__all__ = ["EGO_ID", "Crowd", "Lane", "Mesh", "Plan", "RigidShape", "Stage", "field", "people_streets", "stream"]
