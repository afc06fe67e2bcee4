"""Several connected vehicles in a town, near enough to see some of the same things, from different sides.

They are not a column: some come the other way or cross. For collaborative perception and for data in OPV2V's layout.
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
    network = build_network(draw_plan(rng, Grid()), draw_terrain(rng), SWING_M)
    crowd = Crowd(vehicles=36, walkers=24, groups=8, cyclists=2, parked=0.55, reach_m=55.0)
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles)
