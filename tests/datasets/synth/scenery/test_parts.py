"""Parts in their own frames: windows are recessed, crowns keep clear, plants and fences stand where they should."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.plan import Block, BlockUse, Claims, Plan
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.scenery import clutter, furniture
from vedette.datasets.synth.scenery.boundaries import Boundary, enclose
from vedette.datasets.synth.scenery.facades import Filling, Finish, dressing, opening, wall, windows, without_overlap
from vedette.datasets.synth.scenery.lots import lots_of
from vedette.datasets.synth.scenery.plants import bush, conifer, tree
from vedette.datasets.synth.scenery.site import Site, rectangle_cover
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain, Wave

BLOCK = Block(0.0, 0.0, 50.0, 40.0, BlockUse.HOUSES)
HILLY = Terrain(bend_u_m=5.0, bend_rad_m=0.02, slope_x=0.05, waves=(Wave(1.0, 0.02, 0.03, 0.5),))


def site_of(terrain: Terrain, claims: Claims | None = None) -> Site:
    return Site(Plan((), (BLOCK,)), terrain, claims or Claims(), np.random.default_rng(0))


def test_a_window_lies_behind_its_wall() -> None:
    finish = Finish(Surface.PLASTER, (200, 200, 200), (90, 60, 40))
    mesh = wall(6.0, -1.0, 3.0, opening(3.0, 1.0, 1.0, 2.2, Filling.PANE), finish)
    scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))
    places = [(3.0, 1.6), (1.0, 1.6), (3.0, 2.6), (3.0, -0.5), (7.0, 1.0)]
    origins = np.array([[x, -5.0, z] for x, z in places], dtype=np.float32)

    hits = scene.cast(origins, np.tile(np.array([0, 1, 0], dtype=np.float32), (len(places), 1)))

    np.testing.assert_allclose(hits.range_m, [5.16, 5.0, 5.0, 5.0, np.inf], atol=1e-4)
    assert mesh.surfaces[hits.triangles[0]] == Surface.WINDOW
    assert mesh.surfaces[hits.triangles[1]] == Surface.PLASTER


def test_a_wall_without_openings_is_one_face() -> None:
    assert len(wall(6.0, 0.0, 3.0, np.zeros((0, 5)), Finish(Surface.BRICK, (1, 2, 3), (1, 2, 3)))) == 2


def test_windows_are_spread_evenly_and_give_way_to_a_door() -> None:
    row = windows(9.0, [1.0, 4.0], pitch_m=2.8, width_m=1.2, height_m=1.4)
    np.testing.assert_allclose((row[:3, 0] + row[:3, 1]) / 2, [1.5, 4.5, 7.5])

    kept = without_overlap(row, opening(4.6, 1.0, 0.0, 2.1, Filling.DOOR))

    assert len(kept) == 6  # one of six windows is gone, the door has come
    assert (kept[:, 4] == Filling.DOOR).sum() == 1


@pytest.mark.parametrize("seed", range(5))
def test_no_leaf_hangs_below_the_clear_height(seed: int) -> None:
    mesh = tree(np.random.default_rng(seed), clear_m=2.7, crown_m=2.0)

    leaves = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.FOLIAGE)]]

    assert leaves[..., 2].min() >= 2.7 - 1e-5
    assert np.hypot(leaves[..., 0], leaves[..., 1]).max() < 5.0


THINGS = [
    *(pytest.param(make, id=make.__name__) for make in (
        clutter.bins, clutter.container_bin, clutter.skip, clutter.heap, clutter.pallets, clutter.shed, clutter.trailer,
        clutter.lorry_trailer, clutter.sea_container, clutter.stall, clutter.cabinet, clutter.column, furniture.sign,
    )),
    *(pytest.param(lambda _, make=make: make(), id=make.__name__) for make in (
        furniture.traffic_light, furniture.bollard, furniture.bench, furniture.post_box, furniture.ticket_machine,
        furniture.bus_shelter, furniture.bicycle_stands,
    )),
    pytest.param(lambda rng: conifer(rng, 5.0), id="conifer"),
    pytest.param(lambda rng: bush(rng, (1.0, 0.8, 0.7)), id="bush"),
    pytest.param(lambda _: furniture.lamp(6.0, 1.0), id="lamp"),
]  # fmt: skip


@pytest.mark.parametrize("make", THINGS)
def test_things_stand_on_the_ground_round_their_origin(make) -> None:
    for seed in range(3):
        mesh = make(np.random.default_rng(seed))
        low, high = mesh.vertices_m.min(axis=0), mesh.vertices_m.max(axis=0)
        assert low[2] < 0.12  # nothing floats
        assert high[2] > 0.4
        assert (low[:2] < 0.3).all()
        assert (high[:2] > -0.3).all()


def test_many_cuboids_are_each_the_one_cuboid() -> None:
    mesh = cuboids([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], [[4.0, 2.0, 1.0], [1.0, 1.0, 1.0]], Surface.WOOD, (9, 9, 9))
    one = cuboid([4.0, 2.0, 1.0], Surface.WOOD, (9, 9, 9), [1.0, 2.0, 3.0])

    assert {tuple(p) for p in mesh.vertices_m[:8].tolist()} == {tuple(p) for p in one.vertices_m.tolist()}
    assert len(mesh) == 24


def test_what_stands_is_upright_at_its_plan_pose() -> None:
    site = site_of(HILLY)
    site.stand(
        Mesh.of([[0, 0, 0], [2, 0, 0], [0, 0, 3]], [[0, 1, 2]], Surface.WOOD, (1, 2, 3)), [20.0, 10.0], 0.7, 0.12
    )

    foot, ahead, top = site.build().vertices_m

    pose = HILLY.plan_pose([20.0, 10.0], 0.7, 0.12)
    np.testing.assert_allclose(foot, pose.translation, atol=1e-5)
    np.testing.assert_allclose(top - foot, [0.0, 0.0, 3.0], atol=1e-5)
    assert np.arctan2(ahead[1] - foot[1], ahead[0] - foot[0]) == pytest.approx(
        HILLY.heading([20.0, 10.0], 0.7), abs=1e-5
    )
    assert ahead[2] == pytest.approx(foot[2], abs=1e-5)


def test_what_is_laid_follows_the_ground() -> None:
    site = site_of(HILLY)
    uv = np.array([[0.0, 0.0], [30.0, 5.0], [40.0, 35.0]])
    site.lay(Mesh.of(np.column_stack([uv, [0.1, 0.2, 0.3]]), [[0, 1, 2]], Surface.WOOD, (1, 2, 3)))

    np.testing.assert_allclose(site.build().vertices_m, HILLY.to_world(uv, [0.1, 0.2, 0.3]), atol=1e-5)


@pytest.mark.parametrize("kind", list(Boundary))
def test_a_boundary_breaks_where_ground_is_taken(kind: Boundary) -> None:
    claims = Claims()
    claims.claim([(25.0, 10.0, 2.0)])
    site = site_of(Terrain(), claims)
    (lot,) = lots_of(site.plan, site.rng)

    enclose(site, lot, (np.array([5.0, 10.0]), np.array([45.0, 10.0])), kind)

    u = np.sort(site.build().vertices_m[:, 0])
    assert u[0] < 5.5
    assert u[-1] > 44.5
    assert np.abs(u - 25.0).min() > 1.6
    assert np.diff(u[u < 22.0]).max() < 1.7  # no other gap


def test_things_of_a_row_may_touch_but_not_what_was_there() -> None:
    claims = Claims()
    claims.claim([(20.0, 0.0, 1.0)])
    row = [rectangle_cover(np.array([u, 0.0]), 0.0, 6.0, 8.0) for u in (2.0, 8.0, 14.0, 20.0)]
    site = site_of(Terrain(), claims)

    assert site.take_together(row) == [True, True, True, False]
    assert site.take_together(row) == [False] * 4


@pytest.mark.parametrize(("length_m", "width_m"), [(12.0, 9.0), (9.0, 12.0), (1.0, 1.0), (30.0, 2.0)])
def test_circles_cover_a_rectangle_and_little_more(length_m: float, width_m: float) -> None:
    yaw, centre = 0.4, np.array([3.0, -2.0])
    circles = rectangle_cover(centre, yaw, length_m, width_m)
    rng = np.random.default_rng(0)
    local = rng.uniform(-0.5, 0.5, (500, 2)) * [length_m, width_m]
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    points = centre + local @ turn.T

    assert (np.hypot(*(points[:, None] - circles[:, :2]).transpose(2, 0, 1)) <= circles[:, 2] + 1e-9).any(axis=1).all()
    assert circles[:, 2].max() < 2.3


def test_fronts_run_round_a_block_with_their_street_at_the_right() -> None:
    (lot,) = lots_of(Plan((), (BLOCK,)), np.random.default_rng(0))

    corners = [front.uv_m([0.0, 0.0]).tolist() for front in lot.fronts()]
    ends = [front.uv_m([front.length_m, 0.0]) for front in lot.fronts()]

    assert corners == [[2.5, 2.5], [47.5, 2.5], [47.5, 37.5], [2.5, 37.5]]
    np.testing.assert_allclose(ends, corners[1:] + corners[:1])


def test_windows_are_dressed_behind_the_wall_and_before_the_pane() -> None:
    row = windows(30.0, [1.0, 4.0], pitch_m=2.5, width_m=1.2, height_m=1.4)
    mesh = dressing(np.random.default_rng(0), row)

    assert mesh.vertices_m[:, 1].min() > 0.0
    assert mesh.vertices_m[:, 1].max() < 0.16
    assert 0.4 < (mesh.surfaces == int(Surface.PLASTER)).sum() / (2 * len(row)) < 0.95  # two triangles each
    assert len(dressing(np.random.default_rng(0), opening(2.0, 1.0, 0.0, 2.1, Filling.DOOR))) == 0
