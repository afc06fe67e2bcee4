"""A town: the everyday scene. Streets with parked cars, houses and yards, some traffic, some people.

This is what KITTI's residential and city drives look like, and where the demo drives.
"""

from __future__ import annotations

from typing import Final

from vedette.datasets.synth.roads.network import build_network
from vedette.datasets.synth.scenarios.crowd import Crowd, Start, people
from vedette.datasets.synth.scenarios.grids import SWING_M, Grid, draw_plan, draw_terrain
from vedette.datasets.synth.scenarios.stage import Stage, stream
from vedette.datasets.synth.world import World

_AT_SPEED: Final = Start(part=(0.05, 0.6))
"""Far enough from the next junction to begin on the move."""


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
    crowd = Crowd(
        vehicles=int(rng.integers(18, 32)),
        walkers=int(rng.integers(20, 42)),
        groups=12,
        cyclists=int(rng.integers(2, 5)),
        parked=float(rng.uniform(0.4, 0.8)),
        green_s=9.0 if rng.random() < 0.3 else None,
    )
    return people(Stage(scenario, seed, network), crowd, duration_s, vehicles, _AT_SPEED)
