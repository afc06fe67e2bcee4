"""A car park: rows of bays across the way, cars that drive slowly between them, people on the walkways."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.roads.network import build_network
from vedette.datasets.synth.scenarios.crowd import Crowd, people
from vedette.datasets.synth.scenarios.grids import SWING_M, draw_terrain
from vedette.datasets.synth.scenarios.stage import Stage, stream
from vedette.datasets.synth.world import World

_ROW_M: Final = 25.0  # bays on both sides of a strip with walkways; any less and cars could not wait between aisles
_AROUND_M: Final = 40.0
_OUTSIDE_M: Final = 65.0
_WALKING_PACE_M_S: Final = 5.0


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected.
    """
    rng = stream(scenario, seed, "place")
    network = build_network(_plan(rng), draw_terrain(rng, 200.0, 0.01), SWING_M)
    crowd = Crowd(vehicles=10, walkers=18, groups=8, parked=float(rng.uniform(0.6, 0.9)), heavy=0.0)
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles)


def _plan(rng: np.random.Generator) -> Plan:
    """Aisles along u between two roads along v."""
    length = float(rng.uniform(75.0, 105.0))
    aisles = int(rng.integers(3, 5))
    half = Street("u", 0.0, 0.0, 1.0, lane_width_m=3.0).side_m[0]
    roads_u = (-half, length + half)
    bays = (Parking.PERPENDICULAR, Parking.PERPENDICULAR)
    streets, blocks = [], []
    at = 0.0
    for k in range(aisles + 1):
        depth = _AROUND_M if k in (0, aisles) else _ROW_M
        use = BlockUse.CAR_PARK if 0 < k < aisles else BlockUse.TERRACES if rng.random() < 0.5 else BlockUse.PARK
        blocks.append(Block(0.0, at, length, at + depth, use, pavement_m=2.5))
        at += depth
        if k < aisles:
            streets.append(
                Street("u", at + half, *roads_u, lane_width_m=3.0, parking=bays, speed_m_s=_WALKING_PACE_M_S)
            )
            at += 2.0 * half
    for side, u in enumerate(roads_u):
        streets.append(Street("v", u, -_OUTSIDE_M, at + _OUTSIDE_M, lane_width_m=3.0, speed_m_s=8.0))
        u0, u1 = (u - half - _AROUND_M, u - half) if side == 0 else (u + half, u + half + _AROUND_M)
        blocks.append(Block(u0, 0.0, u1, at, BlockUse.HOUSES, pavement_m=2.5))
    return Plan(tuple(streets), tuple(blocks))
