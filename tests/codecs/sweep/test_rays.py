"""Places of rays, against trigonometry; and that no machine can come to others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vedette.codecs.sweep.rays import COLUMNS_PER_TURN, across_at, height_at, quarter_axes

UNIT_M = 2.0**-15


def at(value: float) -> np.ndarray:
    return np.array([value], np.float64)


@pytest.mark.parametrize("column", [0, 1, 499, 500, 501, 1000, 1499, 2000, 2765, 3499, 3999, 4000, -1, 8001])
@pytest.mark.parametrize("offset", [-128, 0, 77, 128])
@pytest.mark.parametrize("sideways_m", [0.0, 0.026, -0.028])
def test_a_ray_goes_where_its_angle_points(column: int, offset: int, sideways_m: float) -> None:
    """At 80 m forward within a millimetre of the straight line that leaves ``sideways`` of the origin."""
    columns = np.array([column])
    (axis_x,), (axis_y,) = quarter_axes(columns)
    (across,) = across_at(at(80 / UNIT_M), columns, at(offset), at(round(sideways_m / UNIT_M))) * UNIT_M
    x, y = 80 * axis_x - across * axis_y, 80 * axis_y + across * axis_x
    angle = (column + offset / 256) * 2 * math.pi / COLUMNS_PER_TURN
    assert x * math.cos(angle) + y * math.sin(angle) > 0
    assert y * math.cos(angle) - x * math.sin(angle) == pytest.approx(sideways_m, abs=0.001)
    assert abs(across) <= 80.3


def test_heights_are_those_of_a_line_over_ground() -> None:
    """3, 4, 5: at 5 m over ground a slope of 0.1 from 0.2 m up is at 0.7 m."""
    (height,) = height_at(at(3 / UNIT_M), at(4 / UNIT_M), at(round(0.2 / UNIT_M)), at(0.1))
    assert height * UNIT_M == pytest.approx(0.7, abs=2 * UNIT_M)


def test_every_result_is_a_whole_number() -> None:
    """Up to the farthest point, so that float32 holds the coordinates exactly."""
    random = np.random.default_rng(0)
    forward = random.integers(-(2**24), 2**24, 1000).astype(np.float64)
    columns = random.integers(-100, COLUMNS_PER_TURN + 100, 1000)
    offset = random.integers(-128, 129, 1000).astype(np.float64)
    across = across_at(forward, columns, offset, np.full(1000, 852.0))
    height = height_at(forward, across, np.full(1000, 6554.0), np.full(1000, -104858 / 2**20))
    np.testing.assert_array_equal(across, np.rint(across))
    np.testing.assert_array_equal(height, np.rint(height))


def test_no_entry_of_the_tables_depends_on_the_last_bit_of_a_tangent() -> None:
    """Libraries differ in the last bit, here 2e-9 of a whole number; the nearest entry to a tie is far from that."""
    angle = (np.arange(-500, 500) * 2 * np.pi) / COLUMNS_PER_TURN
    per_part = 2**24 * 2 * np.pi / COLUMNS_PER_TURN / 256
    for entries in (np.tan(angle) * 2**24, (1 + np.tan(angle) ** 2) * per_part, 2**24 / np.cos(angle)):
        from_tie = np.abs(entries - np.floor(entries) - 0.5)
        assert from_tie.min() > 1e-5
