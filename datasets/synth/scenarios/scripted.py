"""Small worlds on a level plane in which a few vehicles do what a script says: what tests need to be sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Actor, Still
from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.roads.network import Network, Turn, build_network
from vedette.datasets.synth.scenarios.stage import EGO_ID, Stage
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.footways import build_footways
from vedette.datasets.synth.traffic.motion import Progress
from vedette.datasets.synth.traffic.rides import Ride
from vedette.datasets.synth.traffic.simulation import STEP_S
from vedette.datasets.synth.traffic.trails import lane_trail
from vedette.datasets.synth.traffic.vehicles import Piece
from vedette.datasets.synth.world import World

_BLOCK_M: Final = 45.0
_BRAKING_M_S2: Final = 2.0


@dataclass(frozen=True)
class Streets:
    """A street along u through the origin, crossed by one along v or not.

    Args:
        half_m: from the origin to every end.
        lanes: of the street along u, in each direction.
        crossed: whether a street along v crosses it at the origin.
        parking: at both sides of all streets.
    """

    half_m: float
    lanes: int = 1
    crossed: bool = True
    parking: Parking = Parking.NONE


def open_stage(scenario: str, seed: int, streets: Streets) -> Stage:
    """An empty stage on a level plane.

    Args:
        scenario: name of the world.
        seed: of the world.
        streets: its streets.
    """
    parking, half = (streets.parking, streets.parking), streets.half_m
    along = Street("u", 0.0, -half, half, lanes=streets.lanes, parking=parking)
    across = Street("v", 0.0, -half, half, parking=parking)
    v_edge, u_edge = along.side_m[0], across.side_m[0]
    spans = ((-half, -u_edge), (u_edge, half)) if streets.crossed else ((-half, half),)
    depth = half if streets.crossed else _BLOCK_M
    blocks = [
        Block(u0, v0, u1, v1, use)
        for u0, u1 in spans
        for v0, v1, use in ((-depth, -v_edge, BlockUse.HOUSES), (v_edge, depth, BlockUse.PARK))
    ]
    plan = Plan((along, across) if streets.crossed else (along,), tuple(blocks))
    return Stage(scenario, seed, build_network(plan, Terrain(), None))


def lane_along(network: Network, street: int, direction: int, rank: int = 0, *, leaves: bool = False) -> int:
    """Id of a street's lane that leads to the junction, or leaves it; of its only lane where there is none.

    Args:
        network: of all lanes.
        street: index in the plan.
        direction: +1 along its axis, -1 against it.
        rank: from the middle of the street to the right, from 0.
        leaves: whether it leads away from the junction.
    """
    found = [
        lane
        for lane in network.lanes
        if (lane.turn, lane.street, lane.direction, lane.rank) == (Turn.ALONG, street, direction, rank)
    ]
    found.sort(key=lambda lane: direction * lane.along_m[0])
    return found[-1 if leaves else 0].lane_id


def through(network: Network, lane: int, turn: Turn) -> list[int]:
    """Ids of the way through the junction and of the lane behind it.

    Args:
        network: of all lanes.
        lane: id of the lane that leads to the junction.
        turn: to take there.
    """
    way = next(after for after in network.lanes[lane].successors if network.lanes[after].turn is turn)
    return [way, network.lanes[way].successors[0]]


def cruise(duration_s: float, speed_m_s: float, way_m: float) -> Progress:
    """Constant speed from time 0, and a stop where the way ends.

    Args:
        duration_s: how long to go on.
        speed_m_s: until it brakes.
        way_m: metres until it stands.
    """
    t = np.arange(int(np.ceil(duration_s / STEP_S)) + 2) * STEP_S
    braking_s = speed_m_s / _BRAKING_M_S2
    steady_s = np.floor((way_m - speed_m_s * braking_s / 2) / speed_m_s / STEP_S) * STEP_S  # brakes at a step
    braked = np.clip(t - steady_s, 0.0, braking_s)
    distance = speed_m_s * (np.minimum(t, steady_s) + braked) - _BRAKING_M_S2 * braked**2 / 2
    return Progress(STEP_S, distance, speed_m_s - _BRAKING_M_S2 * braked)


def driven(stage: Stage, number: int, ride: Ride, way: Sequence[Piece], progress: Progress) -> Actor:
    """Somebody who follows lanes.

    Args:
        stage: where.
        number: of the actor.
        ride: what drives.
        way: pieces of lanes, in order.
        progress: along them.
    """
    trail = lane_trail(stage.network, way, (), ride.body.side_m)
    return ride.on(stage.terrain, number, trail, progress)


def standing(stage: Stage, number: int, ride: Ride, lane: int, at_m: float) -> Actor:
    """Somebody who stands on a lane.

    Args:
        stage: where.
        number: of the actor.
        ride: what stands.
        lane: its id.
        at_m: of the rear axle, along the lane.
    """
    still = Progress(STEP_S, np.zeros(1), np.zeros(1))
    actor = driven(stage, number, ride, [Piece(lane, at_m, 0.0)], still)
    return replace(actor, motion=Still(actor.motion.pose(0.0)))


def finish(stage: Stage, duration_s: float, parked: float = 0.0) -> World:
    """Park, claim, and build.

    Args:
        stage: with all its actors.
        duration_s: how long the world lasts.
        parked: share of the places at kerbs that are taken.
    """
    stage.park(parked, driveways=0.0)
    stage.claim_ways(build_footways(stage.network))
    return stage.build(duration_s, (EGO_ID,))
