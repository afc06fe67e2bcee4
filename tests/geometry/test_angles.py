"""Angles: the half-open range, the short way round, and means across the seam."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.geometry import angle_diff, circular_mean, wrap_half_pi, wrap_pi

PI = math.pi
angles = st.floats(-1e4, 1e4)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [
        (0.0, 0.0),
        (PI, -PI),
        (-PI, -PI),
        (3 * PI, -PI),
        (PI + 0.25, -PI + 0.25),
        (-PI - 0.25, PI - 0.25),
        (7.0, 7.0 - 2 * PI),
    ],
)
def test_wrap_pi_table(angle: float, expected: float) -> None:
    """Pi itself belongs to the lower end."""
    assert wrap_pi(angle) == pytest.approx(expected, abs=1e-12)
    assert isinstance(wrap_pi(angle), float)


@pytest.mark.parametrize(
    ("angle", "expected"),
    [(0.0, 0.0), (PI / 2, -PI / 2), (-PI / 2, -PI / 2), (PI, 0.0), (2.0, 2.0 - PI), (-2.0, PI - 2.0)],
)
def test_wrap_half_pi_table(angle: float, expected: float) -> None:
    """An axis turned by half a turn is the same axis."""
    assert wrap_half_pi(angle) == pytest.approx(expected, abs=1e-12)


@given(angles)
def test_wrapped_is_in_range_and_same_direction(angle: float) -> None:
    """Wrapping changes neither sine nor cosine and leaves the half-open range nowhere."""
    wrapped = wrap_pi(angle)
    assert -PI <= wrapped < PI
    assert math.sin(wrapped) == pytest.approx(math.sin(angle), abs=1e-9)
    assert math.cos(wrapped) == pytest.approx(math.cos(angle), abs=1e-9)
    assert -PI / 2 <= wrap_half_pi(angle) < PI / 2
    assert wrap_pi(wrapped) == wrapped


@pytest.mark.parametrize(
    "angle", [-PI, np.nextafter(-PI, -4), np.nextafter(PI, 0), -1e-17, 1e-300, np.nextafter(-PI / 2, -2)]
)
def test_wrap_at_the_last_bit(angle: float) -> None:
    """Rounding beside a bound does not leave the range."""
    assert -PI <= wrap_pi(angle) < PI
    assert -PI / 2 <= wrap_half_pi(angle) < PI / 2


@given(angles)
def test_one_number_is_wrapped_like_an_array(angle: float) -> None:
    """The way for single numbers gives what the way for arrays gives."""
    assert math.sin((wrap_pi(angle) - wrap_pi(np.array([angle]))[0]) / 2) == pytest.approx(0.0, abs=1e-12)
    assert wrap_pi(np.float64(angle)) == wrap_pi(angle)
    assert isinstance(wrap_pi(np.asarray(angle)), float)
    assert math.isnan(wrap_pi(math.nan))


def test_values_in_range_are_untouched() -> None:
    """What is in range comes back bit for bit, arrays as arrays, NaN as NaN."""
    values = np.array([[-PI, -1e-17, 0.1], [3.1, np.nan, 2.0]])
    np.testing.assert_array_equal(wrap_pi(values), values)


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(0.1, -0.1, 0.2), (-3.1, 3.1, 2 * PI - 6.2), (3.1, -3.1, 6.2 - 2 * PI), (PI, 0.0, -PI)]
)
def test_angle_diff_goes_the_short_way(a: float, b: float, expected: float) -> None:
    """Across the seam the turn is short."""
    assert angle_diff(a, b) == pytest.approx(expected, abs=1e-12)


@given(angles, angles)
def test_angle_diff_leads_from_b_to_a(a: float, b: float) -> None:
    """Adding the difference to b gives the direction a."""
    assert abs(wrap_pi(b + angle_diff(a, b) - a)) % (2 * PI) == pytest.approx(0.0, abs=1e-8)


def test_angle_diff_broadcasts() -> None:
    """An array against one angle gives an array."""
    np.testing.assert_allclose(angle_diff(np.array([0.0, 4.0]), 1.0), [-1.0, 3.0])


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ([0.3], None, 0.3),
        ([3.0, -3.0], None, -PI),
        ([0.0, PI / 2], None, PI / 4),
        ([0.0, PI / 2], [1.0, 0.0], 0.0),
        ([0.0, PI / 2], [1.0, math.sqrt(3)], PI / 3),
    ],
)
def test_circular_mean_table(values: list[float], weights: list[float] | None, expected: float) -> None:
    """Means are taken on the circle, weights as lengths of the vectors."""
    assert abs(angle_diff(circular_mean(values, weights), expected)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "weights", "words"),
    [
        ([], None, "at least one"),
        ([1.0], [1.0, 2.0], "shape"),
        ([1.0], [-1.0], ">= 0"),
        ([1.0, 2.0], [0.0, 0.0], "> 0"),
    ],
)
def test_circular_mean_refuses(values: list[float], weights: list[float] | None, words: str) -> None:
    """A mean of nothing is an error that says so."""
    with pytest.raises(ValueError, match=words):
        circular_mean(values, weights)
