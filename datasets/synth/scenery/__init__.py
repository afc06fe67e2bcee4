"""All that stands still: the ground, buildings, plants, street furniture and clutter of a plan.

| module                                          | idea                                                              |
|-------------------------------------------------|-------------------------------------------------------------------|
| `site`                                          | what was placed so far; ground that is free; from plan to world   |
| `lots`                                          | a block as a place to build on                                    |
| `ground`, `raised`, `paving`, `markings`        | carriageways and land, blocks on kerbs, paths, paint              |
| `houses`, `terraces`, `industry`, `open_land`   | what covers a block                                               |
| `pavements`, `motorways`                        | what lines a street                                               |
| `lookalikes`, `islands`, `vacant`               | what is taken for cars and people there, set out last             |
| `solids`, `facades`, `buildings`, `boundaries`, | parts, each in a frame of its own                                 |
| `plants`, `undergrowth`, `furniture`, `clutter` |                                                                   |
| `beds`, `uprights`, `parked_bikes`, `wares`     | parts made to the size of the ground that was free                |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import BlockUse, Claims, Plan
from vedette.datasets.synth.scenery.ground import build_ground
from vedette.datasets.synth.scenery.houses import build_houses
from vedette.datasets.synth.scenery.industry import build_industry
from vedette.datasets.synth.scenery.lookalikes import set_out
from vedette.datasets.synth.scenery.lots import Lot, lots_of
from vedette.datasets.synth.scenery.markings import paint
from vedette.datasets.synth.scenery.motorways import line_motorway
from vedette.datasets.synth.scenery.open_land import build_car_park, build_far_land, build_field, build_park
from vedette.datasets.synth.scenery.pavements import furnish
from vedette.datasets.synth.scenery.raised import build_block
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.terraces import build_terraces
from vedette.datasets.synth.terrain import Terrain
from vedette.errors import ConfigError

_COVER: Final[dict[BlockUse, Callable[[Site, Lot], None]]] = {
    BlockUse.HOUSES: build_houses,
    BlockUse.TERRACES: build_terraces,
    BlockUse.INDUSTRY: build_industry,
    BlockUse.PARK: build_park,
    BlockUse.CAR_PARK: build_car_park,
    BlockUse.FIELD: build_field,
}
_LIGHTS_CHANCE: Final = 0.35
_LOOKALIKES: Final = 1  # stream of random numbers


def build_scenery(plan: Plan, terrain: Terrain, claims: Claims, rng: np.random.Generator) -> Mesh:
    """Everything that stands still.

    Args:
        plan: streets and blocks.
        terrain: shape of the ground.
        claims: ground that is taken; what is placed here is added to it.
        rng: of everything that is drawn.

    Returns:
        Triangles in the world frame. Ground reaches 300 m beyond the plan.

    Raises:
        ConfigError: the plan is empty.
    """
    if not plan.streets and not plan.blocks:
        raise ConfigError("scenery of a plan without streets and blocks; expected one of either at least")
    site = Site(plan, terrain, claims, rng)
    lots = lots_of(plan, rng)
    build_ground(site)
    has_lights = bool(rng.random() < _LIGHTS_CHANCE)
    for lot in lots:
        build_block(site, lot)
        _COVER[lot.block.use](site, lot)
        furnish(site, lot, has_lights=has_lights)
    paint(site)
    for street in plan.streets:
        line_motorway(site, street)
    build_far_land(site)
    set_out(site, lots, _own_stream(rng))
    return site.build()


def _own_stream(rng: np.random.Generator) -> np.random.Generator:
    """Random numbers that follow from the seed of `rng`, of which none is taken."""
    seed = rng.bit_generator.seed_seq.generate_state(4)
    return np.random.default_rng([*seed.tolist(), _LOOKALIKES])
