"""What stands where on the pavements of a plan: posts at the kerb, boxes at the back, lights at the junctions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import BlockUse
from vedette.datasets.synth.scenery import clutter, furniture
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.plants import tree
from vedette.datasets.synth.scenery.site import Site

_KERB_SIDE_M: Final = 0.42
_LAMP_PITCH_M: Final = 27.0
_BOXES: Final[tuple[tuple[Callable[[np.random.Generator], Mesh], float, float, float], ...]] = (
    (clutter.cabinet, 0.5, 1.6, 0.4),
    (clutter.bins, 0.35, 2.7, 0.6),
    (lambda _: furniture.post_box(), 0.1, 0.5, 0.45),
    (lambda _: furniture.bench(), 0.12, 1.8, 0.6),
    (lambda _: furniture.bicycle_stands(), 0.1, 2.6, 0.8),
    (clutter.column, 0.06, 1.5, 1.5),
    (lambda _: furniture.bus_shelter(), 0.07, 5.0, 1.4),
    (clutter.container_bin, 0.12, 1.4, 1.0),
)
"""What, how likely at a front, and the ground that it takes along and across."""


def furnish(site: Site, lot: Lot, *, has_lights: bool) -> None:
    """Furnish a block's pavement.

    Args:
        site: gets it.
        lot: the block.
        has_lights: whether traffic lights stand at its corners.
    """
    if lot.block.pavement_m < 1.2 or lot.block.use is BlockUse.FIELD:
        return
    for front in lot.fronts():
        _place_lamps(site, lot, front)
        _place_trees(site, lot, front)
        _place_posts(site, lot, front, has_lights=has_lights)
        _place_boxes(site, lot, front)


def _kerb_side(front: Front, lot: Lot) -> float:
    """``y`` of posts: at the kerb, which lies behind the bays where there are any."""
    return -min(front.setback_m, lot.block.pavement_m) + _KERB_SIDE_M


def _place(
    site: Site, spot: tuple[Lot, Front], xy_m: tuple[float, float], mesh: Mesh, *, radius_m: float, turn: float = 0.0
) -> None:
    """Put something on the pavement before a front if the ground is free."""
    lot, front = spot
    place = front.uv_m(xy_m)
    if 0.0 < xy_m[0] < front.length_m and site.take(place, radius_m):
        site.stand(mesh, place, front.yaw + turn, lot.block.kerb_m)


def _place_lamps(site: Site, lot: Lot, front: Front) -> None:
    height = float(site.rng.uniform(5.2, 7.5))
    for x in np.arange(site.rng.uniform(5.0, 14.0), front.length_m - 3.0, _LAMP_PITCH_M):
        lamp = furniture.lamp(height, 1.1)
        _place(site, (lot, front), (float(x), _kerb_side(front, lot)), lamp, radius_m=0.15, turn=np.pi)


def _place_trees(site: Site, lot: Lot, front: Front) -> None:
    """An avenue, in some streets; crowns begin above lorries' mirrors."""
    rng = site.rng
    if rng.random() > 0.35 or lot.block.pavement_m < 2.0:
        return
    pitch = rng.uniform(9.0, 15.0)
    for x in np.arange(rng.uniform(6.0, 12.0), front.length_m - 5.0, pitch):
        if rng.random() < 0.85:
            plant = tree(rng, rng.uniform(2.7, 3.3), rng.uniform(1.3, 2.1), 280)
            _place(site, (lot, front), (float(x), _kerb_side(front, lot) + 0.1), plant, radius_m=0.25)


def _place_posts(site: Site, lot: Lot, front: Front, *, has_lights: bool) -> None:
    """Signs, bollards and lights at the kerb."""
    rng = site.rng
    y = _kerb_side(front, lot)
    if has_lights:
        at = max(1.0, lot.corner_m - lot.block.pavement_m)  # where those who drive on this side arrive
        _place(site, (lot, front), (at, y), furniture.traffic_light(), radius_m=0.32, turn=np.pi)
    for _ in range(int(rng.integers(0, 1 + max(1, round(front.length_m / 22.0))))):
        turn = np.pi if rng.random() < 0.8 else 0.0  # most face those who drive on this side
        x = float(rng.uniform(3.0, max(3.5, front.length_m - 3.0)))
        _place(site, (lot, front), (x, y), furniture.sign(rng), radius_m=0.32, turn=turn)
    if rng.random() < 0.2:
        for k in range(int(rng.integers(3, 7))):
            _place(site, (lot, front), (3.6 + 1.5 * k, y - 0.1), furniture.bollard(), radius_m=0.1)


def _place_boxes(site: Site, lot: Lot, front: Front) -> None:
    """Cabinets, bins, post boxes, benches and a shelter with their backs to the back of the pavement."""
    rng = site.rng
    for make, chance, length, width in _BOXES:
        if rng.random() < chance and front.length_m > 8.0:
            place = front.uv_m([rng.uniform(4.0, front.length_m - 4.0), -0.03 - width / 2])
            if site.take_rectangle(place, front.yaw, length, width):
                site.stand(make(rng), place, front.yaw, lot.block.kerb_m)
