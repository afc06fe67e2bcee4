"""A block as a place to build on: how high its ground lies, where bays cut into it, and its four fronts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.bays import BayStrip, bay_strips
from vedette.datasets.synth.plan import Block, BlockUse, Plan, Street
from vedette.geometry import NDArrayFloat

_PROFILE_M: Final = np.array([0.0, 1.2, 2.4, 3.6, 9.0, 16.0])
_TOUCHING_M: Final = 0.3


@dataclass(frozen=True)
class Front:
    """One side of a block, seen from its street: x runs along it from its left to its right end, y into the block.

    Args:
        origin_uv_m: (2,) left end, behind pavement and bays.
        yaw: direction of x in the plan.
        length_m: along x.
        setback_m: from the carriageway to the origin.
        is_at_street: whether a street runs along it; what is seen from none needs less detail.
    """

    origin_uv_m: tuple[float, float]
    yaw: float
    length_m: float
    setback_m: float
    is_at_street: bool = True

    def uv_m(self, xy_m: ArrayLike) -> NDArrayFloat:
        """Plan points.

        Args:
            xy_m: (..., 2) along the front and into the block.
        """
        xy = np.asarray(xy_m, dtype=np.float64)
        cos, sin = np.cos(self.yaw), np.sin(self.yaw)
        x, y = xy[..., 0], xy[..., 1]
        return np.stack([self.origin_uv_m[0] + cos * x - sin * y, self.origin_uv_m[1] + sin * x + cos * y], axis=-1)


@dataclass(frozen=True)
class Lot:
    """A block with what its surroundings make of it.

    Args:
        block: the block.
        bays: rows of parking bays that are cut into it.
        bank_m: height of the ground behind verge and ditch of a motorway; negative where the motorway lies high.
        open_sides: which of its west, south, east and north edges lie at a motorway.
        street_sides: which of them lie at any street.
    """

    block: Block
    bays: tuple[BayStrip, ...]
    bank_m: float = 0.0
    open_sides: tuple[bool, bool, bool, bool] = (False, False, False, False)
    street_sides: tuple[bool, bool, bool, bool] = (True, True, True, True)

    @property
    def inside_m(self) -> float:
        """Height of its ground within the pavement, above carriageway level, without banks."""
        return 0.0 if self.block.use is BlockUse.CAR_PARK else self.block.kerb_m

    @property
    def corner_m(self) -> float:
        """Radius of its corners, as far as the block is large enough."""
        block = self.block
        if any(self.open_sides):
            return 0.0
        return max(0.0, min(block.corner_m, (block.u1 - block.u0) / 2.5, (block.v1 - block.v0) / 2.5))

    def beside_motorway_m(self, uv_m: ArrayLike) -> NDArrayFloat:
        """How far points lie from the nearest edge at a motorway; infinite where there is none.

        Args:
            uv_m: (..., 2) plan points in the block.
        """
        uv, block = np.asarray(uv_m, dtype=np.float64), self.block
        far = (uv[..., 0] - block.u0, uv[..., 1] - block.v0, block.u1 - uv[..., 0], block.v1 - uv[..., 1])
        sides = [side for side, is_open in zip(far, self.open_sides, strict=True) if is_open]
        return np.asarray(np.min([np.full(uv.shape[:-1], np.inf), *sides], axis=0))

    def relief_m(self, uv_m: ArrayLike) -> NDArrayFloat:
        """Height of verge, ditch and bank above the block's level.

        Args:
            uv_m: (..., 2) plan points.
        """
        depth = self.beside_motorway_m(uv_m)
        heights = np.array([0.0, 0.0, -0.5, -0.2, self.bank_m * 0.8, self.bank_m])
        return np.where(np.isfinite(depth), np.interp(depth, _PROFILE_M, heights), 0.0)

    def above_m(self, uv_m: ArrayLike) -> float:
        """Height of the ground within the pavement, above carriageway level.

        Args:
            uv_m: (2,) plan point.
        """
        return self.inside_m + float(self.relief_m(uv_m))

    def marks(self) -> tuple[list[float], list[float]]:
        """Lines along v (their u) and along u (their v) at which the ground may change."""
        block, corner = self.block, self.corner_m
        steps = [0.0, corner, block.pavement_m, *(_PROFILE_M if any(self.open_sides) else ())]
        u_marks = [edge + sign * step for edge, sign in ((block.u0, 1), (block.u1, -1)) for step in steps]
        v_marks = [edge + sign * step for edge, sign in ((block.v0, 1), (block.v1, -1)) for step in steps]
        for strip in self.bays:
            u0, v0, u1, v1 = strip.rectangle
            u_marks += [u0, u1, u0 - block.pavement_m, u1 + block.pavement_m]
            v_marks += [v0, v1, v0 - block.pavement_m, v1 + block.pavement_m]
        return u_marks, v_marks

    def fronts(self) -> tuple[Front, Front, Front, Front]:
        """South, east, north and west front, each along the whole inside of the block."""
        block = self.block
        west, south, east, north = (self._setback_m(side) for side in range(4))
        at_west, at_south, at_east, at_north = self.street_sides
        u0, v0, u1, v1 = block.u0 + west, block.v0 + south, block.u1 - east, block.v1 - north
        return (
            Front((u0, v0), 0.0, u1 - u0, south, at_south),
            Front((u1, v0), np.pi / 2, v1 - v0, east, at_east),
            Front((u1, v1), np.pi, u1 - u0, north, at_north),
            Front((u0, v1), 3 * np.pi / 2, v1 - v0, west, at_west),
        )

    def _setback_m(self, side: int) -> float:
        """Pavement and bays at the west, south, east or north edge."""
        edge = (self.block.u0, self.block.v0, self.block.u1, self.block.v1)[side]
        depths = [strip.depth_m for strip in self.bays if abs(strip.rectangle[side] - edge) < _TOUCHING_M]
        return self.block.pavement_m + max(depths, default=0.0)


def lots_of(plan: Plan, rng: np.random.Generator) -> tuple[Lot, ...]:
    """The blocks of a plan with their surroundings.

    Args:
        plan: streets and blocks.
        rng: of the banks beside motorways.
    """
    strips = bay_strips(plan)
    return tuple(
        Lot(
            block,
            tuple(strip for strip in strips if strip.block is block),
            float(rng.uniform(-1.5, 4.0)),
            _open_sides(block, plan.streets),
            _sides_at(block, plan.streets),
        )
        for block in plan.blocks
    )


def _open_sides(block: Block, streets: tuple[Street, ...]) -> tuple[bool, bool, bool, bool]:
    """Which edges of an open field lie at a motorway."""
    if block.use is not BlockUse.FIELD or block.kerb_m > 0:
        return (False, False, False, False)
    return _sides_at(block, tuple(street for street in streets if street.median_m > 0 or street.shoulder_m > 0))


def _sides_at(block: Block, streets: tuple[Street, ...]) -> tuple[bool, bool, bool, bool]:
    """Which of a block's west, south, east and north edges lie at one of several streets."""
    edges: list[tuple[str, float]] = []
    for street in streets:
        right, left = street.side_m
        low, high = (right, left) if street.axis == "u" else (left, right)
        edges += [(street.axis + "low", street.at_m - low), (street.axis + "high", street.at_m + high)]

    def touches(kind: str, edge_m: float) -> bool:
        return any(name == kind and abs(at - edge_m) < _TOUCHING_M for name, at in edges)

    return (
        touches("vhigh", block.u0), touches("uhigh", block.v0), touches("vlow", block.u1), touches("ulow", block.v1)
    )  # fmt: skip
