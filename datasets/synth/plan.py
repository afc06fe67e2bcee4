"""The plan of a place, before it is bent and lifted: straight streets, rectangular blocks, and who has claimed what.

Plan coordinates (u, v) are metres. Traffic keeps to the right.

        v                 block            block
        |            +------------+   +------------+
        |            |            |   |            |
        |            +------------+   +------------+   <- kerb, with rounded corners
        |     street ================================
        |            +------------+   +------------+
        +----- u     |            |   |            |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np

from vedette.errors import ConfigError
from vedette.geometry import NDArrayBool, NDArrayFloat

Axis = Literal["u", "v"]


class Parking(StrEnum):
    """How vehicles stand at one side of a street."""

    NONE = "none"
    PARALLEL = "parallel"  # at the kerb, on the carriageway
    ANGLED = "angled"  # in bays that are cut into the block: see `bays`
    PERPENDICULAR = "perpendicular"  # likewise


class BlockUse(StrEnum):
    """What a block is covered with."""

    HOUSES = "houses"  # detached, with gardens, fences, hedges
    TERRACES = "terraces"  # closed fronts along the pavement
    INDUSTRY = "industry"  # halls, yards, trailers, hoardings
    PARK = "park"
    CAR_PARK = "car-park"  # level with the carriageway, but for its pavement
    FIELD = "field"  # open land beside a motorway or country road


@dataclass(frozen=True)
class Street:
    """A straight carriageway, kerb to kerb.

    Args:
        axis: along which it runs.
        at_m: its middle line, on the other axis.
        start_m: where it begins, along its axis.
        end_m: where it ends, beyond `start_m`.
        lanes: in each direction, 1 or more; 0 backwards where `one_way`.
        lane_width_m: of a lane.
        parking: at its right and left side, seen along its axis.
        one_way: whether all lanes run along the axis.
        median_m: width of the strip between the directions, motorways have one; 0 for a line.
        shoulder_m: width of a hard shoulder at each side.
        speed_m_s: what most drive.
    """

    axis: Axis
    at_m: float
    start_m: float
    end_m: float
    lanes: int = 1
    lane_width_m: float = 3.2
    parking: tuple[Parking, Parking] = (Parking.NONE, Parking.NONE)
    one_way: bool = False
    median_m: float = 0.0
    shoulder_m: float = 0.0
    speed_m_s: float = 11.0

    PARALLEL_BAY_M = 2.1

    def __post_init__(self) -> None:
        if self.end_m <= self.start_m or self.lanes < 1 or self.lane_width_m <= 0:
            raise ConfigError(
                f"a street from {self.start_m:g} to {self.end_m:g} m with {self.lanes} lanes of {self.lane_width_m:g}"
                " m; expected an end beyond the start, one lane or more, and a width above 0"
            )

    @property
    def side_m(self) -> tuple[float, float]:
        """From the middle line to the right and to the left kerb, both positive."""
        right, left = (self.PARALLEL_BAY_M if side is Parking.PARALLEL else 0.0 for side in self.parking)
        lanes = self.lanes * self.lane_width_m
        half = lanes / 2 if self.one_way else lanes + self.median_m / 2
        return half + self.shoulder_m + right, half + self.shoulder_m + left

    def point(self, along_m: float, left_m: float) -> NDArrayFloat:
        """``(2,)`` plan point.

        Args:
            along_m: on its axis.
            left_m: to the left of the middle line, seen along the axis; negative to the right.
        """
        return np.array([along_m, self.at_m + left_m] if self.axis == "u" else [self.at_m - left_m, along_m])

    @property
    def yaw(self) -> float:
        """Direction of its axis in the plan, radians."""
        return 0.0 if self.axis == "u" else float(np.pi / 2)


@dataclass(frozen=True)
class Block:
    """A rectangle between streets, raised by its kerb.

    Args:
        u0: west edge.
        v0: south edge.
        u1: east edge, beyond `u0`.
        v1: north edge, beyond `v0`.
        use: what covers it.
        kerb_m: height of its kerb; 0 for none.
        corner_m: radius of its rounded corners.
        pavement_m: width of the pavement along its edges; 0 for none.
    """

    u0: float
    v0: float
    u1: float
    v1: float
    use: BlockUse
    kerb_m: float = 0.12
    corner_m: float = 5.0
    pavement_m: float = 2.5

    def __post_init__(self) -> None:
        if self.u1 <= self.u0 or self.v1 <= self.v0:
            raise ConfigError(
                f"a block from ({self.u0:g}, {self.v0:g}) to ({self.u1:g}, {self.v1:g}); expected the second corner"
                " beyond the first in both directions"
            )


@dataclass(frozen=True)
class Plan:
    """All streets and blocks of a place.

    Args:
        streets: those that cross make a junction.
        blocks: disjoint from the streets and from one another.
    """

    streets: tuple[Street, ...]
    blocks: tuple[Block, ...]


class Claims:
    """Which ground is taken, as circles in the plan: whoever places something asks first."""

    def __init__(self) -> None:
        self._columns = np.zeros((5, 1024))  # u, v, radius, least and greatest u; those in use come first
        self._count = 0

    def is_free(self, uv_m: NDArrayFloat, radius_m: float) -> bool:
        """Whether a circle touches none that is claimed.

        Args:
            uv_m: (2,) its centre.
            radius_m: its radius.
        """
        return bool(self.are_free(np.array([[uv_m[0], uv_m[1], radius_m]]))[0])

    def are_free(self, circles: NDArrayFloat) -> NDArrayBool:
        """``(N,) bool`` which circles touch none that is claimed.

        Args:
            circles: (N, 3) u, v and radius of each.
        """
        if not len(circles) or not self._count:
            return np.ones(len(circles), dtype=np.bool_)
        near_u, near_v, near_radius = self._near(circles)
        du, dv = near_u - circles[:, :1], near_v - circles[:, 1:2]
        reach = near_radius + circles[:, 2:]
        return np.asarray((du * du + dv * dv >= reach * reach).all(axis=1))

    def _near(self, circles: NDArrayFloat) -> NDArrayFloat:
        """``(3,K)`` u, v and radius of what is claimed near some circles: few of tens of thousands."""
        low, high = (circles[:, :2] - circles[:, 2:]).min(axis=0), (circles[:, :2] + circles[:, 2:]).max(axis=0)
        columns = self._columns[:, : self._count]
        band = columns[:3, np.flatnonzero((columns[4] > low[0]) & (columns[3] < high[0]))]
        return np.asarray(band[:, (band[1] + band[2] > low[1]) & (band[1] - band[2] < high[1])])

    def claim(self, circles: Iterable[tuple[float, float, float]]) -> None:
        """Take ground.

        Args:
            circles: u, v and radius of each.
        """
        u, v, radius = np.array(list(circles), dtype=np.float64).reshape(-1, 3).T
        end = self._count + len(u)
        if end > self._columns.shape[1]:
            spare = np.zeros((5, max(end, self._columns.shape[1])))  # twice as many, so that growing is seldom
            self._columns = np.concatenate([self._columns, spare], axis=1)
        self._columns[:, self._count : end] = u, v, radius, u - radius, u + radius
        self._count = end


def rectangle_circles(
    uv_m: NDArrayFloat, plan_yaw: float, length_m: float, width_m: float
) -> list[tuple[float, float, float]]:
    """Circles along the middle of a rectangle that together cover it.

    Args:
        uv_m: (2,) its centre.
        plan_yaw: direction of its length.
        length_m: not shorter than its width.
        width_m: its width.
    """
    count = max(1, int(np.ceil(length_m / max(width_m, 0.1))))
    step = length_m / count
    radius = float(np.hypot(step, width_m) / 2)
    along = (np.arange(count) - (count - 1) / 2) * step
    return [(float(uv_m[0] + a * np.cos(plan_yaw)), float(uv_m[1] + a * np.sin(plan_yaw)), radius) for a in along]
