"""All lanes of a place: what follows on what, what lies beside what, and what must not be used at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Plan
from vedette.datasets.synth.roads import ways
from vedette.datasets.synth.roads.junctions import Arm, Junction, find_junctions
from vedette.datasets.synth.roads.path import Path
from vedette.datasets.synth.terrain import Terrain
from vedette.geometry import NDArrayFloat

PROFILE_STEP_M: Final = 1.0
"""Between the values of a lane's speed profile."""

_CLEARANCE_M: Final = 2.8  # between the middles of two ways that may be used side by side: less than a lane's width
_BOTH_TURNING_CLEARANCE_M: Final = 3.4  # bodies swing out in bends


class Turn(StrEnum):
    """What a lane does."""

    ALONG = "along"  # a street, between junctions
    STRAIGHT = "straight"  # through a junction
    LEFT = "left"
    RIGHT = "right"
    ROUND = "round"  # back, where a street ends


@dataclass(frozen=True, eq=False)
class Lane:
    """A directed way.

    Args:
        lane_id: its index in the network.
        turn: what it does.
        path: its middle, in the world.
        street: index of the street that it lies on or leads to.
        direction: +1 along that street's axis, -1 against it.
        rank: from the middle of the street to the right, from 0.
        speed_profile_m_s: every `PROFILE_STEP_M` from its beginning: limit, and what bends ahead allow.
        along_m: where it begins and ends along the street's axis; of no meaning in a junction.
        junction: index of the junction that it passes; None for none.
        successors: ids of the lanes that follow.
        left: id of the lane beside it in the same direction; None for none.
        right: likewise.
    """

    lane_id: int
    turn: Turn
    path: Path
    street: int
    direction: int
    rank: int
    speed_profile_m_s: tuple[float, ...]
    along_m: tuple[float, float] = (0.0, 0.0)
    junction: int | None = None
    successors: tuple[int, ...] = ()
    left: int | None = None
    right: int | None = None

    @property
    def length_m(self) -> float:
        """From its beginning to its end."""
        return self.path.length_m

    def allowed_m_s(self, at_m: float) -> float:
        """Speed from which every bend ahead on it is reached slowly enough.

        Args:
            at_m: along it.
        """
        index = int(at_m / PROFILE_STEP_M)
        return self.speed_profile_m_s[min(max(index, 0), len(self.speed_profile_m_s) - 1)]


@dataclass(frozen=True)
class Crosswalk:
    """Where people cross an arm.

    Args:
        resource: number under which it is reserved, as lanes are under their ids.
        junction: index of the junction.
        arm: that is crossed.
    """

    resource: int
    junction: int
    arm: Arm


@dataclass(frozen=True, eq=False)
class Network:
    """Lanes and crossings of a plan.

    Args:
        plan: what they belong to.
        terrain: that bends and lifts it.
        lanes: by id.
        junctions: of the plan.
        crosswalks: of all arms.
        conflicts: of every lane through a junction and every crosswalk, what must be free while it is used.
        swing_m: how far traffic swings out to turn round where a street ends; 0 where it does not.
    """

    plan: Plan
    terrain: Terrain
    lanes: tuple[Lane, ...]
    junctions: tuple[Junction, ...]
    crosswalks: tuple[Crosswalk, ...]
    conflicts: dict[int, frozenset[int]]
    swing_m: float = 0.0


def build_network(plan: Plan, terrain: Terrain, swing_m: float | None) -> Network:
    """All lanes of a plan.

    Args:
        plan: streets; those that cross make junctions.
        terrain: that bends and lifts them.
        swing_m: where a street ends, traffic swings out by this, turns round and comes back; None: it ends there.
    """
    builder = _Builder(plan, terrain, swing_m)
    for index in range(len(plan.streets)):
        builder.add_street(index)
    for index in range(len(builder.junctions)):
        builder.add_junction(index)
    return builder.finish()


