"""Grids of streets: towns are built up nearly everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.plan import BlockUse
from vedette.datasets.synth.scenarios.grids import draw_uses

BUILT_UP = (BlockUse.TERRACES, BlockUse.HOUSES)


@pytest.mark.parametrize(("count", "most"), [(4, 0), (6, 1), (9, 1), (12, 2), (16, 2)])
def test_one_block_in_six_is_open_at_most(count: int, most: int) -> None:
    drawn = [draw_uses(np.random.default_rng(seed), count) for seed in range(40)]
    open_ones = [sum(use not in BUILT_UP for use in uses) for uses in drawn]

    assert {len(uses) for uses in drawn} == {count}
    assert max(open_ones) == most
    assert min(open_ones) == 0
