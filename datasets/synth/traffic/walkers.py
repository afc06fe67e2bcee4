"""People on foot: round blocks, over crossings when they may, at their own pace, behind one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.footways import Access, Footway
from vedette.datasets.synth.traffic.motion import Trail
from vedette.datasets.synth.traffic.right_of_way import RightOfWay
from vedette.geometry import NDArrayFloat

_ACCELERATION_M_S2: Final = 1.2
_PERSONAL_M: Final = 1.0  # nobody comes closer to whoever goes the same way
_ABREAST_M: Final = 0.5
_CROSSING_SHARE: Final = 0.4
_SMOOTHING: Final = 9  # points of 0.1 m


@dataclass(frozen=True)
class Leg:
    """A stretch that is walked without a decision.

    Args:
        points: ``(N,3)`` u, v and metres above carriageway level, a step apart, without the point before.
        length_m: of the stretch.
        crosses: number of the crossing that it leads over; None for none.
    """

    points: NDArrayFloat
    length_m: float
    crosses: int | None = None


@dataclass(eq=False)
class Walker:
    """Somebody on foot.

    Args:
        number: unique among all who move.
        pace_m_s: at which he walks.
        footways: of the place.
        rng: of his decisions.
        key: block and direction of the footway on which he begins.
        at_m: where, along its outline.
        into_leg_m: how far he has come on his first stretch.
    """

    number: int
    pace_m_s: float
    footways: dict[tuple[int, int], Footway]
    rng: np.random.Generator
    key: tuple[int, int]
    at_m: float
    into_leg_m: float = 0.5
    speed_m_s: float = 0.0
    waits_for: int | None = None
    using: int | None = None
    distances_m: list[float] = field(default_factory=list)
    speeds_m_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._crossed: int | None = None
        self._start = self.footways[self.key].point(self.at_m)
        self._start_height = self.footways[self.key].block.kerb_m
        self.legs: list[Leg] = []
        self._current = 0
        self._leg_end_m = 0.0
        self._go_on()
        self._go_on()
        self._leg_end_m = self.legs[0].length_m
        self.distance_m = min(self.into_leg_m, self.legs[0].length_m / 2)
        self.speed_m_s = self.pace_m_s
        self._place()

    def _go_on(self) -> None:
        """Plan further stretches: along the pavement to the next crossing, and sometimes over it."""
        footway = self.footways[self.key]
        access = _next_access(footway, self.at_m)
        if access is None:
            self._along(footway, footway.length_m)
            return
        self._along(footway, (footway.direction * (access.at_m - self.at_m)) % footway.length_m)
        if access.resource == self._crossed or self.rng.random() > _CROSSING_SHARE:
            self._crossed = None
            return
        self._cross(footway, access)

    def _along(self, footway: Footway, length_m: float) -> None:
        if length_m < 0.05:
            return
        points = footway.way(self.at_m, length_m)
        heights = np.full((len(points), 1), footway.block.kerb_m)
        self.legs.append(Leg(np.concatenate([points, heights], axis=1), length_m))
        self.at_m = (self.at_m + footway.direction * length_m) % footway.length_m

    def _cross(self, footway: Footway, access: Access) -> None:
        ring, kerb, far_kerb = footway.point(access.at_m), np.array(access.kerb_uv_m), np.array(access.far_kerb_uv_m)
        self.key = (access.far_block, 1 if self.rng.random() < 0.5 else -1)
        beyond = self.footways[self.key]
        self.at_m = _meet(beyond, far_kerb, kerb)
        height, far_height = footway.block.kerb_m, beyond.block.kerb_m
        self.legs.append(_straight_leg(ring, kerb, height, height))
        over = _straight_leg(kerb, far_kerb, 0.0, 0.0)
        over.points[[0, 1, 2, 3], 2] = height
        over.points[[-5, -4, -3, -2, -1], 2] = far_height
        self.legs.append(Leg(over.points, over.length_m, access.resource))
        self.legs.append(_straight_leg(far_kerb, beyond.point(self.at_m), far_height, far_height))
        self._crossed = access.resource

    def advance(self, limit_m_s: float, right_of_way: RightOfWay, step_s: float) -> None:
        """Walk for a step.

        Args:
            limit_m_s: nobody ahead allows more.
            right_of_way: in which a crossing is given back.
            step_s: length of the step.
        """
        while self._current + 3 >= len(self.legs):
            self._go_on()
        wish = min(self.pace_m_s, limit_m_s)
        following = self.legs[self._current + 1]
        to_end = self._leg_end_m - self.distance_m
        if following.crosses is not None and self.using is None:
            stopping = self.speed_m_s**2 / (2.0 * _ACCELERATION_M_S2) + self.pace_m_s * step_s
            self.waits_for = following.crosses if to_end < stopping + 1.0 else None
            wish = min(wish, (2.0 * _ACCELERATION_M_S2 * max(to_end - 0.05, 0.0)) ** 0.5 * 0.9)
        change = np.clip(wish - self.speed_m_s, -2.0 * _ACCELERATION_M_S2 * step_s, _ACCELERATION_M_S2 * step_s)
        speed = max(0.0, self.speed_m_s + float(change))
        self.distance_m += (self.speed_m_s + speed) / 2.0 * step_s
        self.speed_m_s = speed
        while self.distance_m >= self._leg_end_m:
            if self.legs[self._current].crosses is not None and self.using is not None:
                right_of_way.release(self.number, self.using)
                self.using = None
            self._current += 1
            self._leg_end_m += self.legs[self._current].length_m
        self._place()

    def _place(self) -> None:
        leg = self.legs[self._current]
        share = 1.0 - (self._leg_end_m - self.distance_m) / leg.length_m
        i = min(max(int(share * len(leg.points)), 0), len(leg.points) - 1)
        j = min(i + 1, len(leg.points) - 1)
        step = leg.points[j, :2] - leg.points[max(j - 1, 0), :2]
        norm = float(np.hypot(*step))
        self.uv_m = leg.points[i, :2]
        if norm > 0:
            self.heading = step / norm

    heading: NDArrayFloat = field(default_factory=lambda: np.array([1.0, 0.0]))
    uv_m: NDArrayFloat = field(default_factory=lambda: np.zeros(2))

    def go(self) -> None:
        """The crossing that he waits for is his."""
        self.using, self.waits_for = self.waits_for, None

    def record(self) -> None:
        """Note where he is now."""
        self.distances_m.append(self.distance_m)
        self.speeds_m_s.append(self.speed_m_s)

    def trail(self, terrain: Terrain) -> Trail:
        """The line that he follows, rounded where he turns.

        Args:
            terrain: that bends the plan.
        """
        start = np.array([[*self._start, self._start_height]])
        points = np.concatenate([start, *(leg.points for leg in self.legs)])
        steps = [np.full(len(leg.points), leg.length_m / len(leg.points)) for leg in self.legs]
        distance = np.concatenate([[0.0], np.cumsum(np.concatenate(steps))])
        smooth = _smooth(_smooth(points))
        xy = terrain.to_world(smooth[:, :2])[:, :2]
        tangent = np.gradient(xy, axis=0)
        yaw = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0]))
        return Trail(distance, xy, yaw, smooth[:, 2])


def move_walkers(walkers: list[Walker], right_of_way: RightOfWay, step_s: float) -> None:
    """Let everybody on foot walk for a step.

    Args:
        walkers: everybody.
        right_of_way: of the crossings.
        step_s: length of the step.
    """
    if not walkers:
        return
    places = np.array([walker.uv_m for walker in walkers])
    headings = np.array([walker.heading for walker in walkers])
    speeds = np.array([walker.speed_m_s for walker in walkers])
    offset = places[None] - places[:, None]
    ahead = (offset * headings[:, None]).sum(axis=2)
    aside = np.abs(offset[..., 0] * headings[:, None, 1] - offset[..., 1] * headings[:, None, 0])
    same_way = headings @ headings.T > 0.3
    near = same_way & (ahead > 0.0) & (ahead < _PERSONAL_M) & (aside < _ABREAST_M)
    limits = np.where(near, speeds[None] * 0.8, np.inf).min(axis=1)
    for walker, limit in zip(walkers, limits, strict=True):
        walker.advance(float(limit), right_of_way, step_s)


def _next_access(footway: Footway, at_m: float) -> Access | None:
    ways = [((footway.direction * (access.at_m - at_m)) % footway.length_m, access) for access in footway.accesses]
    ahead = [(way, k) for k, (way, _) in enumerate(ways) if way > 0.05]
    return ways[min(ahead)[1]][1] if ahead else None


def _meet(footway: Footway, far_kerb: NDArrayFloat, kerb: NDArrayFloat) -> float:
    """Place on a footway straight ahead of a crossing."""
    ahead = far_kerb + (far_kerb - kerb) / np.linalg.norm(far_kerb - kerb)
    u0, v0, u1, v1 = footway.rectangle
    at = np.clip(ahead, [u0, v0], [u1, v1])
    width, height = u1 - u0, v1 - v0
    along_u = abs(far_kerb[1] - kerb[1]) > abs(far_kerb[0] - kerb[0])
    if along_u:
        return float(at[0] - u0 if far_kerb[1] > kerb[1] else width + height + u1 - at[0])
    return float(2 * width + height + v1 - at[1] if far_kerb[0] > kerb[0] else width + at[1] - v0)


def _straight_leg(start: NDArrayFloat, end: NDArrayFloat, height_m: float, end_height_m: float) -> Leg:
    length = float(np.linalg.norm(end - start))
    count = max(10, round(length / 0.1))
    share = np.arange(1, count + 1)[:, None] / count
    heights = height_m + share * (end_height_m - height_m)
    return Leg(np.concatenate([start + share * (end - start), heights], axis=1), max(length, 1e-3))


def _smooth(points: NDArrayFloat) -> NDArrayFloat:
    """Moving mean over `_SMOOTHING` points, the ends held."""
    half = _SMOOTHING // 2
    padded = np.concatenate([np.repeat(points[:1], half, axis=0), points, np.repeat(points[-1:], half, axis=0)])
    sums = np.cumsum(np.concatenate([np.zeros((1, points.shape[1])), padded]), axis=0)
    return np.asarray((sums[_SMOOTHING:] - sums[:-_SMOOTHING]) / _SMOOTHING)
