"""Worlds whose traffic nobody scripts: who is there is drawn, what they do follows from the rules of traffic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, Still
from vedette.datasets.synth.plan import BlockUse
from vedette.datasets.synth.roads.network import Lane
from vedette.datasets.synth.scenarios.stage import Stage
from vedette.datasets.synth.shapes.people import pedestrian
from vedette.datasets.synth.shapes.vehicles import VehicleKind, draw_kind
from vedette.datasets.synth.traffic.following import Driver
from vedette.datasets.synth.traffic.footways import Footway, build_footways
from vedette.datasets.synth.traffic.itinerary import Itinerary
from vedette.datasets.synth.traffic.motion import InStep, Progress, Walking
from vedette.datasets.synth.traffic.placing import Placer, Wanted, inner_lanes
from vedette.datasets.synth.traffic.rides import Ride, bicycle, motor_vehicle
from vedette.datasets.synth.traffic.right_of_way import Signals
from vedette.datasets.synth.traffic.simulation import STEP_S, Traffic
from vedette.datasets.synth.traffic.vehicles import Vehicle
from vedette.datasets.synth.traffic.walkers import Walker
from vedette.datasets.synth.world import World
from vedette.geometry import SE3

_BUILT_UP: Final = (BlockUse.TERRACES, BlockUse.INDUSTRY, BlockUse.CAR_PARK)  # no room beside the pavement
_LORRIES: Final = 0.7  # among what is heavy
_EGO_TURNS: Final = 1.5
_BESIDE_FOOTWAY_M: Final = 2.4
_APART_M: Final = 0.55


@dataclass(frozen=True)
class Crowd:
    """Who is there.

    Args:
        vehicles: that drive, connected ones included; fewer where there is no room.
        walkers: on pavements and crossings.
        groups: of one to three people who stand.
        cyclists: on the road.
        parked: share of the places at kerbs and in bays that are taken.
        driveways: share of the possible driveways that are there and taken.
        closest_m: bumper to bumper, at the beginning.
        heavy: share of lorries and buses among the vehicles that drive.
        green_s: of the signals at junctions; None for no signals.
        reach_m: how far from the first connected vehicle the others begin.
    """

    vehicles: int
    walkers: int = 0
    groups: int = 0
    cyclists: int = 0
    parked: float = 0.6
    driveways: float = 0.5
    closest_m: float = 8.0
    heavy: float = 0.08
    green_s: float | None = None
    reach_m: float = 60.0


@dataclass(frozen=True)
class Start:
    """Where the first connected vehicle begins.

    Args:
        lanes: any of these; None for any street.
        part: of the lane, as shares of its length.
    """

    lanes: Sequence[Lane] | None = None
    part: tuple[float, float] = (0.0, 1.0)


ANYWHERE: Final = Start()
"""On any street."""


def people(stage: Stage, crowd: Crowd, duration_s: float, connected: int, start: Start = ANYWHERE) -> World:
    """Place everybody, let traffic run, and build the world.

    Args:
        stage: an empty place.
        crowd: who is there.
        duration_s: how long the world lasts.
        connected: how many vehicles have sensors and a link.
        start: where the first connected vehicle begins.
    """
    connected_ids = [stage.take_id() for _ in range(connected)]
    vehicles, rides = _vehicles(stage, crowd, connected_ids, start)
    footways = build_footways(stage.network)
    walkers = _walkers(stage, crowd, footways)
    stage.park(crowd.parked, crowd.driveways)
    stage.claim_ways(footways)
    _add_groups(stage, crowd, footways)
    Traffic(stage.network, vehicles, walkers, _signals(stage, crowd)).run(duration_s)
    stage.actors += [rides[one.number].actor(stage.network, one) for one in vehicles]
    stage.actors += [_walked(stage, walker) for walker in walkers]
    return stage.build(duration_s, connected_ids)


def _vehicles(
    stage: Stage, crowd: Crowd, connected_ids: Sequence[int], start: Start
) -> tuple[list[Vehicle], dict[int, Ride]]:
    rng = stage.rng("vehicles")
    placer = Placer(stage.network, rng, crowd.closest_m, inner_lanes(stage.network))
    rides: dict[int, Ride] = {}
    for number in connected_ids:
        rides[number] = motor_vehicle(VehicleKind.ESTATE, rng)
        part = start.part if number == connected_ids[0] else ANYWHERE.part
        wanted = Wanted(number, rides[number].body, Driver(), _EGO_TURNS, part)
        placer.place_near_first(wanted, crowd.reach_m, start.lanes)
    for _ in range(crowd.vehicles - len(connected_ids)):
        kind = _draw_kind(rng, crowd.heavy)
        number = stage.take_id()
        rides[number] = motor_vehicle(kind, rng)
        body = rides[number].body
        placer.place(Wanted(number, body, Driver.draw(rng, is_heavy=body.is_long)))
    for _ in range(crowd.cyclists):
        number = stage.take_id()
        rides[number] = bicycle(rng)
        placer.place(Wanted(number, rides[number].body, Driver(speed_factor=0.85, gap_m=1.5, acceleration_m_s2=1.0)))
    placer.set_speeds()
    return placer.vehicles, rides


def _draw_kind(rng: np.random.Generator, heavy: float) -> VehicleKind:
    if rng.random() < heavy:
        return VehicleKind.TRUCK if rng.random() < _LORRIES else VehicleKind.BUS
    while (kind := draw_kind(rng, parked=False)) in (VehicleKind.TRUCK, VehicleKind.BUS):
        pass
    return kind


def _walkers(stage: Stage, crowd: Crowd, footways: dict[tuple[int, int], Footway]) -> list[Walker]:
    rng = stage.rng("walkers")
    keys = sorted(footways)
    lengths = np.array([footways[key].length_m for key in keys])
    walkers = []
    for _ in range(crowd.walkers if keys else 0):
        key = keys[int(rng.choice(len(keys), p=lengths / lengths.sum()))]
        at_m = float(rng.uniform(0.0, footways[key].length_m))
        pace = float(np.clip(rng.normal(1.3, 0.2), 0.8, 1.8))
        walkers.append(Walker(stage.take_id(), pace, Itinerary(footways, rng.spawn(1)[0], key, at_m)))
    return walkers


def _walked(stage: Stage, walker: Walker) -> Actor:
    progress = Progress(STEP_S, np.array(walker.distances_m), np.array(walker.speeds_m_s))
    person = pedestrian(stage.rng(f"person {walker.number}"), walker.pace_m_s)
    motion = Walking(stage.terrain, walker.itinerary.trail(stage.terrain), progress)
    return Actor(walker.number, ObjectClass.PEDESTRIAN, InStep(person, progress, walker.pace_m_s), motion)


def _signals(stage: Stage, crowd: Crowd) -> dict[int, Signals]:
    if crowd.green_s is None:
        return {}
    offsets = stage.rng("signals").uniform(0.0, 2.0 * crowd.green_s, len(stage.network.junctions))
    return {k: Signals(crowd.green_s, float(offset)) for k, offset in enumerate(offsets)}


def _add_groups(stage: Stage, crowd: Crowd, footways: dict[tuple[int, int], Footway]) -> None:
    """People who stand, alone or talking, on the inner side of the pavement."""
    rng = stage.rng("groups")
    inner = [footways[key] for key in sorted(footways) if key[1] < 0 and footways[key].block.use not in _BUILT_UP]
    for _ in range(crowd.groups if inner else 0):
        footway = inner[int(rng.integers(len(inner)))]
        at = footway.point(float(rng.uniform(0.0, footway.length_m)))
        low, high = np.array(footway.rectangle[:2]), np.array(footway.rectangle[2:])
        depth = np.minimum(at - low, high - at)  # on the edge in one direction, within it in the other
        inward = np.where(depth < np.max(depth), np.sign(low + high - 2 * at), 0.0)
        place = at + _BESIDE_FOOTWAY_M * inward
        if stage.claims.is_free(place, 0.9):
            stage.claims.claim([(float(place[0]), float(place[1]), 1.0)])
            _add_group(stage, place, footway.block.kerb_m, rng)


def _add_group(stage: Stage, place: np.ndarray, above_m: float, rng: np.random.Generator) -> None:
    turn = float(rng.uniform(0.0, 2.0 * np.pi))
    for k in range(int(rng.integers(1, 4))):
        angle = turn + k * 2.1
        uv = place + _APART_M * np.array([np.cos(angle), np.sin(angle)])
        pose = SE3.from_yaw(angle + np.pi + float(rng.normal(0.0, 0.2)), stage.terrain.to_world(uv, above_m))
        person = pedestrian(rng, 0.0)
        stage.actors.append(Actor(stage.take_id(), ObjectClass.PEDESTRIAN, person, Still(pose)))
