"""The maxima between the parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.models.point_gnn.network import BLOCK_PAIRS, maximum_by_target


@pytest.mark.parametrize("count", [1, 5, BLOCK_PAIRS, BLOCK_PAIRS + 1, 3 * BLOCK_PAIRS - 1])
@given(seed=st.integers(0, 2**32 - 1))
def test_each_target_gets_the_maximum_of_its_pairs(count, seed):
    """Against numpy's own scatter; targets without pairs get 0."""
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, 50, count), rng.integers(0, 20, count)
    values = rng.random((50, 3), np.float32)
    expected = np.zeros((21, 3), np.float32)
    np.maximum.at(expected, targets, values[sources])

    def rows_of(block_sources, block_targets):
        assert len(block_sources) == len(block_targets) == BLOCK_PAIRS
        return values[block_sources]

    np.testing.assert_array_equal(maximum_by_target(rows_of, sources, targets, 21), expected)
