"""Things that look like cars and people: their form, and that they change nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import vedette.datasets.synth.scenery as scenery_module
from vedette.datasets.synth.plan import Claims, Plan
from vedette.datasets.synth.scenery import build_scenery
from vedette.datasets.synth.scenery.lookalikes import board, old_trunk, planted_bed, planter, posts, scooters
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain

LEAVES_M = 0.5  # loose leaves and branches may reach beyond the ground that a thing takes


@pytest.mark.parametrize("make", [planted_bed, old_trunk, planter, posts, board, scooters])
@pytest.mark.parametrize("seed", range(6))
def test_each_stands_on_the_ground_that_it_takes(make, seed: int) -> None:
    """Solid parts within the stated rectangle; nothing hovers, nothing is buried."""
    made = make(np.random.default_rng(seed))
    solid = made.mesh.surfaces != Surface.FOLIAGE
    low = made.mesh.vertices_m[made.mesh.triangles[solid]].reshape(-1, 3)
    low = low[low[:, 2] < 1.2]
    assert np.abs(low[:, 0]).max() <= made.length_m / 2 + LEAVES_M
    assert np.abs(low[:, 1]).max() <= made.width_m / 2 + LEAVES_M
    assert -0.25 <= low[:, 2].min() <= 0.05


@pytest.mark.parametrize("seed", range(6))
def test_beds_are_as_low_as_bonnets(seed: int) -> None:
    """What stands higher is a hedge."""
    top = np.quantile(planted_bed(np.random.default_rng(seed)).mesh.vertices_m[:, 2], 0.98)
    assert 0.2 < top < 1.9


def test_what_else_stands_in_a_world_is_the_same_without_them(
    plan: Plan, terrain: Terrain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their random numbers are their own, and they come last."""
    with_them = build_scenery(plan, terrain, Claims(), np.random.default_rng(5))
    monkeypatch.setattr(scenery_module, "set_out", lambda *_: None)
    without = build_scenery(plan, terrain, Claims(), np.random.default_rng(5))
    kept = {row.tobytes() for row in with_them.vertices_m[with_them.triangles]}
    assert all(row.tobytes() in kept for row in without.vertices_m[without.triangles])
    assert len(with_them) > len(without) + 200


def test_the_next_numbers_of_the_world_are_the_same(plan: Plan, terrain: Terrain) -> None:
    """Whoever draws after the scenery, also from a child, draws what they drew before there were lookalikes."""
    rng = np.random.default_rng(5)
    build_scenery(plan, terrain, Claims(), rng)
    assert rng.spawn(1)[0].random() == np.random.default_rng(5).spawn(1)[0].random()
