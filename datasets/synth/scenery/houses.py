"""Detached houses with gabled roofs, side by side behind the pavement."""

from __future__ import annotations

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.scenery.lots import Lot
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import cuboids, gabled_roof, gables
from vedette.datasets.synth.surfaces import Surface


def build_houses(site: Site, lot: Lot) -> None:
    """One row of houses along each front.

    Args:
        site: gets them.
        lot: the block.
    """
    for front in lot.fronts():
        x = 12.0
        while x < front.length_m - 12.0:
            place = front.uv_m([x, 9.0])
            if site.take_rectangle(place, front.yaw, 11.0, 9.0):
                site.stand(_house(), place, front.yaw, lot.above_m(place))
            x += 15.0


def _house() -> Mesh:
    size, colour = (11.0, 9.0), (214, 204, 186)
    walls = cuboids([0.0, 0.0, -0.6], [*size, 4.6], Surface.PLASTER, colour)
    return Mesh.merge(
        [walls, gables(size, 4.0, 3.6, Surface.PLASTER, colour), gabled_roof(size, 4.0, 3.6, 0.4, (126, 66, 50))]
    )
