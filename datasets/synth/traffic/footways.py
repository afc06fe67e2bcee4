"""Where people walk: along the pavements round blocks, and over the arms of junctions.

A pavement is walked in two files, each on the right: against the clock beside the kerb, with it further inside.
Places on a block's edge are told by the way along its outline, against the clock from its south-west corner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.bays import BayStrip, bay_strips
from vedette.datasets.synth.plan import Block, Street
from vedette.datasets.synth.roads.network import Network
from vedette.geometry import NDArrayFloat

_FILE_M: Final = {1: 1.3, -1: 2.0}  # from the kerb to each file
_NARROWEST_M: Final = 2.2
_KEEP_RIGHT_M: Final = 0.6
_CLAIM_EVERY_M: Final = 1.0
_CLAIM_RADIUS_M: Final = 0.95
_KERB_M: Final = 0.6  # how far from the kerb people wait


@dataclass(frozen=True)
class Footway:
    """One file round a block.

    Args:
        block: round which it leads.
        direction: +1 against the clock, -1 with it.
        rectangle: smallest u and v, largest u and v.
        accesses: where people may leave it to cross, in the order of their places.
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

    def point(self, at_m: ArrayLike) -> NDArrayFloat:
        """``(...,2)`` plan points.

        Args:
            at_m: (...,) along the outline, against the clock from the south-west corner; any value.
        """
        u0, v0, u1, v1 = self.rectangle
        width, height = u1 - u0, v1 - v0
        corners = np.cumsum([0.0, width, height, width, height])
        at = np.asarray(at_m, dtype=np.float64) % self.length_m
        u = np.interp(at, corners, [u0, u1, u1, u0, u0])
        return np.stack([u, np.interp(at, corners, [v0, v0, v1, v1, v0])], axis=-1)

    def nearest(self, uv_m: NDArrayFloat) -> float:
        """The place next to a plan point, along the outline.

        Args:
            uv_m: (2,) plan point, inside the block or before its edge.
        """
        u0, v0, u1, v1 = self.rectangle
        u, v = float(np.clip(uv_m[0], u0, u1)), float(np.clip(uv_m[1], v0, v1))
        width, height = u1 - u0, v1 - v0
        sides = (
            (abs(uv_m[1] - v0), u - u0),
            (abs(uv_m[0] - u1), width + v - v0),
            (abs(uv_m[1] - v1), width + height + u1 - u),
            (abs(uv_m[0] - u0), 2 * width + height + v1 - v),
        )
        return float(min(sides)[1])


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
    return {key: _with_accesses(key, bare, network, strips) for key in bare}


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


def _with_accesses(
    key: tuple[int, int], bare: dict[tuple[int, int], Footway], network: Network, strips: tuple[BayStrip, ...]
) -> Footway:
    footway = bare[key]
    found = []
    for walk in network.crosswalks:
        street = network.plan.streets[walk.arm.street]
        for is_left in (False, True):
            # whoever crosses keeps to the right: further along the axis when he goes left, back when he goes right
            along = walk.arm.crosswalk_m + (-_KEEP_RIGHT_M if is_left else _KEEP_RIGHT_M)
            kerbs = [street.point(along, _kerb_left_m(street, side, along, strips)) for side in (is_left, not is_left)]
            access = _access(footway, walk.resource, (kerbs[0], kerbs[1]), bare)
            found += [] if access is None else [access]
    ordered = sorted(found, key=lambda access: access.at_m)
    return replace(footway, accesses=tuple(ordered))


def _kerb_left_m(street: Street, is_left: bool, along_m: float, strips: tuple[BayStrip, ...]) -> float:
    """Where people wait at a side of a street, to the left of its middle line: behind bays where there are some."""
    at_side = (strip for strip in strips if strip.street is street and strip.is_left == is_left)
    depth = sum(strip.depth_m for strip in at_side if strip.start_m - _KERB_M <= along_m <= strip.end_m + _KERB_M)
    right_m, left_m = street.side_m
    return left_m + depth + _KERB_M if is_left else -right_m - depth - _KERB_M


def _access(
    footway: Footway, resource: int, kerbs: tuple[NDArrayFloat, NDArrayFloat], bare: dict[tuple[int, int], Footway]
) -> Access | None:
    """Where a footway meets the near kerb of a crossing; None where it does not, or no footway lies beyond."""
    kerb, far_kerb = kerbs
    beyond = [block for (block, direction), other in bare.items() if direction == 1 and _holds(other.block, far_kerb)]
    if not _holds(footway.block, kerb) or not beyond:
        return None
    return Access(footway.nearest(kerb), resource, (kerb[0], kerb[1]), (far_kerb[0], far_kerb[1]), beyond[0])


def _holds(block: Block, uv_m: NDArrayFloat) -> bool:
    return bool(block.u0 <= uv_m[0] <= block.u1 and block.v0 <= uv_m[1] <= block.v1)


def footway_circles(footways: dict[tuple[int, int], Footway]) -> list[tuple[float, float, float]]:
    """Circles in the plan that cover all footways, for nothing to be put on them.

    Args:
        footways: all, by block and direction.
    """
    circles = []
    for (block, direction), footway in footways.items():
        if direction == 1:
            outer, inner = np.array(footway.rectangle), np.array(footways[block, -1].rectangle)
            middle = replace(footway, rectangle=tuple(((outer + inner) / 2).tolist()))
            points = middle.point(np.arange(0.0, middle.length_m, _CLAIM_EVERY_M))
            circles += [(float(u), float(v), _CLAIM_RADIUS_M) for u, v in points]
        for access in footway.accesses:
            file = footway.point(access.at_m)
            steps = np.linspace(0.0, 1.0, 3)[:, None]
            points = file + steps * (np.array(access.kerb_uv_m) - file)
            circles += [(float(u), float(v), _CLAIM_RADIUS_M) for u, v in points]
    return circles
