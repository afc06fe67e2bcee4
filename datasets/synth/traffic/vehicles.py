"""A vehicle in traffic: where it is, where it wants to go, and what it leaves behind for its motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vedette.datasets.synth.roads.network import Network, Turn
from vedette.datasets.synth.traffic.following import Driver

_LONG_M = 7.5
_DEAD_END_WEIGHT = 0.15
_AHEAD_LANES = 3


@dataclass(frozen=True)
class Body:
    """What matters of a vehicle to traffic.

    Args:
        length_m: bumper to bumper.
        width_m: of the enclosing box.
        rear_m: from the rear axle to the rear bumper.
        side_m: how far it keeps to the left of its lane's middle; negative to the right.
        top_m_s: it is never faster.
    """

    length_m: float
    width_m: float
    rear_m: float
    side_m: float = 0.0
    top_m_s: float = 60.0

    @property
    def front_m(self) -> float:
        """From the rear axle to the front bumper."""
        return self.length_m - self.rear_m

    @property
    def is_long(self) -> bool:
        """Whether it needs too much room to turn in a town."""
        return self.length_m > _LONG_M


@dataclass(frozen=True)
class Piece:
    """Part of a trail on one lane.

    Args:
        lane: its id.
        from_m: along the lane, where the piece begins.
        distance_m: come until then.
        shift_m: where the piece begins, from the lane's point to the vehicle's, world x and y.
        turned: likewise its yaw against the lane's.
        over_m: on which the shift fades.
    """

    lane: int
    from_m: float
    distance_m: float
    shift_m: tuple[float, float] = (0.0, 0.0)
    turned: float = 0.0
    over_m: float = 1.0


@dataclass(eq=False)
class Vehicle:
    """State of a vehicle; all places are those of its rear axle.

    Args:
        number: of the vehicle, unique in its traffic.
        body: its size.
        driver: how it is driven.
        rng: of its choices.
        lane: id of the lane that it is on.
        at_m: along that lane.
        speed_m_s: along that lane.
        turn_weight: how much it likes to turn, against going straight on.
    """

    number: int
    body: Body
    driver: Driver
    rng: np.random.Generator
    lane: int
    at_m: float
    speed_m_s: float
    turn_weight: float = 0.5
    distance_m: float = 0.0
    acceleration_m_s2: float = 0.0
    route: list[int] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    distances_m: list[float] = field(default_factory=list)
    speeds_m_s: list[float] = field(default_factory=list)
    granted: int | None = None
    held: list[tuple[int, float]] = field(default_factory=list)
    leaving: int | None = None
    leaving_until_m: float = 0.0

    def __post_init__(self) -> None:
        self.pieces.append(Piece(self.lane, self.at_m, 0.0))

    @property
    def rear_at_m(self) -> float:
        """Its rear bumper, along its lane."""
        return self.at_m - self.body.rear_m

    @property
    def front_at_m(self) -> float:
        """Its front bumper, along its lane."""
        return self.at_m + self.body.front_m

    def choose_route(self, network: Network, horizon_m: float) -> None:
        """Choose turns until the route reaches far enough.

        Args:
            network: of all lanes.
            horizon_m: that the driver looks ahead.
        """
        reach = sum(network.lanes[lane].length_m for lane in self.route)
        while reach < horizon_m or len(self.route) < _AHEAD_LANES:
            following = self._choose(network, self.route[-1] if self.route else self.lane)
            if following is None:
                return
            self.route.append(following)
            reach += network.lanes[following].length_m

    def _choose(self, network: Network, lane: int) -> int | None:
        options = network.lanes[lane].successors
        if len(options) < 2:
            return options[0] if options else None
        weights = np.array([self._weight(network, option) for option in options])
        return options[int(self.rng.choice(len(options), p=weights / weights.sum()))]

    def _weight(self, network: Network, option: int) -> float:
        lane = network.lanes[option]
        exits = network.lanes[lane.successors[0]].successors
        weight = 1.0 if lane.turn is Turn.STRAIGHT else self.turn_weight
        if self.body.is_long and lane.turn is not Turn.STRAIGHT:
            weight = 1e-6
        if not exits or network.lanes[exits[0]].turn is Turn.ROUND:
            weight *= _DEAD_END_WEIGHT
        return weight

    def advance(self, network: Network, step_s: float) -> None:
        """Move on by a step, onto the next lane where one ends.

        Args:
            network: of all lanes.
            step_s: length of the step.
        """
        speed = max(0.0, self.speed_m_s + self.acceleration_m_s2 * step_s)
        moved = (self.speed_m_s + speed) / 2.0 * step_s
        self.distance_m += moved
        self.at_m += moved
        self.speed_m_s = speed
        while self.at_m >= network.lanes[self.lane].length_m and self.route:
            self.at_m -= network.lanes[self.lane].length_m
            self.lane = self.route.pop(0)
            self.pieces.append(Piece(self.lane, 0.0, self.distance_m - self.at_m))

    def record(self) -> None:
        """Note where it is now."""
        self.distances_m.append(self.distance_m)
        self.speeds_m_s.append(self.speed_m_s)
