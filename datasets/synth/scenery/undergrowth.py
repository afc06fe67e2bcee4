"""Low plants on verges and in gardens, which make the ground beside streets uneven."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.plants import tufts
from vedette.datasets.synth.scenery.site import Site

_PER_M2: Final = 1.6
_ROOM_M: Final = 0.35
_LAWN_M: Final = 0.06
_TALLEST_M: Final = 0.45


def grow(site: Site, lot: Lot, front: Front, low_xy_m: tuple[float, float], high_xy_m: tuple[float, float]) -> None:
    """Let low plants grow in a rectangle wherever nothing stands.

    Args:
        site: gets them.
        lot: the block.
        front: in whose frame the rectangle is given; if no street runs along it, nothing grows.
        low_xy_m: its smallest x and y.
        high_xy_m: its largest x and y.
    """
    rng = site.rng
    size = np.subtract(high_xy_m, low_xy_m)
    if not front.is_at_street or size.min() <= 0.0:
        return
    uv = front.uv_m(rng.uniform(low_xy_m, high_xy_m, (int(_PER_M2 * size.prod()), 2)))
    uv = uv[site.are_free(np.column_stack([uv, np.full(len(uv), _ROOM_M)]))]
    if not len(uv):
        return
    wild = float(rng.beta(1.0, 2.0))  # from lawn to wilderness
    tall = _LAWN_M + wild * (_TALLEST_M - _LAWN_M) * rng.beta(1.5, 2.5, len(uv))
    site.lay(tufts(rng, np.column_stack([uv, lot.inside_m + lot.relief_m(uv)]), tall))
