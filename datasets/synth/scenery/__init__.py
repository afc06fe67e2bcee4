"""All that stands still: the ground, buildings, plants, street furniture and clutter of a plan."""

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import BlockUse, Claims, Plan
from vedette.datasets.synth.scenery.ground import build_ground
from vedette.datasets.synth.scenery.houses import build_houses
from vedette.datasets.synth.scenery.lots import lots_of
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.terrain import Terrain
from vedette.errors import ConfigError


def build_scenery(plan: Plan, terrain: Terrain, claims: Claims, rng: np.random.Generator) -> Mesh:
    """Everything that stands still.

    Args:
        plan: streets and blocks.
        terrain: shape of the ground.
        claims: ground that is taken; what is placed here is added to it.
        rng: of everything that is drawn.

    Returns:
        Triangles in the world frame. Ground reaches at least 150 m beyond every street.

    Raises:
        ConfigError: the plan is empty.
    """
    if not plan.streets and not plan.blocks:
        raise ConfigError("scenery of a plan without streets and blocks; expected one of either at least")
    site = Site(plan, terrain, claims, rng)
    lots = lots_of(plan, rng)
    build_ground(site, lots)
    for lot in (lot for lot in lots if lot.block.use in (BlockUse.HOUSES, BlockUse.TERRACES)):
        build_houses(site, lot)
    return site.build()
