"""Whole scenery: repeatable, off the carriageways and off claimed ground, for every use of a block."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Block, BlockUse, Claims, Plan, Street
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.scenery import build_scenery
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain
from vedette.errors import ConfigError

WALK = [(u, 4.4, 0.7) for u in np.arange(4.0, 58.0, 0.5)]  # along the pavement of the houses
SIGHT = [(5.0, 5.0, 2.0), (-20.0, 12.0, 4.0), (30.0, -30.0, 6.0)]  # a corner, a house's ground, a yard


def build(plan: Plan, terrain: Terrain, seed: int = 0) -> tuple[Mesh, Claims]:
    claims = Claims()
    claims.claim([*WALK, *SIGHT])
    return build_scenery(plan, terrain, claims, np.random.default_rng(seed)), claims


@pytest.fixture(scope="module")
def built(plan: Plan, terrain: Terrain) -> tuple[Mesh, Claims]:
    return build(plan, terrain)


@pytest.fixture(scope="module")
def scenery(built: tuple[Mesh, Claims]) -> Mesh:
    return built[0]


def plan_points(terrain: Terrain, xy: np.ndarray) -> np.ndarray:
    """World to plan, by iteration: the bends are gentle."""
    uv = xy
    for _ in range(30):
        uv = uv - (terrain.to_world(uv)[:, :2] - xy)
    return uv


def above_ground(mesh: Mesh, terrain: Terrain) -> np.ndarray:
    """``(V,)`` heights above carriageway level."""
    return mesh.vertices_m[:, 2] - terrain.height_m(mesh.vertices_m[:, :2])


def test_the_same_seed_gives_the_same_bytes(plan: Plan, terrain: Terrain, scenery: Mesh) -> None:
    again, _ = build(plan, terrain)
    other, _ = build(plan, terrain, seed=1)

    assert again.vertices_m.tobytes() == scenery.vertices_m.tobytes()
    assert again.triangles.tobytes() == scenery.triangles.tobytes()
    assert again.surfaces.tobytes() == scenery.surfaces.tobytes()
    assert again.colours_rgb.tobytes() == scenery.colours_rgb.tobytes()
    assert other.vertices_m.tobytes() != scenery.vertices_m.tobytes()


@pytest.mark.parametrize("seed", range(2))
def test_nothing_stands_in_the_lanes(plan: Plan, terrain: Terrain, seed: int) -> None:
    mesh, _ = build(plan, terrain, seed)
    height = above_ground(mesh, terrain)
    low = plan_points(terrain, mesh.vertices_m[(height > 0.05) & (height < 2.5), :2].astype(np.float64))
    low = low[np.abs(low).max(axis=1) < 70.0]

    assert len(low) > 1000
    assert np.abs(low).min() > 3.1  # the axes are the streets' middle lines; half a carriageway is 3.2 m


@pytest.mark.parametrize("seed", [0, 8])
def test_nothing_stands_on_claimed_ground(plan: Plan, seed: int) -> None:
    mesh, _ = build(plan, Terrain(), seed)
    height = mesh.vertices_m[:, 2]
    raised = mesh.vertices_m[(height > 0.25) & (height < 2.0)]

    for u, v, radius in (*WALK, *SIGHT):
        distance = np.hypot(raised[:, 0] - u, raised[:, 1] - v)
        assert distance.min() > radius - 0.05, (u, v)  # plates of signs once reached into the walkers' way


def test_what_is_placed_is_claimed(built: tuple[Mesh, Claims]) -> None:
    _, claims = built

    inside = [np.array([u, v]) for u in np.arange(10.0, 50.0, 2.0) for v in np.arange(8.0, 16.0, 2.0)]

    assert not all(claims.is_free(uv, 0.5) for uv in inside)  # houses stand there


def leaves_of(mesh: Mesh) -> np.ndarray:
    """``(L,3,3)`` corners of all leaves."""
    return mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.FOLIAGE)]]


@pytest.mark.parametrize("seed", range(3))
def test_crowns_leave_room_for_lorries_over_the_street(seed: int) -> None:
    street = Street("u", 0.0, 0.0, 80.0)
    plan = Plan((street,), (Block(0.0, 3.2, 80.0, 40.0, BlockUse.TERRACES, pavement_m=3.5),))
    mesh = build_scenery(plan, Terrain(), Claims(), np.random.default_rng(seed))

    over_street = leaves_of(mesh)[(leaves_of(mesh)[..., 1] < 3.1).any(axis=1)]
    over_street = over_street[(over_street[..., 1] > -3.1).any(axis=1)]

    assert over_street[..., 2].min(initial=9.0) >= 3.8


def test_fronts_are_closed_although_people_walk_before_them() -> None:
    """Houses once gave way to the ground that walkers claim, and left half of a street open."""
    claims = Claims()
    claims.claim([(u, 3.2 + 1.65, 0.95) for u in np.arange(0.0, 80.0, 1.0)])
    claims.claim([(3.5, 6.7, 3.5)])  # a corner with a free view
    plan = Plan((Street("u", 0.0, 0.0, 80.0),), (Block(0.0, 3.2, 80.0, 60.0, BlockUse.TERRACES, pavement_m=2.9),))
    mesh = build_scenery(plan, Terrain(), claims, np.random.default_rng(4))

    scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))
    along = np.arange(10.0, 78.0, 0.5)
    eyes = np.column_stack([along, np.zeros_like(along), np.full_like(along, 3.3)]).astype(np.float32)
    reach = scene.cast(eyes, np.tile(np.array([0, 1, 0], dtype=np.float32), (len(along), 1))).range_m

    assert np.mean(reach < 3.2 + 2.9 + 3.5) > 0.8


@pytest.mark.parametrize("use", list(BlockUse))
@pytest.mark.parametrize("size_m", [6.0, 18.0, 70.0])
def test_every_use_fills_a_block_of_any_size(use: BlockUse, size_m: float) -> None:
    street = Street("u", 0.0, -20.0, size_m + 20.0)
    plan = Plan((street,), (Block(0.0, 3.2, size_m, 3.2 + size_m, use),))

    mesh = build_scenery(plan, Terrain(), Claims(), np.random.default_rng(5))

    assert np.isfinite(mesh.vertices_m).all()
    assert mesh.vertices_m[:, 2].max() > 2.0


TALL = {BlockUse.HOUSES: Surface.WINDOW, BlockUse.TERRACES: Surface.WINDOW, BlockUse.INDUSTRY: Surface.CLADDING}


@pytest.mark.parametrize(("use", "surface"), TALL.items())
def test_buildings_are_met_by_beams_that_rise(use: BlockUse, surface: Surface) -> None:
    plan = Plan((), (Block(0.0, 0.0, 70.0, 70.0, use),))
    mesh = build_scenery(plan, Terrain(), Claims(), np.random.default_rng(2))

    corners = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(surface)]].reshape(-1, 3)
    inside = corners[(corners[:, :2] > 0).all(axis=1) & (corners[:, :2] < 70).all(axis=1)]

    assert inside[:, 2].max() > 2.0


def test_a_motorway_has_guard_rails_at_median_and_shoulders() -> None:
    street = Street("u", 0.0, -100.0, 100.0, lanes=2, lane_width_m=3.6, median_m=4.0, shoulder_m=2.5)
    mesh = build_scenery(Plan((street,), ()), Terrain(), Claims(), np.random.default_rng(0))

    metal = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.METAL)]].reshape(-1, 3)
    rail = metal[np.isclose(metal[:, 2], 0.75, atol=1e-3)]

    offsets = np.array([-12.2, -1.45, 1.45, 12.2])  # 0.5 m behind the shoulder, 0.55 m inside the median
    np.testing.assert_allclose(np.abs(rail[:, 1, None] - offsets).min(axis=1), 0.0, atol=0.06)
    assert (np.abs(rail[:, 1, None] - offsets).min(axis=0) < 0.06).all()
    assert np.ptp(rail[:, 0]) > 195.0


@pytest.mark.parametrize("seed", range(3))
def test_no_trees_stand_on_the_verge_of_a_motorway(seed: int) -> None:
    street = Street("u", 0.0, -100.0, 100.0, lanes=2, lane_width_m=3.6, shoulder_m=2.5)
    _, left = street.side_m
    field = Block(-100.0, left, 100.0, left + 60.0, BlockUse.FIELD, kerb_m=0.0, corner_m=0.0, pavement_m=0.0)
    mesh = build_scenery(Plan((street,), (field,)), Terrain(), Claims(), np.random.default_rng(seed))

    trunks = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.BARK)]].reshape(-1, 3)
    beside = trunks[(trunks[:, 2] < 1.0) & (trunks[:, 1] > 0) & (np.abs(trunks[:, 0]) < 100)]

    assert len(beside) > 0
    assert beside[:, 1].min() > left + 7.0


@pytest.mark.parametrize("axis", ["u", "v"])
def test_paint_lies_on_the_carriageway(axis: str) -> None:
    street = Street(axis, 0.0, 0.0, 100.0, lanes=2)  # type: ignore[arg-type]
    mesh = build_scenery(Plan((street,), ()), Terrain(), Claims(), np.random.default_rng(0))

    paint = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.ROAD_PAINT)]].reshape(-1, 3)
    along, across = (0, 1) if axis == "u" else (1, 0)

    assert len(paint) > 0
    np.testing.assert_allclose(paint[:, 2], 0.008, atol=1e-4)
    assert np.abs(paint[:, across]).max() < 6.4
    assert paint[:, along].min() >= 0.0
    assert paint[:, along].max() <= 100.0


def test_an_empty_plan_is_refused() -> None:
    with pytest.raises(ConfigError, match="without streets and blocks"):
        build_scenery(Plan((), ()), Terrain(), Claims(), np.random.default_rng(0))


def test_a_town_keeps_to_its_budget(scenery: Mesh) -> None:
    """350,000 triangles for 400 x 400 m are 2.2 for each square metre; this plan is 140 m square."""
    assert len(scenery) < 2.5 * 140**2 + 60_000  # and the land around it