class _Builder:
    def __init__(self, plan: Plan, terrain: Terrain, swing_m: float | None) -> None:
        self.plan = plan
        self.terrain = terrain
        self.swing_m = swing_m
        self.junctions = find_junctions(plan)
        self.lanes: list[Lane] = []
        self.into: dict[tuple[int, Arm, int], int] = {}  # junction, arm and rank of the lane that ends there
        self.out_of: dict[tuple[int, Arm, int], int] = {}
        self.ends: dict[tuple[int, int, int], tuple[int, int]] = {}  # street, end, rank: the lanes to it and from it

    def add_street(self, index: int) -> None:
        street = self.plan.streets[index]
        stops: list[tuple[float, int | None, Arm | None]] = [
            (arm.stop_m, j, arm)
            for j, junction in enumerate(self.junctions)
            for arm in junction.arms
            if arm.street == index
        ]
        room = 0.0
        if self.swing_m is not None and not street.one_way and not ways.has_rails(street):
            room = ways.turning_room_m(street, self.swing_m)
        for outward, end in ((-1, street.start_m), (1, street.end_m)):
            if self._is_open(index, outward):
                stops.append((end - outward * room, None, None))
        stops.sort(key=lambda stop: stop[0])
        for near, far in zip(stops[::2], stops[1::2], strict=True):
            for direction in (1,) if street.one_way else (1, -1):
                self._add_lanes(index, direction, *((near, far) if direction > 0 else (far, near)))

    def _is_open(self, index: int, outward: int) -> bool:
        """Whether a street goes on beyond its last junction on one side."""
        axis = 0 if self.plan.streets[index].axis == "u" else 1
        crossed = [j for j in self.junctions if index in (j.u_street, j.v_street)]
        if not crossed:
            return True
        last = max(crossed, key=lambda junction: outward * junction.centre_uv_m[axis])
        return any(arm.street == index and arm.outward == outward for arm in last.arms)

    def _add_lanes(
        self,
        index: int,
        direction: int,
        start: tuple[float, int | None, Arm | None],
        end: tuple[float, int | None, Arm | None],
    ) -> None:
        street = self.plan.streets[index]
        first = len(self.lanes)
        for rank in range(street.lanes):
            way = ways.street_way(street, direction, rank, start[0], end[0])
            lane = self._add(Turn.ALONG, way, index, direction, rank)
            left = first + rank - 1 if rank > 0 else None
            right = first + rank + 1 if rank + 1 < street.lanes else None
            self.lanes[lane] = replace(self.lanes[lane], along_m=(start[0], end[0]), left=left, right=right)
            if start[1] is not None and start[2] is not None:
                self.out_of[start[1], start[2], rank] = lane
            if end[1] is not None and end[2] is not None:
                self.into[end[1], end[2], rank] = lane
            elif end[1] is None and not street.one_way:
                self.ends[index, direction, rank] = (lane, self.ends.get((index, direction, rank), (0, -1))[1])
            if start[1] is None and not street.one_way:
                self.ends[index, -direction, rank] = (self.ends.get((index, -direction, rank), (-1, 0))[0], lane)

    def add_junction(self, index: int) -> None:
        junction = self.junctions[index]
        for entry in junction.arms:
            for leaving in junction.arms:
                if leaving != entry:
                    self._connect(index, entry, leaving)

    def _connect(self, index: int, entry: Arm, leaving: Arm) -> None:
        streets = self.plan.streets[entry.street], self.plan.streets[leaving.street]
        if entry.street == leaving.street:
            for rank in range(streets[0].lanes):
                way = ways.straight_way(streets[0], entry, leaving, rank)
                self._join(index, (entry, leaving), (rank, rank), Turn.STRAIGHT, way)
            return
        yaws = ways.travel_yaw(streets[0], -entry.outward), ways.travel_yaw(streets[1], leaving.outward)
        to_left = np.sin(yaws[1] - yaws[0]) > 0
        ranks = (0, 0) if to_left else (streets[0].lanes - 1, streets[1].lanes - 1)
        if (index, entry, ranks[0]) in self.into and (index, leaving, ranks[1]) in self.out_of:
            way = ways.turning_way(streets, (entry, leaving), ranks)
            self._join(index, (entry, leaving), ranks, Turn.LEFT if to_left else Turn.RIGHT, way)

    def _join(self, index: int, arms: tuple[Arm, Arm], ranks: tuple[int, int], turn: Turn, way: NDArrayFloat) -> None:
        before = self.into.get((index, arms[0], ranks[0]))
        after = self.out_of.get((index, arms[1], ranks[1]))
        if before is None or after is None:  # a one-way street
            return
        lane = self._add(turn, way, arms[1].street, arms[1].outward, ranks[1])
        self.lanes[lane] = replace(self.lanes[lane], junction=index, successors=(after,))
        self._follow(before, lane)

    def _turn_round(self) -> None:
        if self.swing_m is None:
            return
        for (index, outward, rank), (to_end, from_end) in sorted(self.ends.items()):
            edge = self.lanes[to_end].along_m[1]
            way = ways.round_way(self.plan.streets[index], outward, rank, edge, self.swing_m)
            lane = self._add(Turn.ROUND, way, index, -outward, rank)
            self.lanes[lane] = replace(self.lanes[lane], along_m=(edge, edge))
            self._follow(to_end, lane)
            self._follow(lane, from_end)

    def finish(self) -> Network:
        self._turn_round()
        crosswalks = [
            (j, arm) for j, junction in enumerate(self.junctions) for arm in junction.arms if self._is_walked(j, arm)
        ]
        walks = tuple(Crosswalk(len(self.lanes) + k, j, arm) for k, (j, arm) in enumerate(crosswalks))
        conflicts = _conflicts(self.lanes, walks, self._arms_of_turns())
        return Network(
            self.plan, self.terrain, tuple(self.lanes), self.junctions, walks, conflicts, self.swing_m or 0.0
        )

    def _is_walked(self, junction: int, arm: Arm) -> bool:
        return arm.is_walked and ((junction, arm, 0) in self.into or (junction, arm, 0) in self.out_of)

    def _arms_of_turns(self) -> dict[int, tuple[int, set[Arm]]]:
        into = {lane: key for key, lane in self.into.items()}
        out_of = {lane: key for key, lane in self.out_of.items()}
        found: dict[int, tuple[int, set[Arm]]] = {}
        for before, key in into.items():
            for turn in self.lanes[before].successors:
                after = self.lanes[turn].successors[0]
                found[turn] = (key[0], {key[1], out_of[after][1]})
        return found

    def _add(self, turn: Turn, way_uv_m: NDArrayFloat, street: int, direction: int, rank: int) -> int:
        path = Path.through(self.terrain.to_world(way_uv_m)[:, :2])
        profile = path.speed_profile(self.plan.streets[street].speed_m_s, PROFILE_STEP_M)
        lane_id = len(self.lanes)
        self.lanes.append(Lane(lane_id, turn, path, street, direction, rank, tuple(profile.tolist())))
        return lane_id

    def _follow(self, before: int, after: int) -> None:
        lane = self.lanes[before]
        self.lanes[before] = replace(lane, successors=(*lane.successors, after))


