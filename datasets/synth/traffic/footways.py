"""Where people walk: along the pavements round blocks, and over the arms of junctions.

A pavement is walked in two files, each on the right: against the clock beside the kerb, with it further inside.
Places on a block's edge are told by the way along its outline, against the clock from its south-west corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.bays import BayStrip, bay_strips
from vedette.datasets.synth.plan import Block, Plan
from vedette.datasets.synth.roads.network import Crosswalk, Network
from vedette.geometry import NDArrayFloat

_FILE_M: Final = {1: 1.3, -1: 2.0}  # from the kerb to each file
_NARROWEST_M: Final = 2.2
_KEEP_RIGHT_M: Final = 0.6
_KERB_M: Final = 0.6  # how far from the kerb people wait
_STEP_M: Final = 0.1


@dataclass(frozen=True)
class Footway:
    """One file round a block.

    Args:
        block: round which it leads.
        direction: +1 against the clock, -1 with it.
        rectangle: smallest u and v, largest u and v.
        accesses: where people may leave it to cross, in the order in which they are met.
    """

    block: Block
    direction: int
    rectangle: tuple[float, float, float, float]
    accesses: tuple[Access, ...] = ()

    @property
    def length_m(self) -> float:
        """Once round."""
        u0, v0, u1, v1 = self.rectangle
        return 2.0 * (u1 - u0 + v1 - v0)

    def point(self, at_m: float) -> NDArrayFloat:
        """``(2,)`` plan point.

        Args:
            at_m: along the outline, against the clock from the south-west corner; any value.
        """
        u0, v0, u1, v1 = self.rectangle
        width, height = u1 - u0, v1 - v0
        corners = np.cumsum([0.0, width, height, width, height])
        at = at_m % self.length_m
        u = np.interp(at, corners, [u0, u1, u1, u0, u0])
        return np.array([u, np.interp(at, corners, [v0, v0, v1, v1, v0])])

    def way(self, from_m: float, length_m: float) -> NDArrayFloat:
        """``(N,2)`` dense plan points along it, in its direction, the first one left out.

        Args:
            from_m: where to begin, along the outline.
            length_m: how far.
        """
        count = max(1, round(length_m / _STEP_M))
        steps = np.arange(1, count + 1) * (length_m / count)
        return np.array([self.point(from_m + self.direction * float(s)) for s in steps])


@dataclass(frozen=True)
class Access:
    """Where a footway meets a place to cross.

    Args:
        at_m: along the footway's outline.
        resource: number of the crossing.
        kerb_uv_m: where people wait.
        far_kerb_uv_m: where they are over.
        far_block: index of the block on the other side.
    """

    at_m: float
    resource: int
    kerb_uv_m: tuple[float, float]
    far_kerb_uv_m: tuple[float, float]
    far_block: int


def build_footways(network: Network) -> dict[tuple[int, int], Footway]:
    """All footways, by block and direction.

    Args:
        network: whose plan has the blocks, and whose crossings lead over its streets.
    """
    plan = network.plan
    strips = bay_strips(plan)
    walked = [k for k, block in enumerate(plan.blocks) if block.pavement_m >= _NARROWEST_M]
    bare = {
        (k, direction): Footway(plan.blocks[k], direction, _outline(plan.blocks[k], strips, inset))
        for k in walked
        for direction, inset in _FILE_M.items()
    }
    return {key: _with_accesses(key, bare, network) for key in bare}


def _outline(block: Block, strips: tuple[BayStrip, ...], inset_m: float) -> tuple[float, float, float, float]:
    """The block's rectangle, moved inwards, further where bays are cut into it."""
    low = np.array([block.u0, block.v0]) + inset_m
    high = np.array([block.u1, block.v1]) - inset_m
    for strip in strips:
        if strip.block is block:
            axis = 1 if strip.street.axis == "u" else 0
            beyond = strip.street.at_m > (block.v0 + block.v1, block.u0 + block.u1)[1 - axis] / 2
            (high if beyond else low)[axis] += -strip.depth_m if beyond else strip.depth_m
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _with_accesses(key: tuple[int, int], bare: dict[tuple[int, int], Footway], network: Network) -> Footway:
    footway = bare[key]
    found = [_access(footway, walk, is_left, bare, network) for walk in network.crosswalks for is_left in (False, True)]
    ordered = sorted((access for access in found if access is not None), key=lambda access: access.at_m)
    return Footway(footway.block, footway.direction, footway.rectangle, tuple(ordered[:: footway.direction]))


