"""Things along streets that a LiDAR sees as it sees cars or people: what fools detectors on real streets.

Planted beds end at a corner as a car's tail does; an old tree's trunk, or a post with a bollard before it, is as wide
as a person; a scooter is a short cyclist without a rider. They are set out last, from a random stream of their own, so
that what else stands in a world of a seed does not depend on them.

    y  into the block                      behind     gardens, parks, fields
    ^  ------------------------------------------------------------------ 0
    |                                      at the back   of the pavement
    |          (where people walk)
    |                                      at the kerb
    |  ---------------------------------------------------------- -pavement
    |        bays and kerb-side parking: see `islands`
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import BlockUse
from vedette.datasets.synth.scenery import clutter
from vedette.datasets.synth.scenery.beds import bank, planted_bed, planter, wall_hedge
from vedette.datasets.synth.scenery.islands import plant_islands
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.parked_bikes import bicycle_row, scooter_row
from vedette.datasets.synth.scenery.plants import bush
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.uprights import arcade, low_sign, old_trunk, post_row
from vedette.datasets.synth.scenery.vacant import take_vacant
from vedette.datasets.synth.scenery.wares import (
    barrier,
    cabinets,
    cafe,
    containers,
    crates,
    guard_rail,
    kiosk,
    letter_boxes,
    low_wall,
    poster,
)
from vedette.geometry import NDArrayFloat

Make = Callable[[np.random.Generator, float, float], Mesh]


@dataclass(frozen=True)
class Kind:
    """One sort of thing.

    Args:
        make: one of a length along x and a width along y, about the origin.
        share: of the tries in its zone.
        length_m: shortest and longest.
        width_m: narrowest and widest.
    """

    make: Make
    share: float
    length_m: tuple[float, float]
    width_m: tuple[float, float]


@dataclass(frozen=True)
class Zone:
    """A strip along a front.

    Args:
        kinds: what may stand in it.
        tries_per_m: of the front; most find the ground taken.
        low_y_m: its side towards the street, in the front's frame.
        high_y_m: its side towards the block.
        huddle: how closely things keep to the block's side; 1 not at all, 0 quite.
    """

    kinds: tuple[Kind, ...]
    tries_per_m: float
    low_y_m: float
    high_y_m: float
    huddle: float


def _stall(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:  # noqa: ARG001
    """A market stall, which is as long as it is."""
    return clutter.stall(rng)


def _bush(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A bush amid grass."""
    return bush(rng, (length_m / 2, width_m / 2, float(rng.uniform(0.25, 0.7))))


_KERB_KINDS: Final = (
    Kind(planted_bed, 0.25, (1.5, 6.0), (0.45, 0.58)),
    Kind(old_trunk, 0.15, (0.8, 1.9), (0.45, 0.58)),
    Kind(post_row, 0.14, (1.8, 9.0), (0.12, 0.3)),
    Kind(low_sign, 0.13, (0.5, 1.4), (0.4, 0.6)),
    Kind(bicycle_row, 0.11, (1.9, 6.0), (0.5, 0.62)),
    Kind(scooter_row, 0.06, (2.1, 4.4), (0.5, 0.58)),
    Kind(cabinets, 0.05, (0.6, 1.6), (0.35, 0.5)),
    Kind(poster, 0.05, (0.6, 1.4), (0.12, 0.3)),
    Kind(guard_rail, 0.03, (4.0, 9.0), (0.15, 0.3)),
    Kind(barrier, 0.03, (2.0, 6.0), (0.45, 0.6)),
)
_BACK_KINDS: Final = (
    Kind(wall_hedge, 0.21, (2.0, 9.0), (0.45, 0.8)),
    Kind(planted_bed, 0.16, (1.5, 7.0), (0.6, 1.5)),
    Kind(bicycle_row, 0.11, (1.9, 6.0), (0.5, 0.7)),
    Kind(scooter_row, 0.05, (2.1, 4.4), (0.65, 0.8)),
    Kind(cabinets, 0.08, (0.6, 2.2), (0.3, 0.6)),
    Kind(old_trunk, 0.05, (0.8, 1.6), (0.5, 1.1)),
    Kind(planter, 0.07, (0.7, 2.4), (0.4, 0.8)),
    Kind(containers, 0.06, (0.7, 4.5), (0.6, 1.0)),
    Kind(letter_boxes, 0.04, (0.5, 1.6), (0.35, 0.5)),
    Kind(crates, 0.04, (0.6, 2.4), (0.4, 0.7)),
    Kind(cafe, 0.04, (1.7, 7.0), (0.9, 1.6)),
    Kind(kiosk, 0.02, (1.8, 3.0), (1.3, 1.6)),
    Kind(poster, 0.03, (0.7, 1.8), (0.12, 0.4)),
    Kind(arcade, 0.03, (1.0, 8.0), (0.5, 1.2)),
    Kind(low_wall, 0.03, (1.5, 5.0), (0.25, 0.5)),
)
_BEHIND_KINDS: Final = (
    Kind(planted_bed, 0.36, (1.5, 8.0), (0.8, 3.0)),
    Kind(wall_hedge, 0.16, (2.0, 8.0), (0.5, 0.9)),
    Kind(old_trunk, 0.1, (0.8, 1.9), (0.5, 1.4)),
    Kind(scooter_row, 0.05, (0.9, 4.5), (1.95, 2.2)),
    Kind(bicycle_row, 0.07, (1.3, 6.0), (1.75, 2.0)),
    Kind(low_wall, 0.06, (1.5, 6.0), (0.25, 0.5)),
    Kind(containers, 0.05, (0.7, 5.0), (0.6, 1.1)),
    Kind(bank, 0.04, (4.0, 10.0), (2.0, 4.0)),
    Kind(planter, 0.04, (0.7, 2.4), (0.4, 0.9)),
    Kind(crates, 0.02, (0.6, 2.4), (0.4, 0.8)),
    Kind(_stall, 0.01, (4.1, 4.2), (2.0, 2.1)),
    Kind(cafe, 0.02, (3.0, 7.0), (1.2, 2.5)),
)
_OPEN_KINDS: Final = (
    Kind(bank, 0.3, (5.0, 16.0), (2.5, 6.0)),
    Kind(planted_bed, 0.2, (1.5, 8.0), (0.8, 3.0)),
    Kind(_bush, 0.3, (1.0, 3.5), (0.8, 1.6)),
)
_LEAST_PAVEMENT_M: Final = 1.2
_KERB_STRIP_M: Final = 0.7  # to where people walk
_FOOTWAY_M: Final = 2.62  # from the kerb to beyond where people walk
_OPEN_USES: Final = (BlockUse.PARK, BlockUse.FIELD)
_BEHIND_M: Final = {BlockUse.PARK: 14.0, BlockUse.FIELD: 26.0, BlockUse.CAR_PARK: 0.9}
_GARDEN_M: Final = 6.0
_FROM_MOTORWAY_M: Final = 8.5
_KERB_GAP_M: Final = 0.12  # to where mirrors of lorries pass, and handlebars reach over
_GAP_M: Final = 0.03


