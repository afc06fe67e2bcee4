"""Paths and drives: paving laid on a block's ground."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour
from vedette.datasets.synth.scenery.grids import cell_size_m, cells, lines
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import quads
from vedette.datasets.synth.surfaces import Surface

_ABOVE_M: Final = 0.05  # clear of the roughness of the grass
_STONE: Final[Colour] = (158, 148, 138)


def pave(site: Site, lot: Lot, front: Front, low_xy_m: tuple[float, float], high_xy_m: tuple[float, float]) -> None:
    """Lay a rectangle.

    Args:
        site: gets it.
        lot: the block.
        front: in whose frame the rectangle is given.
        low_xy_m: its smallest x and y.
        high_xy_m: its largest x and y.
    """
    size = cell_size_m(site.terrain)
    x, y = (lines(a, b, (), size) for a, b in zip(low_xy_m, high_xy_m, strict=True))
    corners = cells(x, y, np.zeros((len(x), len(y)))).reshape(-1, 4, 3)
    uv = front.uv_m(corners[..., :2])
    height = lot.inside_m + lot.relief_m(uv) + _ABOVE_M
    site.lay(quads(np.concatenate([uv, height[..., None]], axis=-1), Surface.PAVING, _STONE))
