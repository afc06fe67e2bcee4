"""The ground lies where the terrain says, blocks a kerb higher, and rays find no hole in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vedette.datasets.synth.bays import bay_strips
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Block, BlockUse, Claims, Plan, Street
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.scenery.grids import cell_size_m, lines
from vedette.datasets.synth.scenery.ground import build_ground
from vedette.datasets.synth.scenery.lots import lots_of
from vedette.datasets.synth.scenery.raised import build_block
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.terrain import Terrain, Wave

KERB_M = 0.12
Drop = Callable[[np.ndarray], np.ndarray]


def bare_ground(plan: Plan, terrain: Terrain) -> Mesh:
    """Ground without anything on it."""
    rng = np.random.default_rng(3)
    site = Site(plan, terrain, Claims(), rng)
    build_ground(site)
    for lot in lots_of(plan, rng):
        build_block(site, lot)
    return site.build()


@pytest.fixture(scope="module")
def ground(plan: Plan, terrain: Terrain) -> Mesh:
    return bare_ground(plan, terrain)


def heights_above(drop: Callable[[Mesh], Drop], ground: Mesh, terrain: Terrain, uv: np.ndarray) -> np.ndarray:
    """Of the mesh above carriageway level, at plan points."""
    xy = terrain.to_world(uv)[:, :2]
    return drop(ground)(xy) - terrain.height_m(xy)


def test_carriageways_lie_at_the_terrains_height(
    plan: Plan, terrain: Terrain, ground: Mesh, drop: Callable[[Mesh], Drop]
) -> None:
    rng = np.random.default_rng(0)
    along, across = rng.uniform(-69, 69, 2000), rng.uniform(-3.1, 3.1, 2000)
    uv = np.concatenate([np.stack([along, across], 1), np.stack([across, along], 1)])

    above = heights_above(drop, ground, terrain, uv)

    assert np.abs(above).max() < 0.008  # markings lie 8 mm above the true height


def test_pavements_lie_a_kerb_higher(terrain: Terrain, ground: Mesh, drop: Callable[[Mesh], Drop]) -> None:
    rng = np.random.default_rng(1)
    uv = np.stack([rng.uniform(9, 50, 1000), rng.uniform(3.3, 5.6, 1000)], 1)

    np.testing.assert_allclose(heights_above(drop, ground, terrain, uv), KERB_M, atol=0.02)


def test_bays_are_level_with_the_carriageway_and_have_a_pavement_behind(
    plan: Plan, terrain: Terrain, ground: Mesh, drop: Callable[[Mesh], Drop]
) -> None:
    strips = bay_strips(plan)
    assert len(strips) == 2
    for strip in strips:
        centres = strip.centres_uv_m
        np.testing.assert_allclose(heights_above(drop, ground, terrain, centres), 0.0, atol=0.02)
        behind = centres - [0.0, strip.depth_m / 2 + 1.0]
        np.testing.assert_allclose(heights_above(drop, ground, terrain, behind), KERB_M, atol=0.02)


def test_a_kerb_is_met_up_to_its_height_and_passed_above(plan: Plan) -> None:
    mesh = bare_ground(plan, Terrain())
    scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))
    origins = np.array([[20.0, 0.0, z] for z in (0.02, KERB_M - 0.02, KERB_M + 0.15)], dtype=np.float32)
    north = np.tile(np.array([0, 1, 0], dtype=np.float32), (3, 1))

    ranges = scene.cast(origins, north).range_m

    np.testing.assert_allclose(ranges[:2], 3.2, atol=1e-3)
    assert ranges[2] > 20.0


def test_corners_are_round(plan: Plan, drop: Callable[[Mesh], Drop]) -> None:
    """A corner of radius 5 at (3.2, 3.2) leaves 5 (1 - 1/sqrt 2) = 1.46 m of carriageway along each axis."""
    mesh = bare_ground(plan, Terrain())
    diagonal = 3.2 + np.array([0.1, 1.3, 1.6, 3.0])

    heights = drop(mesh)(np.stack([diagonal, diagonal], axis=1))

    np.testing.assert_allclose(heights, [0.0, 0.0, KERB_M, KERB_M], atol=1e-3)


def test_rays_find_no_hole(plan: Plan, terrain: Terrain, ground: Mesh, drop: Callable[[Mesh], Drop]) -> None:
    rng = np.random.default_rng(2)
    edges = np.array([-60.0, -3.2, 3.2, 60.0])
    along = rng.uniform(-60, 60, 4000)
    across = rng.choice(edges, 4000) + rng.normal(0.0, 0.03, 4000)  # where blocks and carriageways meet
    uv = np.concatenate([np.stack([along, across], 1), np.stack([across, along], 1), rng.uniform(-75, 75, (4000, 2))])

    above = heights_above(drop, ground, terrain, uv)

    assert above.min() > -0.03  # a strip lies 12 mm below every edge


def test_land_reaches_150_m_beyond_every_street(
    plan: Plan, terrain: Terrain, ground: Mesh, drop: Callable[[Mesh], Drop]
) -> None:
    turn = np.linspace(0, 2 * np.pi, 60)
    uv = 220.0 * np.stack([np.cos(turn), np.sin(turn)], axis=1)

    assert np.isfinite(heights_above(drop, ground, terrain, uv)).all()


def test_a_car_park_is_level_with_the_carriageway(drop: Callable[[Mesh], Drop]) -> None:
    mesh = bare_ground(Plan((), (Block(0.0, 0.0, 40.0, 40.0, BlockUse.CAR_PARK),)), Terrain())

    heights = drop(mesh)(np.array([[20.0, 20.0], [1.0, 20.0], [20.0, 39.0]]))

    np.testing.assert_allclose(heights, [0.0, KERB_M, KERB_M], atol=1e-3)


def test_a_motorway_has_a_verge_a_ditch_and_a_bank(drop: Callable[[Mesh], Drop]) -> None:
    street = Street("u", 0.0, -100.0, 100.0, lanes=2, lane_width_m=3.6, median_m=4.0, shoulder_m=2.5)
    assert street.side_m == (11.7, 11.7)
    field = Block(-100.0, 11.7, 100.0, 80.0, BlockUse.FIELD, kerb_m=0.0, corner_m=0.0, pavement_m=0.0)
    plan = Plan((street,), (field,))
    (lot,) = lots_of(plan, np.random.default_rng(3))

    heights = drop(bare_ground(plan, Terrain()))(np.array([[7.0, 5.0], [7.0, 12.3], [7.0, 14.1], [7.0, 40.0]]))

    np.testing.assert_allclose(heights, [0.0, 0.0, -0.5, lot.bank_m], atol=0.1)


@pytest.mark.parametrize(
    ("terrain", "size_m"),
    [
        (Terrain(), 8.0),  # level: as large as cells get
        (Terrain(waves=(Wave(1.0, 0.03, 0.0, 0.0),)), np.sqrt(8 * 0.003 / 9e-4)),
        (Terrain(bend_u_m=10.0, bend_rad_m=0.03), np.sqrt(8 * 0.03 / 9e-3)),
        (Terrain(waves=(Wave(5.0, 0.5, 0.0, 0.0),)), 2.0),  # rougher than any street: as small as cells get
    ],
)
def test_cells_are_as_small_as_the_terrain_needs(terrain: Terrain, size_m: float) -> None:
    assert cell_size_m(terrain) == pytest.approx(size_m)


def test_grid_lines_lie_on_marks_and_are_close() -> None:
    np.testing.assert_allclose(lines(0.0, 10.0, [4.0, 11.0, -1.0, 4.001], 3.0), [0.0, 2.0, 4.0, 7.0, 10.0])
