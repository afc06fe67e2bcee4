"""Street grids, bent and lifted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Axis, Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.terrain import Terrain, Wave
from vedette.geometry import NDArrayFloat

SWING_M: Final = 6.0
"""How far traffic swings out to turn round where a street ends."""

_OUTSIDE_M: Final = 70.0  # a street goes on beyond its last block by this, to turn round there
_PARKING: Final = (
    Parking.PARALLEL,
    Parking.PARALLEL,
    Parking.PARALLEL,
    Parking.NONE,
    Parking.ANGLED,
    Parking.PERPENDICULAR,
)
_TERRACES: Final = 0.55  # among built-up blocks; the others are houses in gardens
_BLOCKS_PER_OPEN_ONE: Final = 6  # or more: towns are closed, one sees far along streets alone
_PARKS: Final = 0.65  # among open blocks; the others are industry


@dataclass(frozen=True)
class Grid:
    """Measures of a grid, each drawn from a range.

    Args:
        streets: smallest and largest number in each direction.
        block_m: size of a block.
        lanes: numbers of lanes in each direction that a street may have.
        speed_m_s: limits.
        parking: that a street's side may have.
    """

    streets: tuple[int, int] = (2, 3)
    block_m: tuple[float, float] = (52.0, 92.0)
    lanes: tuple[int, ...] = (1,)
    speed_m_s: tuple[float, float] = (8.5, 13.0)
    parking: tuple[Parking, ...] = _PARKING


def draw_plan(rng: np.random.Generator, grid: Grid) -> Plan:
    """Streets along both axes, with blocks of mixed uses between them and around.

    Args:
        rng: of all measures.
        grid: their ranges.
    """
    along_v, columns = _side_by_side("v", rng, grid)
    along_u, rows = _side_by_side("u", rng, grid)
    streets = [
        *(replace(street, end_m=columns[-1][1] + _OUTSIDE_M) for street in along_u),
        *(replace(street, end_m=rows[-1][1] + _OUTSIDE_M) for street in along_v),
    ]
    places = [(u0, v0, u1, v1) for u0, u1 in columns for v0, v1 in rows]
    blocks = [
        Block(*place, use, kerb_m=float(rng.uniform(0.08, 0.14)), pavement_m=float(rng.uniform(2.9, 4.2)))
        for place, use in zip(places, draw_uses(rng, len(places)), strict=True)
    ]
    return Plan(tuple(streets), tuple(blocks))


def draw_uses(rng: np.random.Generator, count: int) -> list[BlockUse]:
    """What covers the blocks of a town: terraces and houses, seldom a park or industry between them.

    Args:
        rng: draws them.
        count: of the blocks.
    """
    uses = [BlockUse.TERRACES if rng.random() < _TERRACES else BlockUse.HOUSES for _ in range(count)]
    how_many = int(rng.integers(0, count // _BLOCKS_PER_OPEN_ONE + 1))
    for index in rng.choice(count, how_many, replace=False):
        uses[int(index)] = BlockUse.PARK if rng.random() < _PARKS else BlockUse.INDUSTRY
    return uses


def draw_terrain(rng: np.random.Generator, tightest_bend_m: float = 90.0, steepest: float = 0.025) -> Terrain:
    """Gently bent and sloping ground.

    Args:
        rng: of its shape.
        tightest_bend_m: radius of the tightest bend of a street.
        steepest: slope along each axis; the waves add as much again at most.
    """
    wave_number = float(rng.uniform(0.6, 1.0) * min(0.02, 0.9 * tightest_bend_m**-0.5 * 0.2))
    bend_u, bend_v = rng.uniform(0.3, 1.0, 2) * min(1.0 / (tightest_bend_m * wave_number**2), 0.12 / wave_number)
    waves = [_draw_wave(rng, steepest / 3.0) for _ in range(2)]
    slope_x, slope_y = rng.uniform(-steepest, steepest, 2)
    phase_u, phase_v = rng.uniform(0.0, 2.0 * np.pi, 2)
    return Terrain(
        float(bend_u),
        float(bend_v),
        wave_number,
        (float(phase_u), float(phase_v)),
        float(slope_x),
        float(slope_y),
        tuple(waves),
    )


def _draw_wave(rng: np.random.Generator, steepest: float) -> Wave:
    kx, ky = rng.uniform(-0.025, 0.025, 2)
    amplitude = min(0.8, steepest / float(np.hypot(kx, ky)))
    return Wave(amplitude, float(kx), float(ky), float(rng.uniform(0.0, 2.0 * np.pi)))


def _side_by_side(axis: Axis, rng: np.random.Generator, grid: Grid) -> tuple[list[Street], list[tuple[float, float]]]:
    """Parallel streets, whose ends are still to be set, and the edges of the blocks between them and around."""
    streets: list[Street] = []
    edges: list[tuple[float, float]] = []
    gaps: NDArrayFloat = rng.uniform(*grid.block_m, int(rng.integers(grid.streets[0], grid.streets[1] + 1)) + 1)
    at = 0.0
    for gap in gaps[:-1]:
        edges.append((at, at + float(gap)))
        street = _draw_street(axis, rng, grid)
        right, left = street.side_m
        before, after = (right, left) if axis == "u" else (left, right)
        streets.append(replace(street, at_m=at + float(gap) + before))
        at += float(gap) + before + after
    edges.append((at, at + float(gaps[-1])))
    return streets, edges


def _draw_street(axis: Axis, rng: np.random.Generator, grid: Grid) -> Street:
    right, left = (grid.parking[int(rng.integers(len(grid.parking)))] for _ in range(2))
    return Street(
        axis,
        0.0,
        -_OUTSIDE_M,
        0.0,
        lanes=grid.lanes[int(rng.integers(len(grid.lanes)))],
        lane_width_m=float(rng.uniform(3.0, 3.4)),
        parking=(right, left),
        speed_m_s=float(rng.uniform(*grid.speed_m_s)),
    )