def _conflicts(
    lanes: Sequence[Lane], crosswalks: Sequence[Crosswalk], arms_of_turns: dict[int, tuple[int, set[Arm]]]
) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {turn: set() for turn in arms_of_turns}
    found.update({walk.resource: set() for walk in crosswalks})
    turns = [lanes[turn] for turn in sorted(arms_of_turns)]
    origin = {turn: lane.lane_id for lane in lanes for turn in lane.successors}
    for i, one in enumerate(turns):
        for other in turns[i + 1 :]:
            if one.junction == other.junction and (
                origin[one.lane_id] == origin[other.lane_id] or _come_close(one, other)
            ):
                found[one.lane_id].add(other.lane_id)
                found[other.lane_id].add(one.lane_id)
    for walk in crosswalks:
        for turn, (junction, arms) in arms_of_turns.items():
            if junction == walk.junction and walk.arm in arms:
                found[walk.resource].add(turn)
                found[turn].add(walk.resource)
    return {resource: frozenset(others) for resource, others in found.items()}


def _come_close(one: Lane, other: Lane) -> bool:
    both_turn = Turn.STRAIGHT not in (one.turn, other.turn)
    clearance = _BOTH_TURNING_CLEARANCE_M if both_turn else _CLEARANCE_M
    offset = one.path.xy_m[::2, None] - other.path.xy_m[None, ::2]
    return bool(((offset**2).sum(axis=2) < clearance**2).any())
