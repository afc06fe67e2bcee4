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
_AVENUE_CHANCE: Final = 0.7
_STREET_LEAVES: Final = 7500  # of a tree, times the number of blocks: the larger the town, the fewer for each
_LEAVES_PER_TREE: Final = (360, 830)
_TRUNK_ROOM_M: Final = 0.2
_CLEARANCE_M: Final = 3.8
_BOXES: Final[tuple[tuple[Callable[[np.random.Generator], Mesh], float, float, float], ...]] = (
    (clutter.cabinet, 0.5, 1.6, 0.4),
    (clutter.bins, 0.35, 2.7, 0.6),
    (lambda _: furniture.post_box(), 0.1, 0.5, 0.45),
    (lambda _: furniture.bench(), 0.12, 1.8, 0.6),
    (lambda _: furniture.bicycle_stands(), 0.1, 2.6, 0.8),
    (clutter.bicycles, 0.6, 2.0, 0.6),
    (clutter.bicycles, 0.4, 2.0, 0.6),
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
        if not front.is_at_street:
            continue
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
    """An avenue, in most streets, of trees of about one age; where one cannot stand it moves along a little."""
    rng = site.rng
    if rng.random() > _AVENUE_CHANCE or lot.block.pavement_m < 2.0:
        return
    pitch, crown_m = rng.uniform(8.0, 13.0), rng.uniform(1.8, 3.2)
    leaves = int(np.clip(_STREET_LEAVES / len(site.plan.blocks), *_LEAVES_PER_TREE))
    for x in np.arange(rng.uniform(4.0, 9.0), front.length_m - 4.0, pitch):
        places = [front.uv_m([x + along, _kerb_side(front, lot)]) for along in (0.0, 0.8, -0.8, 1.6)]
        place = next((place for place in places if site.take(place, _TRUNK_ROOM_M)), None)
        if place is not None and rng.random() < 0.92:
            plant = tree(rng, rng.uniform(2.1, 2.6), crown_m * rng.uniform(0.8, 1.15), leaves)
            site.stand(_cut_over_road(plant), place, front.yaw, lot.block.kerb_m)


def _cut_over_road(plant: Mesh) -> Mesh:
    """A tree without the leaves that lorries would tear off; its street lies towards -y."""
    corners = plant.vertices_m[plant.triangles]
    is_in_the_way = (corners[..., 1] < -_KERB_SIDE_M) & (corners[..., 2] < _CLEARANCE_M)
    cut = plant.select(np.asarray(~is_in_the_way.any(axis=1)))
    used, triangles = np.unique(cut.triangles, return_inverse=True)
    return Mesh(cut.vertices_m[used], triangles.reshape(-1, 3), cut.surfaces, cut.colours_rgb)


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
