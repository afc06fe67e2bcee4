"""Bays that are cut into blocks for angled and perpendicular parking: level with the carriageway, kerb behind them.

    pavement
  +--------------------+   <- kerb, `depth_m` behind the line of the block's edge
  |   /   /   /   /    |      bays
--+--------------------+-- block's edge = side of the carriageway
    carriageway
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Block, Parking, Plan, Street
from vedette.geometry import NDArrayFloat

BAY_WIDTH_M: Final = 2.5
"""Between the lines of a bay, measured across the vehicle."""

_ANGLE: Final = {Parking.ANGLED: float(np.deg2rad(55.0)), Parking.PERPENDICULAR: float(np.pi / 2)}
_DEPTH_M: Final = {Parking.ANGLED: 5.2, Parking.PERPENDICULAR: 5.0}
_TOUCHING_M: Final = 0.3


@dataclass(frozen=True)
class BayStrip:
    """A row of bays.

    Args:
        street: from which they are entered.
        is_left: on its left side, seen along its axis.
        parking: angled or perpendicular.
        block: that they are cut into.
        start_m: where the strip begins, along the street's axis.
        end_m: where it ends.
    """

    street: Street
    is_left: bool
    parking: Parking
    block: Block
    start_m: float
    end_m: float

    @property
    def depth_m(self) -> float:
        """From the block's edge to the kerb behind the bays."""
        return _DEPTH_M[self.parking]

    @property
    def pitch_m(self) -> float:
        """From one bay to the next, along the street."""
        return float(BAY_WIDTH_M / np.sin(_ANGLE[self.parking]))

    @property
    def slant_m(self) -> float:
        """How far a bay's line moves along the street from its front to its back."""
        return float(self.depth_m / np.tan(_ANGLE[self.parking]))

    @property
    def count(self) -> int:
        """Bays that fit in."""
        return max(0, int((self.end_m - self.start_m - self.slant_m) / self.pitch_m))

    @property
    def yaw(self) -> float:
        """Plan heading of a vehicle that has driven in forwards."""
        along = self.street.yaw + (np.pi if self.is_left else 0.0)
        return float(along - _ANGLE[self.parking])

    def left_m(self, depth_m: float) -> float:
        """Left of the street's middle line.

        Args:
            depth_m: from the carriageway's side into the block.
        """
        right, left = self.street.side_m
        return left + depth_m if self.is_left else -right - depth_m

    @property
    def centres_uv_m(self) -> NDArrayFloat:
        """``(count,2)`` plan points in the middle of the bays."""
        along = self.start_m + self.slant_m / 2 + (np.arange(self.count) + 0.5) * self.pitch_m
        points = [self.street.point(float(a), self.left_m(self.depth_m / 2)) for a in along]
        return np.array(points).reshape(-1, 2)

    @property
    def rectangle(self) -> tuple[float, float, float, float]:
        """Smallest u and v, largest u and v of the ground that is cut out."""
        corners = [
            self.street.point(along, self.left_m(depth))
            for along in (self.start_m, self.end_m)
            for depth in (0.0, self.depth_m)
        ]
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def bay_strips(plan: Plan) -> tuple[BayStrip, ...]:
    """All rows of bays of a plan, in the order of its streets and blocks.

    Args:
        plan: streets and blocks.
    """
    found = (
        _strip(street, is_left, block)
        for street in plan.streets
        for is_left in (False, True)
        if street.parking[int(is_left)] in _DEPTH_M
        for block in plan.blocks
    )
    return tuple(strip for strip in found if strip is not None and strip.count > 0)


def _strip(street: Street, is_left: bool, block: Block) -> BayStrip | None:
    """The bays between a street's side and a block; None where they do not touch."""
    parking = street.parking[int(is_left)]
    edge = float(street.point(0.0, street.side_m[1] if is_left else -street.side_m[0])[1 if street.axis == "u" else 0])
    lows, highs = (block.u0, block.v0), (block.u1, block.v1)
    along, across = (0, 1) if street.axis == "u" else (1, 0)
    block_is_beyond = is_left == (street.axis == "u")  # beyond the street on its other axis
    if abs((lows if block_is_beyond else highs)[across] - edge) > _TOUCHING_M:
        return None
    margin = max(block.corner_m, _DEPTH_M[parking]) + 1.0  # bays round a corner must not meet
    start, end = max(lows[along], street.start_m) + margin, min(highs[along], street.end_m) - margin
    return BayStrip(street, is_left, parking, block, start, end) if end > start else None
