"""Vehicles that stand: at the kerb, in bays, on driveways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.bays import BAY_WIDTH_M, BayStrip, bay_strips
from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street, rectangle_circles
from vedette.datasets.synth.roads.network import Network, Turn
from vedette.datasets.synth.shapes.vehicles import VehicleKind, draw_kind, vehicle
from vedette.geometry import NDArrayFloat

_YAW_JITTER: Final = float(np.deg2rad(2.0))
_ASIDE_JITTER_M: Final = 0.1
_FROM_KERB_M: Final = 0.2
_WIDEST_M: Final = 2.1
_LONGEST_IN_BAY_M: Final = 5.3
_INSIDE_M: Final = 0.2  # that nobody sticks out of a bay, jitter included
_OVER_KERB_M: Final = 0.2  # how far bumpers reach over the kerb behind it
_FROM_STOP_LINE_M: Final = 1.0
_WRONG_WAY: Final = 0.07
_BACKED_IN: Final = 0.25
_DRIVEWAY_EVERY_M: Final = 15.0
_FROM_CORNER_M: Final = 13.0
_BEHIND_PAVEMENT_M: Final = 0.6
_CLAIM_MARGIN_M: Final = 0.3


@dataclass(frozen=True)
class Parked:
    """A vehicle that stands.

    Args:
        kind: body style.
        shape: what it looks like.
        uv_m: plan point of its middle.
        plan_yaw: heading in the plan.
        above_m: metres above carriageway level.
    """

    kind: VehicleKind
    shape: RigidShape
    uv_m: tuple[float, float]
    plan_yaw: float
    above_m: float = 0.0

    @property
    def circles(self) -> list[tuple[float, float, float]]:
        """Circles in the plan that cover it."""
        length, width, _ = self.shape.size_m
        place = np.array(self.uv_m)
        return rectangle_circles(place, self.plan_yaw, length + _CLAIM_MARGIN_M, width + _CLAIM_MARGIN_M)


def park_vehicles(network: Network, rng: np.random.Generator, share: float) -> list[Parked]:
    """Vehicles at kerbs and in bays, clear of junctions.

    Args:
        network: whose plan says where parking is.
        rng: of everything that is drawn.
        share: of the places that are taken, 0 to 1.
    """
    parked: list[Parked] = []
    for index, street in enumerate(network.plan.streets):
        stretches = _stretches(network, index)
        for is_left in (False, True):
            if street.parking[int(is_left)] is Parking.PARALLEL:
                for stretch in _beside_blocks(stretches, network.plan, street, is_left):
                    parked += _row(street, is_left, stretch, rng, share)
    for strip in bay_strips(network.plan):
        index = next(i for i, street in enumerate(network.plan.streets) if street is strip.street)
        parked += _bays(strip, _stretches(network, index), rng, share)
    return parked


def park_on_driveways(network: Network, rng: np.random.Generator, share: float) -> list[Parked]:
    """Vehicles before houses, their noses to the house or to the street.

    Args:
        network: whose plan has the houses.
        rng: of everything that is drawn.
        share: of the possible driveways.
    """
    strips = bay_strips(network.plan)
    cut = {(id(strip.block), strip.street.axis, strip.is_left) for strip in strips}
    parked: list[Parked] = []
    for block in network.plan.blocks:
        if block.use is BlockUse.HOUSES:
            for street in network.plan.streets:
                for is_left in (False, True):
                    if (id(block), street.axis, is_left) not in cut and _touches(block, street, is_left):
                        parked += _driveways(block, street, is_left, rng, share)
    return parked


def _stretches(network: Network, street: int) -> list[tuple[float, float]]:
    """Parts of a street between junctions, along its axis."""
    along = {
        (min(lane.along_m), max(lane.along_m))
        for lane in network.lanes
        if lane.turn is Turn.ALONG and lane.street == street
    }
    return sorted(along)


def _beside_blocks(
    stretches: list[tuple[float, float]], plan: Plan, street: Street, is_left: bool
) -> Iterator[tuple[float, float]]:
    """Parts of stretches along which there is a kerb to stand at."""
    for block in plan.blocks:
        if _touches(block, street, is_left):
            first, last = (block.u0, block.u1) if street.axis == "u" else (block.v0, block.v1)
            yield from ((max(low, first), min(high, last)) for low, high in stretches if low < last and high > first)


def _draw(rng: np.random.Generator, longest_m: float) -> tuple[VehicleKind, RigidShape] | None:
    kind = draw_kind(rng, parked=True)
    shape = vehicle(kind, rng)
    return (kind, shape) if shape.size_m[1] <= _WIDEST_M and shape.size_m[0] <= longest_m else None


def _row(
    street: Street, is_left: bool, stretch: tuple[float, float], rng: np.random.Generator, share: float
) -> Iterator[Parked]:
    """Vehicles at the kerb, one behind the other, with gaps."""
    right_m, left_m = street.side_m
    at = stretch[0] + _FROM_STOP_LINE_M + float(rng.uniform(0.0, 3.0))
    while at < stretch[1] - _FROM_STOP_LINE_M:
        drawn = _draw(rng, longest_m=7.0) if rng.random() < share else None
        if drawn is None:
            at += float(rng.uniform(4.0, 7.0))
            continue
        kind, shape = drawn
        length, width, _ = shape.size_m
        if at + length > stretch[1] - _FROM_STOP_LINE_M:
            return
        inwards = _FROM_KERB_M + width / 2 + float(rng.uniform(-_ASIDE_JITTER_M, _ASIDE_JITTER_M))
        place = street.point(at + length / 2, left_m - inwards if is_left else inwards - right_m)
        with_traffic = street.yaw + (np.pi if is_left and not street.one_way else 0.0)
        yaw = with_traffic + (np.pi if rng.random() < _WRONG_WAY else 0.0) + rng.uniform(-_YAW_JITTER, _YAW_JITTER)
        yield Parked(kind, shape, (float(place[0]), float(place[1])), float(yaw))
        at += length + float(rng.uniform(0.6, 1.6))


def _bays(
    strip: BayStrip, stretches: list[tuple[float, float]], rng: np.random.Generator, share: float
) -> Iterator[Parked]:
    axis = 0 if strip.street.axis == "u" else 1
    for centre in strip.centres_uv_m:
        reach = BAY_WIDTH_M / 2 + strip.slant_m / 2
        is_clear = any(low + reach <= centre[axis] <= high - reach for low, high in stretches)
        drawn = _draw(rng, _LONGEST_IN_BAY_M) if is_clear and rng.random() < share else None
        if drawn is None:
            continue
        depth = _depth_offset_m(strip, drawn[1], rng)
        if depth is None:
            continue
        into = np.array([np.cos(strip.yaw), np.sin(strip.yaw)])
        slant = abs(float(np.sin(strip.yaw - strip.street.yaw)))
        aside = rng.uniform(-_ASIDE_JITTER_M, _ASIDE_JITTER_M) * np.array([-into[1], into[0]])
        place = centre + depth / slant * into + aside
        yaw = strip.yaw + (np.pi if rng.random() < _BACKED_IN else 0.0) + rng.uniform(-_YAW_JITTER, _YAW_JITTER)
        yield Parked(*drawn, (float(place[0]), float(place[1])), float(yaw))


def _depth_offset_m(strip: BayStrip, shape: RigidShape, rng: np.random.Generator) -> float | None:
    """How much deeper than the middle of its bay a vehicle stands; None if it would reach into the carriageway."""
    turn = strip.yaw - strip.street.yaw
    length, width, _ = shape.size_m
    reach = (length * abs(np.sin(turn)) + width * abs(np.cos(turn))) / 2
    room = strip.depth_m / 2 - reach
    low, high = -room + _INSIDE_M, max(room, 0.0) + _OVER_KERB_M
    return float(rng.uniform(low, high)) if low < high else None


def _driveways(block: Block, street: Street, is_left: bool, rng: np.random.Generator, share: float) -> Iterator[Parked]:
    low, high = (block.u0, block.u1) if street.axis == "u" else (block.v0, block.v1)
    right_m, left_m = street.side_m
    at = low + _FROM_CORNER_M + float(rng.uniform(0.0, _DRIVEWAY_EVERY_M / 2))
    inwards = street.yaw + (np.pi / 2 if is_left else -np.pi / 2)
    while at < high - _FROM_CORNER_M:
        drawn = _draw(rng, _LONGEST_IN_BAY_M) if rng.random() < share else None
        if drawn is not None:
            deep = block.pavement_m + _BEHIND_PAVEMENT_M + drawn[1].size_m[0] / 2 + float(rng.uniform(0.0, 1.0))
            place = street.point(at, left_m + deep if is_left else -right_m - deep)
            yaw = inwards + (np.pi if rng.random() < _BACKED_IN else 0.0) + rng.uniform(-_YAW_JITTER, _YAW_JITTER)
            yield Parked(*drawn, (float(place[0]), float(place[1])), float(yaw), block.kerb_m)
        at += float(rng.uniform(0.8, 1.3)) * _DRIVEWAY_EVERY_M


def _touches(block: Block, street: Street, is_left: bool) -> bool:
    right_m, left_m = street.side_m
    middle = (block.u0 + block.u1) / 2 if street.axis == "u" else (block.v0 + block.v1) / 2
    return _holds(block, street.point(middle, left_m + 0.5 if is_left else -right_m - 0.5))


def _holds(block: Block, uv_m: NDArrayFloat) -> bool:
    return bool(block.u0 <= uv_m[0] <= block.u1 and block.v0 <= uv_m[1] <= block.v1)
