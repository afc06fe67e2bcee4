"""Planted islands where vehicles would else be parked: between bays, and in the row at the kerb.

    kerb  ------------------------------------------------
            | bay | bay |#####| bay |      kerb  ----------
            |     |     |#####|     |      [car] (####) [car]    parking at the kerb
    ------------------------------------   -----------------
            carriageway                    carriageway

Whoever parks here was there first. Where people cross and where traffic bends is kept clear.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.bays import BAY_WIDTH_M, BayStrip
from vedette.datasets.synth.plan import Parking, Street
from vedette.datasets.synth.scenery.beds import planted_bed
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.site import Site, rectangle_cover
from vedette.datasets.synth.scenery.streets import street_frame
from vedette.datasets.synth.scenery.vacant import take_vacant
from vedette.geometry import NDArrayBool

_FROM_CROSSING_M: Final = 9.2  # people cross at 7 m
_FROM_LANE_M: Final = 0.3
_LENGTHS_M: Final = (1.6, 4.2)  # of an island at the kerb
_EVERY_M: Final = 14.0
_END_SHARE: Final = 0.2  # of the islands at the kerb, at either end of the row
_BAY_CHANCE: Final = 0.16
_BESIDE_BAY_M: Final = 0.35  # left to either neighbour
_SPINE_M: Final = 1.0  # ground within an island that must be free: neighbours' doors may open over its edges


def plant_islands(site: Site, lot: Lot, rng: np.random.Generator) -> None:
    """Plant islands beside a block.

    Args:
        site: gets them.
        lot: the block.
        rng: of everything that is drawn here.
    """
    for strip in lot.bays:
        _plant_between_bays(site, lot, strip, rng)
    for front in lot.fronts():
        street = _parked_along(site.plan.streets, front)
        if street is not None:
            _plant_at_kerb(site, lot, front, rng)


def _plant_between_bays(site: Site, lot: Lot, strip: BayStrip, rng: np.random.Generator) -> None:
    """An island in a bay here and there."""
    centres = strip.centres_uv_m
    slant = abs(float(np.sin(strip.yaw - strip.street.yaw)))
    length = (strip.depth_m - BAY_WIDTH_M * float(np.sqrt(1.0 - slant**2))) / slant - 0.4
    width = BAY_WIDTH_M - _BESIDE_BAY_M
    chosen = _clear_of_crossings(lot, strip) & (rng.random(len(centres)) < _BAY_CHANCE)
    for centre in centres[chosen]:
        if site.take_circles(rectangle_cover(centre, strip.yaw, length, _SPINE_M)):
            site.stand(planted_bed(rng, length, width), centre, strip.yaw)


def _clear_of_crossings(lot: Lot, strip: BayStrip) -> NDArrayBool:
    """Which bays lie beyond the places where people cross, at either end of the block."""
    axis = 0 if strip.street.axis == "u" else 1
    low, high = ((lot.block.u0, lot.block.u1), (lot.block.v0, lot.block.v1))[axis]
    at, reach = strip.centres_uv_m[:, axis], (BAY_WIDTH_M + strip.slant_m) / 2 + _FROM_CROSSING_M
    return np.asarray((at - reach > low) & (at + reach < high))


def _parked_along(streets: tuple[Street, ...], front: Front) -> Street | None:
    """The street before a front if vehicles are parked at the kerb on this side."""
    probe = front.uv_m([front.length_m / 2, -front.setback_m - 0.5])
    for street in streets:
        along, left = (float(value) for value in street_frame(street, probe))
        right_m, left_m = street.side_m
        if street.start_m < along < street.end_m and -right_m < left < left_m:
            return street if street.parking[int(left > 0)] is Parking.PARALLEL else None
    return None


def _plant_at_kerb(site: Site, lot: Lot, front: Front, rng: np.random.Generator) -> None:
    """Islands at the ends of a row of parked vehicles and within it."""
    fronts = lot.fronts()
    side = fronts.index(front)
    start = _FROM_CROSSING_M - fronts[side - 1].setback_m
    end = front.length_m + fronts[(side + 1) % 4].setback_m - _FROM_CROSSING_M
    width = Street.PARALLEL_BAY_M - _FROM_LANE_M
    y = -front.setback_m - width / 2
    lengths = rng.uniform(*_LENGTHS_M, max(0, int((end - start) / _EVERY_M)) + 2)
    middles = rng.uniform(start, end, len(lengths))
    draw = rng.random(len(lengths))
    x = np.select([draw < _END_SHARE, draw < 2.0 * _END_SHARE], [start + lengths / 2, end - lengths / 2], middles)
    fits = (x - lengths / 2 >= start) & (x + lengths / 2 <= end)
    spots = np.column_stack([x, np.full(len(x), y), lengths, np.full(len(x), _SPINE_M)])[fits]
    for row in take_vacant(site, front, spots).tolist():
        site.stand(planted_bed(rng, float(spots[row, 2]), width), front.uv_m(spots[row, :2]), front.yaw)
