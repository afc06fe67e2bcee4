"""A town: the everyday scene. Narrow streets with parked cars on both sides, houses, some traffic, some people.

This is what most of KITTI's residential and city drives look like, and where the demo drives.
"""

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.plan import Axis, Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.roads.network import build_network
from vedette.datasets.synth.scenarios.stage import Crowd, Stage, people_streets, stream
from vedette.datasets.synth.terrain import Terrain, Wave
from vedette.datasets.synth.world import World

SWING_M = 6.0
"""How far traffic swings out to turn round where a street ends."""

_OUTSIDE_M = 50.0  # a street goes on beyond its last block by this, to turn round there
_TIGHTEST_BEND_M = 80.0


def build(name: str, seed: int, duration_s: float, vehicles: int) -> World:
    """The world.

    Args:
        name: scenario and name of the world.
        seed: of everything that is drawn.
        duration_s: how long it lasts.
        vehicles: how many are connected.
    """
    rng = stream(name, seed, "place")
    network = build_network(town_plan(rng), town_terrain(rng), SWING_M)
    crowd = Crowd(vehicles=30, walkers=28, groups=8, cyclists=2)
    return people_streets(Stage(name, seed, network), crowd, duration_s, vehicles, reach_m=60.0)


def town_terrain(rng: np.random.Generator) -> Terrain:
    """Gently bent and sloping ground.

    Args:
        rng: of its shape.
    """
    wave_number = float(rng.uniform(0.012, 0.02))
    bend = 1.0 / (_TIGHTEST_BEND_M * wave_number**2) * rng.uniform(0.2, 0.9, 2)
    bend = np.minimum(bend, 0.12 / wave_number)  # so that lengths change by little
    waves = tuple(
        Wave(
            float(rng.uniform(0.2, 0.8)),
            float(rng.uniform(-0.025, 0.025)),
            float(rng.uniform(-0.025, 0.025)),
            float(rng.uniform(0.0, 2.0 * np.pi)),
        )
        for _ in range(2)
    )
    slopes = rng.uniform(-0.025, 0.025, 2)
    phases = rng.uniform(0.0, 2.0 * np.pi, 2)
    return Terrain(
        float(bend[0]),
        float(bend[1]),
        wave_number,
        (float(phases[0]), float(phases[1])),
        float(slopes[0]),
        float(slopes[1]),
        waves,
    )


def town_plan(rng: np.random.Generator, *, lanes: tuple[int, ...] = (1,)) -> Plan:
    """A grid of streets with blocks of mixed uses between them and around.

    Args:
        rng: of its measures.
        lanes: numbers of lanes in each direction that streets may have.
    """
    columns, rows = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    u_gaps, v_gaps = rng.uniform(55.0, 95.0, columns + 1), rng.uniform(50.0, 80.0, rows + 1)
    uses = (BlockUse.HOUSES, BlockUse.TERRACES, BlockUse.INDUSTRY, BlockUse.PARK)
    along_v, u_edges, u_ends = _streets("v", rng, u_gaps, float(v_gaps.sum()), lanes)
    along_u, v_edges, v_ends = _streets("u", rng, v_gaps, u_ends, lanes)
    along_v = [_with_end(street, v_ends) for street in along_v]
    blocks = tuple(
        Block(
            u0, v0, u1, v1, uses[int(rng.choice(4, p=[0.45, 0.3, 0.13, 0.12]))], kerb_m=float(rng.uniform(0.08, 0.14))
        )
        for u0, u1 in u_edges
        for v0, v1 in v_edges
    )
    return Plan((*along_u, *along_v), blocks)


def _streets(
    axis: Axis, rng: np.random.Generator, gaps_m: np.ndarray, length_m: float, lanes: tuple[int, ...]
) -> tuple[list[Street], list[tuple[float, float]], float]:
    """Streets side by side, the edges of the blocks between them, and where the last block ends."""
    kinds = (Parking.PARALLEL, Parking.PARALLEL, Parking.PARALLEL, Parking.NONE, Parking.ANGLED, Parking.PERPENDICULAR)
    streets, edges = [], []
    at = 0.0
    for gap in gaps_m[:-1]:
        parking = kinds[int(rng.integers(6))], kinds[int(rng.integers(6))]
        street = Street(
            axis,
            0.0,
            -_OUTSIDE_M,
            length_m + _OUTSIDE_M,
            lanes=lanes[int(rng.integers(len(lanes)))],
            lane_width_m=float(rng.uniform(3.0, 3.4)),
            parking=parking,
            speed_m_s=float(rng.uniform(8.5, 13.0)),
        )
        right, left = street.side_m
        low, high = (right, left) if axis == "u" else (left, right)
        edges.append((at, at + float(gap)))
        streets.append(_with_place(street, at + float(gap) + low))
        at += float(gap) + low + high
    edges.append((at, at + float(gaps_m[-1])))
    return streets, edges, at + float(gaps_m[-1])


def _with_place(street: Street, at_m: float) -> Street:
    from dataclasses import replace

    return replace(street, at_m=at_m)


def _with_end(street: Street, end_m: float) -> Street:
    from dataclasses import replace

    return replace(street, end_m=end_m + _OUTSIDE_M)
