"""The arc of an object that keeps its speed and its rate of turn."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.tracking.turning import tightest_turn_radps, turned

RATES = [-0.9, -0.02, -1e-9, 0.0, 1e-4, 0.3, 1.0]


def test_quarter_of_a_circle():
    """A quarter to the left in two seconds on a circle of 8 m, begun along x: 8 m on, 8 m to the left, facing y."""
    rate = np.pi / 4
    state, _ = turned(np.array([3.0, -1.0, 8.0 * rate, 0.0, rate]), 2.0)
    assert state == pytest.approx([11.0, 7.0, 0.0, 8.0 * rate, rate])


def test_straight_on():
    """Without a turn two seconds at 3 and -4 m/s are 6 and -8 m."""
    assert turned(np.array([1.0, 1.0, 3.0, -4.0, 0.0]), 2.0)[0] == pytest.approx([7.0, -7.0, 3.0, -4.0, 0.0])


def test_no_time_is_no_change():
    """And each part of the state depends on itself alone."""
    before = np.array([1.0, 2.0, 3.0, 4.0, 0.5])
    state, jacobian = turned(before, 0.0)
    assert state == pytest.approx(before)
    assert jacobian == pytest.approx(np.eye(5))


@pytest.mark.parametrize("rate", RATES)
def test_many_small_steps_lead_there_too(rate):
    """A velocity turned a little at a time, and summed: the same place to a tenth of a millimetre."""
    course = 0.4 + rate * (np.arange(10_000) + 0.5) * 1e-4
    place = 7.0 * 1e-4 * np.array([np.cos(course).sum(), np.sin(course).sum()])
    state, _ = turned(np.array([0.0, 0.0, 7.0 * np.cos(0.4), 7.0 * np.sin(0.4), rate]), 1.0)
    assert state[:2] == pytest.approx(place, abs=1e-4)
    assert state[2:4] == pytest.approx([7.0 * np.cos(0.4 + rate), 7.0 * np.sin(0.4 + rate)])


@pytest.mark.parametrize("rate", RATES)
def test_jacobian_is_the_slope(rate):
    """As differences of near states have it, at rates near zero too."""
    before = np.array([5.0, -3.0, 6.0, 2.0, rate])
    slopes = [(turned(before + near, 0.7)[0] - turned(before - near, 0.7)[0]) / 2e-5 for near in 1e-5 * np.eye(5)]
    assert turned(before, 0.7)[1] == pytest.approx(np.transpose(slopes), abs=1e-8)


def test_what_stands_shows_no_turn():
    """At no speed neither place nor velocity depends on the rate."""
    _, jacobian = turned(np.array([5.0, -3.0, 0.0, 0.0, 0.4]), 0.7)
    assert not jacobian[:4, 4].any()


@pytest.mark.parametrize(
    ("speed_mps", "rate_radps"),
    [
        pytest.param(0.0, 0.0, id="standing"),
        pytest.param(2.0, 0.4, id="on the circle of 5 m of a full lock"),
        pytest.param(5.0, 1.0, id="both limits meet"),
        pytest.param(10.0, 0.5, id="5 m/s2 sideways"),
        pytest.param(25.0, 0.2, id="5 m/s2 sideways, fast"),
    ],
)
def test_tightest_turn(speed_mps, rate_radps):
    """The slow are limited by their wheels' lock, the fast by their grip."""
    assert tightest_turn_radps(speed_mps) == pytest.approx(rate_radps)
