"""Rush hour: queues before signals on streets with several lanes, and many people.

Most of what is there is hidden by something else: for occlusion, and for crowded association.
"""

from __future__ import annotations

from vedette.datasets.synth.roads.network import build_network
from vedette.datasets.synth.scenarios.crowd import Crowd, people
from vedette.datasets.synth.scenarios.grids import SWING_M, Grid, draw_plan, draw_terrain
from vedette.datasets.synth.scenarios.stage import Stage, stream
from vedette.datasets.synth.world import World


def build(scenario: str, seed: int, duration_s: float, vehicles: int) -> World:
    """The world.

    Args:
        scenario: its name.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected.
    """
    rng = stream(scenario, seed, "place")
    grid = Grid(streets=(2, 2), block_m=(60.0, 90.0), lanes=(1, 2, 2), speed_m_s=(11.0, 14.0))
    network = build_network(draw_plan(rng, grid), draw_terrain(rng), SWING_M)
    crowd = Crowd(vehicles=80, walkers=60, groups=16, cyclists=4, parked=0.7, closest_m=2.5, green_s=14.0)
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles)
