"""Things that look like cars and people: their form, the ground they keep to, and that they change nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import vedette.datasets.synth.scenery as scenery_module
from vedette.datasets.synth.bays import bay_strips
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Block, BlockUse, Claims, Parking, Plan, Street
from vedette.datasets.synth.scenery import beds, build_scenery, parked_bikes, uprights, wares
from vedette.datasets.synth.scenery.lookalikes import set_out
from vedette.datasets.synth.scenery.lots import lots_of
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain

LEAVES_M = 0.5  # loose leaves, branches, parasols and chairs may reach beyond the ground that a thing takes
MAKERS = [
    beds.planted_bed, beds.planter, beds.wall_hedge, beds.bank, uprights.old_trunk, uprights.arcade, uprights.post_row,
    uprights.low_sign, parked_bikes.bicycle_row, parked_bikes.scooter_row, wares.cabinets, wares.letter_boxes,
    wares.kiosk, wares.cafe, wares.containers, wares.crates, wares.barrier, wares.guard_rail, wares.low_wall,
    wares.poster,
]  # fmt: skip
WALK = [(float(u), 5.0, 0.9) for u in np.arange(4.0, 58.0, 0.8)]


def low_corners(mesh: Mesh, below_m: float = 1.2) -> np.ndarray:
    """``(N,3)`` of all solid triangles up to a height, of a mere hedge those of its leaves."""
    is_solid = mesh.surfaces != int(Surface.FOLIAGE)
    corners = mesh.vertices_m[mesh.triangles[is_solid if is_solid.any() else ~is_solid]].reshape(-1, 3)
    return corners[corners[:, 2] < below_m]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("length_m", "width_m"), [(2.1, 0.6), (4.0, 0.65), (5.0, 2.1)])
def test_each_stands_on_the_ground_that_it_takes(make, length_m: float, width_m: float) -> None:
    """Solid parts within the stated rectangle; nothing hovers, nothing is buried."""
    for seed in range(4):
        low = low_corners(make(np.random.default_rng(seed), length_m, width_m))
        assert np.abs(low[:, 0]).max() <= length_m / 2 + LEAVES_M
        assert np.abs(low[:, 1]).max() <= width_m / 2 + LEAVES_M
        assert -0.25 <= low[:, 2].min() <= 0.05


@pytest.mark.parametrize("seed", range(6))
def test_beds_are_as_low_as_bonnets(seed: int) -> None:
    """0.3 to 1.05 m over a kerb stone of at most 0.16 m, uneven by 15 %, and leaves above."""
    mesh = beds.planted_bed(np.random.default_rng(seed), 4.0, 1.8)
    is_leaf = mesh.surfaces == int(Surface.FOLIAGE)
    top = np.quantile(mesh.vertices_m[mesh.triangles[is_leaf]].reshape(-1, 3)[:, 2], 0.98)
    assert 0.2 < top < 1.6


@pytest.mark.parametrize("seed", range(6))
def test_trunks_are_as_wide_as_people_and_bear_no_leaf_below_lorries(seed: int) -> None:
    mesh = uprights.old_trunk(np.random.default_rng(seed), 0.7, 0.7)
    leaf = mesh.surfaces == int(Surface.FOLIAGE)
    wood = mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.BARK)]].reshape(-1, 3)
    at_foot = wood[wood[:, 2] < 0.1]
    assert 0.55 < np.ptp(at_foot[:, 0]) < 1.0
    assert mesh.vertices_m[mesh.triangles[leaf]][..., 2].min() > 3.8


def islands(plan: Plan, claims: Claims) -> np.ndarray:
    """``(N,3)`` corners of what `set_out` puts on a level plan, kerb stones alone."""
    rng = np.random.default_rng(3)
    site = Site(plan, Terrain(), claims, rng)
    set_out(site, lots_of(plan, rng), rng)
    mesh = site.build()
    return mesh.vertices_m[mesh.triangles[mesh.surfaces == int(Surface.KERB)]].reshape(-1, 3)


def test_islands_at_the_kerb_leave_the_lanes_and_the_crossings_free() -> None:
    """Lanes of 3.2 m, bays of 2.1 m at the kerb: islands between, and no nearer than 9.2 m to the crossing street."""
    along_u = Street("u", 0.0, -70.0, 70.0, parking=(Parking.PARALLEL, Parking.PARALLEL))
    along_v = Street("v", 0.0, -70.0, 70.0)
    plan = Plan((along_u, along_v), (Block(3.2, 5.3, 60.0, 60.0, BlockUse.TERRACES),))
    stones = islands(plan, Claims())
    on_carriageway = stones[stones[:, 1] < 5.25]
    assert len(on_carriageway) > 50
    assert on_carriageway[:, 1].min() >= 3.2 + 0.25
    assert on_carriageway[:, 0].min() >= 3.2 + 9.1


def test_islands_between_bays_give_way_to_parked_vehicles() -> None:
    street = Street("u", 0.0, -20.0, 120.0, parking=(Parking.NONE, Parking.PERPENDICULAR))
    plan = Plan((street,), (Block(0.0, 3.2, 100.0, 60.0, BlockUse.TERRACES),))
    (strip,) = bay_strips(plan)
    claims = Claims()
    taken = strip.centres_uv_m[::2]
    claims.claim([(float(u), float(v), 1.2) for u, v in taken])
    stones = islands(plan, claims)
    stones = stones[(stones[:, 1] > 3.2) & (stones[:, 1] < 3.2 + strip.depth_m)]
    assert len(stones) > 20
    assert np.linalg.norm(stones[:, None, :2] - taken[None], axis=2).min() > 1.2


@pytest.mark.parametrize("seed", range(2))
def test_where_people_walk_stays_free(plan: Plan, seed: int) -> None:
    claims = Claims()
    claims.claim(WALK)
    rng = np.random.default_rng(seed)
    site = Site(plan, Terrain(), claims, rng)
    set_out(site, lots_of(plan, rng), rng)
    low = low_corners(site.build(), 2.0)
    for u, v, radius in WALK:
        assert np.hypot(low[:, 0] - u, low[:, 1] - v).min() > radius - 0.1, u


def test_what_else_stands_in_a_world_is_the_same_without_them(
    plan: Plan, terrain: Terrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their random numbers are their own, and they come last."""
    with_them = build_scenery(plan, terrain, Claims(), np.random.default_rng(5))
    monkeypatch.setattr(scenery_module, "set_out", lambda *_: None)
    without = build_scenery(plan, terrain, Claims(), np.random.default_rng(5))
    kept = {row.tobytes() for row in with_them.vertices_m[with_them.triangles]}
    assert all(row.tobytes() in kept for row in without.vertices_m[without.triangles])
    assert len(with_them) > len(without) + 2000


def test_the_next_numbers_of_the_world_are_the_same(plan: Plan, terrain: Terrain) -> None:
    """Whoever draws after the scenery, also from a child, draws what they drew before there were lookalikes."""
    rng = np.random.default_rng(5)
    build_scenery(plan, terrain, Claims(), rng)
    assert rng.spawn(1)[0].random() == np.random.default_rng(5).spawn(1)[0].random()