def _access(
    footway: Footway, walk: Crosswalk, is_left: bool, bare: dict[tuple[int, int], Footway], network: Network
) -> Access | None:
    """Where a footway meets the near side of a crossing; None where it does not, or no footway lies beyond."""
    street = network.plan.streets[walk.arm.street]
    right_m, left_m = street.side_m
    near, far = (left_m + _KERB_M, -right_m - _KERB_M) if is_left else (-right_m - _KERB_M, left_m + _KERB_M)
    # whoever crosses keeps to the right: seen along the axis, ahead when he goes left, back when he goes right
    along = walk.arm.crosswalk_m + (-_KEEP_RIGHT_M if is_left else _KEEP_RIGHT_M)
    kerb, far_kerb = street.point(along, near), street.point(along, far)
    if not _holds(footway.block, kerb):
        return None
    beyond = [block for (block, direction), other in bare.items() if direction == 1 and _holds(other.block, far_kerb)]
    if not beyond:
        return None
    at_m = locate(footway, kerb)
    return Access(at_m, walk.resource, (kerb[0], kerb[1]), (far_kerb[0], far_kerb[1]), beyond[0])


def locate(footway: Footway, uv_m: NDArrayFloat) -> float:
    """The place on a footway that is next to a point, along its outline.

    Args:
        footway: the footway.
        uv_m: (2,) plan point.
    """
    u0, v0, u1, v1 = footway.rectangle
    u, v = float(np.clip(uv_m[0], u0, u1)), float(np.clip(uv_m[1], v0, v1))
    width, height = u1 - u0, v1 - v0
    sides = (
        (abs(uv_m[1] - v0), u - u0),
        (abs(uv_m[0] - u1), width + v - v0),
        (abs(uv_m[1] - v1), width + height + u1 - u),
        (abs(uv_m[0] - u0), 2 * width + height + v1 - v),
    )
    return float(min(sides)[1])


def _holds(block: Block, uv_m: NDArrayFloat) -> bool:
    return bool(block.u0 <= uv_m[0] <= block.u1 and block.v0 <= uv_m[1] <= block.v1)


def footway_circles(footways: dict[tuple[int, int], Footway]) -> list[tuple[float, float, float]]:
    """Circles in the plan that cover all footways, for nothing to be put on them.

    Args:
        footways: all.
    """
    circles = []
    for footway in footways.values():
        if footway.direction == 1:
            along = np.arange(0.0, footway.length_m, 0.8)
            inner = Footway(footway.block, 1, _shrink(footway.rectangle, (_FILE_M[-1] - _FILE_M[1]) / 2))
            points = [inner.point(float(at) * inner.length_m / footway.length_m) for at in along]
            circles += [(float(u), float(v), 0.9) for u, v in points]
        for access in footway.accesses:
            ring = footway.point(access.at_m)
            steps = np.linspace(0.0, 1.0, 4)[:, None]
            circles += [(float(u), float(v), 0.8) for u, v in ring + steps * (np.array(access.kerb_uv_m) - ring)]
    return circles


def _shrink(rectangle: tuple[float, float, float, float], by_m: float) -> tuple[float, float, float, float]:
    return rectangle[0] + by_m, rectangle[1] + by_m, rectangle[2] - by_m, rectangle[3] - by_m


__all__ = ["Access", "Footway", "Plan", "build_footways", "footway_circles", "locate"]
