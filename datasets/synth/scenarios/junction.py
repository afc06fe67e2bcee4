"""One large junction with signals, traffic from all sides, and people who cross. The ego vehicle approaches it."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.roads.network import build_network
from vedette.datasets.synth.scenarios.crowd import Crowd, Start, people
from vedette.datasets.synth.scenarios.grids import SWING_M, draw_terrain, draw_uses
from vedette.datasets.synth.scenarios.stage import Stage, stream
from vedette.datasets.synth.world import World

_ARM_M: Final = 105.0
_OUTSIDE_M: Final = 70.0
_PARK_CHANCE: Final = 0.4


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected.
    """
    rng = stream(scenario, seed, "place")
    network = build_network(_plan(_draw_uses(rng)), draw_terrain(rng), SWING_M)
    crowd = Crowd(vehicles=24, walkers=20, groups=5, cyclists=2, parked=0.5, closest_m=6.0, green_s=12.0)
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles, Start(part=(0.1, 0.6)))


def _draw_uses(rng: np.random.Generator) -> list[BlockUse]:
    """Of the four corners; one is a park now and then."""
    uses = draw_uses(rng, 4)
    if rng.random() < _PARK_CHANCE:
        uses[int(rng.integers(4))] = BlockUse.PARK
    return uses


def _plan(uses: list[BlockUse]) -> Plan:
    main = Street("u", 0.0, -_ARM_M - _OUTSIDE_M, _ARM_M + _OUTSIDE_M, lanes=2, speed_m_s=13.9)
    parking = (Parking.PARALLEL, Parking.PARALLEL)
    side = Street("v", 0.0, -_ARM_M - _OUTSIDE_M, _ARM_M + _OUTSIDE_M, parking=parking, speed_m_s=11.0)
    v_edge, u_edge = main.side_m[0], side.side_m[0]
    corners = ((u, v) for u in ((-_ARM_M, -u_edge), (u_edge, _ARM_M)) for v in ((-_ARM_M, -v_edge), (v_edge, _ARM_M)))
    blocks = [Block(u[0], v[0], u[1], v[1], use, pavement_m=3.5) for (u, v), use in zip(corners, uses, strict=True)]
    return Plan((main, side), tuple(blocks))
