"""Where somebody on foot goes: stretches of pavement and crossings, planned a little ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.traffic.footways import Access, Footway
from vedette.datasets.synth.traffic.motion import Trail
from vedette.geometry import NDArrayFloat

_STEP_M: Final = 0.1
_SMOOTHING: Final = 13  # points: turns are rounded within less than a metre
_CROSSING_SHARE: Final = 0.3
_ON_KERB_POINTS: Final = 5  # of a crossing, before the carriageway and behind it


@dataclass(frozen=True, eq=False)
class Leg:
    """A stretch that is walked without a decision.

    Args:
        points: ``(N,3)`` u, v and metres above carriageway level, evenly spaced, without the point before.
        length_m: of the stretch.
        crosses: number of the crossing that it leads over; None for none.
    """

    points: NDArrayFloat
    length_m: float
    crosses: int | None = None


class Itinerary:
    """The stretches of a walk.

    Args:
        footways: of the place, by block and direction.
        rng: of the decisions.
        key: block and direction of the footway where the walk begins.
        at_m: where, along its outline.
    """

    def __init__(
        self, footways: dict[tuple[int, int], Footway], rng: np.random.Generator, key: tuple[int, int], at_m: float
    ) -> None:
        self._footways = footways
        self._rng = rng
        self._key = key
        self._at_m = at_m
        self._crossed: int | None = None
        self._start = np.array([[*footways[key].point(at_m), footways[key].block.kerb_m]])
        self.legs: list[Leg] = []

    def plan(self, legs: int) -> None:
        """Go on deciding until so many stretches are known.

        Args:
            legs: how many, from the beginning.
        """
        while len(self.legs) < legs:
            self._go_on()

    def trail(self, terrain: Terrain) -> Trail:
        """The line of all stretches so far, rounded where it turns.

        Args:
            terrain: that bends the plan.
        """
        points = np.concatenate([self._start, *(leg.points for leg in self.legs)])
        steps = [np.full(len(leg.points), leg.length_m / len(leg.points)) for leg in self.legs]
        distance = np.concatenate([[0.0], np.cumsum(np.concatenate(steps))])
        smooth = _smooth(_smooth(points))
        xy = terrain.to_world(smooth[:, :2])[:, :2]
        tangent = np.gradient(xy, axis=0)
        return Trail(distance, xy, np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0])), smooth[:, 2])

    def _go_on(self) -> None:
        """Along the pavement to the next crossing, and sometimes over it."""
        footway = self._footways[self._key]
        access = self._next_access(footway)
        if access is None:
            self._along(footway, footway.length_m)
            return
        self._along(footway, (footway.direction * (access.at_m - self._at_m)) % footway.length_m)
        if access.resource != self._crossed and self._rng.random() < _CROSSING_SHARE:
            self._cross(footway, access)
        else:
            self._crossed = None

    def _next_access(self, footway: Footway) -> Access | None:
        ways = [(footway.direction * (access.at_m - self._at_m)) % footway.length_m for access in footway.accesses]
        ahead = [(way, k) for k, way in enumerate(ways) if way > _STEP_M]
        return footway.accesses[min(ahead)[1]] if ahead else None

    def _along(self, footway: Footway, length_m: float) -> None:
        count = max(1, round(length_m / _STEP_M))
        at = self._at_m + footway.direction * np.arange(1, count + 1) * (length_m / count)
        points = np.concatenate([footway.point(at), np.full((count, 1), footway.block.kerb_m)], axis=1)
        self.legs.append(Leg(points, length_m))
        self._at_m = float(at[-1]) % footway.length_m

    def _cross(self, footway: Footway, access: Access) -> None:
        kerb, far_kerb = np.array(access.kerb_uv_m), np.array(access.far_kerb_uv_m)
        self._key = (access.far_block, 1 if self._rng.random() < 0.5 else -1)
        beyond = self._footways[self._key]
        self._at_m = beyond.nearest(far_kerb)
        here_m, there_m = footway.block.kerb_m, beyond.block.kerb_m
        over = _straight(kerb, far_kerb, 0.0, access.resource)
        over.points[:_ON_KERB_POINTS, 2] = here_m
        over.points[-_ON_KERB_POINTS:, 2] = there_m
        self.legs += [
            _straight(footway.point(access.at_m), kerb, here_m),
            over,
            _straight(far_kerb, beyond.point(self._at_m), there_m),
        ]
        self._crossed = access.resource


def _straight(start: NDArrayFloat, end: NDArrayFloat, above_m: float, crosses: int | None = None) -> Leg:
    length = float(np.linalg.norm(end - start))
    count = max(1, round(length / _STEP_M))
    points = start + np.arange(1, count + 1)[:, None] / count * (end - start)
    return Leg(np.concatenate([points, np.full((count, 1), above_m)], axis=1), length, crosses)


def _smooth(points: NDArrayFloat) -> NDArrayFloat:
    """Moving mean over `_SMOOTHING` points, the ends held."""
    half = _SMOOTHING // 2
    padded = np.concatenate([np.repeat(points[:1], half, axis=0), points, np.repeat(points[-1:], half, axis=0)])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, _SMOOTHING, axis=0).mean(axis=2))