def set_out(site: Site, lots: tuple[Lot, ...], rng: np.random.Generator) -> None:
    """Set lookalikes out along the streets wherever ground is free.

    Args:
        site: gets them.
        lots: its blocks.
        rng: of everything that is drawn here.
    """
    for lot in lots:
        plant_islands(site, lot, rng)
        for front in lot.fronts():
            if front.is_at_street:
                for zone in _zones(lot, front):
                    _fill(site, (lot, front), zone, rng)


def _zones(lot: Lot, front: Front) -> list[Zone]:
    """The strips along a front in which something may stand."""
    use, pavement = lot.block.use, lot.block.pavement_m
    zones = []
    if pavement >= _LEAST_PAVEMENT_M and use is not BlockUse.FIELD:
        kerb = -min(front.setback_m, pavement)
        zones.append(Zone(_KERB_KINDS, 0.55, kerb + _KERB_GAP_M, kerb + _KERB_STRIP_M, 1.0))
        zones.append(Zone(_BACK_KINDS, 0.7, min(kerb + _FOOTWAY_M, -_KERB_STRIP_M), -_GAP_M, 0.3))
    first = _FROM_MOTORWAY_M if any(lot.open_sides) else 0.2
    kinds = _OPEN_KINDS if use in _OPEN_USES else _BEHIND_KINDS
    zones.append(Zone(kinds, 0.15 if use is BlockUse.FIELD else 0.4, first, _BEHIND_M.get(use, _GARDEN_M), 1.0))
    return zones


def _fill(site: Site, spot: tuple[Lot, Front], zone: Zone, rng: np.random.Generator) -> None:
    """Draw places and sizes, and build what finds its ground free."""
    lot, front = spot
    kinds = [kind for kind in zone.kinds if kind.width_m[0] <= zone.high_y_m - zone.low_y_m]
    count = int(zone.tries_per_m * front.length_m)
    if not kinds or not count:
        return
    shares = np.array([kind.share for kind in kinds])
    which = rng.choice(len(kinds), size=count, p=shares / shares.sum())
    rectangles = _draw_rectangles(rng, [kinds[k] for k in which.tolist()], zone, front.length_m)
    for index in take_vacant(site, front, rectangles).tolist():
        x, y, length, width = rectangles[index].tolist()
        place = front.uv_m([x, y])
        level_m = lot.above_m(place) if y > 0.0 else lot.block.kerb_m
        site.stand(kinds[which[index]].make(rng, length, width), place, front.yaw, level_m)


def _draw_rectangles(rng: np.random.Generator, kinds: list[Kind], zone: Zone, front_m: float) -> NDArrayFloat:
    """``(N,4)`` x and y of the middle, length and width, in the front's frame."""
    (length_low, length_high), (width_low, width_high) = (
        np.array([getattr(kind, name) for kind in kinds]).T for name in ("length_m", "width_m")
    )
    length = length_low + rng.beta(1.0, 1.6, len(kinds)) * (np.minimum(length_high, front_m) - length_low)
    width = rng.uniform(width_low, np.minimum(width_high, zone.high_y_m - zone.low_y_m))
    x = length / 2 + rng.random(len(kinds)) * np.maximum(front_m - length, 0.0)
    room = zone.high_y_m - zone.low_y_m - width
    y = zone.high_y_m - width / 2 - room * rng.random(len(kinds)) * zone.huddle
    return np.column_stack([x, y, length, width])
