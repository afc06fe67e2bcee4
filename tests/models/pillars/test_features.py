"""Points in their pillars, against a pillar worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.models.pillars.features import pillarise
from vedette.models.pillars.grid import CELLS, COLUMNS, LEAST_Y_M, QUARTER_M, ROWS


def points(*rows):
    return np.array(rows, np.float32)


def test_three_points_in_the_first_pillar():
    """Two in its first quarter, whose middle is (0.08, -40.88) and whose points' mean is (0.10, -40.87, -1.1); one in
    its last, whose middle is (0.24, -40.72) and whose mean it is itself."""
    pillars = pillarise(points([0.2, -40.7, 0.5, 0.3], [0.09, -40.9, -1.2, 0.9], [0.11, -40.84, -1.0, 0.1]))
    np.testing.assert_array_equal(pillars.cells, [0])
    np.testing.assert_array_equal(pillars.slots, [0, 0, 3])
    log_count, width = np.log(2) / 3, 0.16
    expected = [
        [0.01 / width, -0.02 / width, -0.2, -0.01 / width, -0.03 / width, -0.1, log_count, np.hypot(0.09, 40.9) / 40],
        [0.03 / width, 0.04 / width, 0.0, 0.01 / width, 0.03 / width, 0.1, log_count, np.hypot(0.11, 40.84) / 40],
        [-0.04 / width, 0.02 / width, 1.5, 0.0, 0.0, 0.0, 0.0, np.hypot(0.2, 40.7) / 40],
    ]
    np.testing.assert_allclose(pillars.features, expected, atol=5e-5)


def test_pillars_are_numbered_by_row_and_column():
    """Row 128 begins at y = 0, column 31 at x = 9.92; points of one quarter come together in the order given."""
    pillars = pillarise(points([10.0, 0.1, 0.0], [0.1, 0.1, -2.0], [10.05, 0.15, 1.0]))
    np.testing.assert_array_equal(pillars.cells, [128 * COLUMNS, 128 * COLUMNS + 31])
    np.testing.assert_array_equal(pillars.slots, [0, 4, 4])
    np.testing.assert_allclose(pillars.features[:, 2], [-1.0, 1.0, 2.0])


@pytest.mark.parametrize(("x", "y", "quarter"), [(0.1, 0.1, 0), (0.2, 0.1, 1), (0.1, 0.2, 2), (0.2, 0.2, 3)])
def test_quarters_are_numbered_along_x_first(x, y, quarter):
    """As the drawing of the grid has them."""
    pillars = pillarise(points([x + 0.64, y + 0.32, 0.0]))
    np.testing.assert_array_equal(pillars.cells, [129 * COLUMNS + 2])
    np.testing.assert_array_equal(pillars.slots, [quarter])


@pytest.mark.parametrize(
    ("x", "y", "z", "inside"),
    [
        pytest.param(0.0, 0.0, 0.0, True, id="at the sensor"),
        pytest.param(-0.01, 0.0, 0.0, False, id="behind"),
        pytest.param(71.6, 0.0, 0.0, True, id="far"),
        pytest.param(71.7, 0.0, 0.0, False, id="too far"),
        pytest.param(10.0, LEAST_Y_M, 0.0, True, id="right edge"),
        pytest.param(10.0, 40.95, 0.0, True, id="left edge"),
        pytest.param(10.0, 40.97, 0.0, False, id="beyond the left edge"),
        pytest.param(10.0, 0.0, -3.6, False, id="under the ground"),
        pytest.param(10.0, 0.0, 1.6, False, id="over every car"),
        pytest.param(499.0, -499.0, 0.0, False, id="as far as sweeps go"),
    ],
)
def test_only_points_in_the_grid_count(x, y, z, inside):
    """Both sides of every border."""
    pillars = pillarise(points([x, y, z]))
    assert len(pillars.features) == len(pillars.slots) == len(pillars.cells) == int(inside)
    assert pillars.features.shape[1] == 8


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(0, 300))
def test_every_point_in_the_grid_is_in_the_quarter_where_it_lies(seed, count):
    """Slots are ascending, no pillar is without a point; the place follows from cell, quarter and offset."""
    rng = np.random.default_rng(seed)
    cloud = np.column_stack([rng.uniform(-5, 75, count), rng.uniform(-45, 45, count), rng.uniform(-4, 2, count)])
    pillars = pillarise(cloud.astype(np.float32))
    assert (np.diff(pillars.cells) > 0).all()
    assert ((pillars.cells >= 0) & (pillars.cells < CELLS)).all()
    assert (np.diff(pillars.slots) >= 0).all()
    np.testing.assert_array_equal(np.unique(pillars.slots // 4), np.arange(len(pillars.cells)))
    row, column = np.divmod(pillars.cells[pillars.slots // 4], COLUMNS)
    x = (2 * column + pillars.slots % 2 + 0.5 + pillars.features[:, 0]) * QUARTER_M
    y = (2 * row + pillars.slots % 4 // 2 + 0.5 + pillars.features[:, 1] - ROWS) * QUARTER_M
    assert (np.abs(pillars.features[:, :2]) <= 0.5 + 1e-4).all()
    inside = cloud[(cloud[:, 0] >= 0) & (cloud[:, 0] < 71.68) & (abs(cloud[:, 1]) < 40.96)]
    inside = inside[(inside[:, 2] >= -3.5) & (inside[:, 2] <= 1.5)]
    np.testing.assert_allclose(np.sort(x), np.sort(inside[:, 0]), atol=1e-4)
    np.testing.assert_allclose(np.sort(y), np.sort(inside[:, 1]), atol=1e-4)
