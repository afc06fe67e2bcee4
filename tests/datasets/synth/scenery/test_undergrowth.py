"""Low plants grow where a street is near and nothing stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vedette.datasets.synth.plan import Block, BlockUse, Claims, Plan, Street
from vedette.datasets.synth.scenery.lots import lots_of
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.undergrowth import grow
from vedette.datasets.synth.terrain import Terrain

PLAN = Plan((Street("u", 0.0, 0.0, 40.0),), (Block(0.0, 3.2, 40.0, 43.2, BlockUse.HOUSES, 0.12, 5.0, 2.5),))


def middles(*, is_at_street: bool = True) -> np.ndarray:
    """``(N,3)`` middles of leaves that grow on 10 m x 4 m behind the pavement, around somebody."""
    claims = Claims()
    claims.claim([(15.0, 7.7, 1.0)])
    site = Site(PLAN, Terrain(), claims, np.random.default_rng(0))
    (lot,) = lots_of(PLAN, np.random.default_rng(0))
    south = replace(lot.fronts()[0], is_at_street=is_at_street)
    origin_u, _ = south.origin_uv_m
    grow(site, lot, south, (10.0 - origin_u, 0.0), (20.0 - origin_u, 4.0))
    mesh = site.build()
    return mesh.vertices_m[mesh.triangles].mean(axis=1)


def test_they_keep_to_their_ground() -> None:
    leaves = middles()

    assert len(leaves) > 40
    assert leaves[:, 0].min() > 9.7
    assert leaves[:, 0].max() < 20.3
    assert leaves[:, 1].min() > 5.4  # street 3.2 m, pavement 2.5 m, and a little aside
    assert leaves[:, 1].max() < 10.0
    assert leaves[:, 2].max() < 0.12 + 0.5
    assert np.hypot(leaves[:, 0] - 15.0, leaves[:, 1] - 7.7).min() > 1.0


def test_where_nobody_sees_them_there_are_none() -> None:
    assert not len(middles(is_at_street=False))


def test_sides_at_streets_are_known() -> None:
    (lot,) = lots_of(PLAN, np.random.default_rng(0))

    assert [front.is_at_street for front in lot.fronts()] == [True, False, False, False]
