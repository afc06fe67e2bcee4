"""What is found in the points of a sensor whose every ray is known, and what comes of points that no sensor sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from vedette.codecs.sweep import PolarCodec
from vedette.codecs.sweep.rings import MAX_RINGS, Rings, fit_rings
from vedette.frames import Sweep

TICKS: Final = 4000
SIDEWAYS_M: Final = (0.026, -0.026, 0.02, 0.0)
UPWARD_M: Final = (0.2, 0.2, 0.12, -0.05)
SLOPE: Final = (0.03, -0.02, -0.15, -0.35)
OFFSET_COLUMNS: Final = (0.1, -0.3, 0.4, 0.0)


@dataclass(frozen=True)
class Turn:
    """Points of a turn of the head, ring after ring, and the tick at which each was fired."""

    points: NDArray[np.float32]
    columns: NDArray[np.int64]


@pytest.fixture
def turn() -> Turn:
    """Four rings of 1,980 returns, counter-clockwise from +x, from walls of random distance with 1 cm of noise."""
    random = np.random.default_rng(0)
    columns = np.tile(np.arange(20, TICKS - 20, 2), len(SLOPE))
    rings = np.repeat(np.arange(len(SLOPE)), len(columns) // len(SLOPE))
    range_m = np.repeat(random.uniform(4.0, 60.0, len(columns) // 20), 20) + random.normal(0, 0.01, len(columns))
    heading = (columns + np.take(OFFSET_COLUMNS, rings)) * (2 * np.pi / TICKS)
    sideways_m = np.take(SIDEWAYS_M, rings)
    x = range_m * np.cos(heading) - sideways_m * np.sin(heading)
    y = range_m * np.sin(heading) + sideways_m * np.cos(heading)
    z = np.take(UPWARD_M, rings) + np.take(SLOPE, rings) * np.hypot(x, y)
    points = np.stack([x, y, z, random.uniform(0, 1, len(columns))], axis=1)
    return Turn(points.astype(np.float32), columns)


def fit(points: NDArray[np.float32]) -> tuple[Rings, NDArray[np.intp]]:
    return fit_rings(np.ascontiguousarray(points.T))


def bits_a_point(points: NDArray[np.float32]) -> float:
    return 8 * len(PolarCodec().encode(Sweep(points, 0, 0)).data) / len(points)


def test_the_sensor_is_found_in_its_points(turn: Turn) -> None:
    """Every ring's place on the head to a millimetre, its angles to a hundredth of a column, and every tick."""
    rings, columns = fit(turn.points)
    np.testing.assert_array_equal(rings.counts, [1980] * 4)
    np.testing.assert_allclose(rings.sideways / 2**15, SIDEWAYS_M, atol=0.001)
    np.testing.assert_allclose(rings.offset / 2**8, OFFSET_COLUMNS, atol=0.01)
    np.testing.assert_allclose(rings.upward / 2**15, UPWARD_M, atol=0.001)
    np.testing.assert_allclose(rings.slope / 2**20, SLOPE, atol=1e-4)
    np.testing.assert_array_equal(columns, turn.columns)


def test_a_view_of_the_sensor_is_enough(turn: Turn) -> None:
    """In a camera's view the rings' ends are missing and their beginnings are not: it is still a ring a laser."""
    ahead = np.abs(turn.points[:, 1]) < turn.points[:, 0]
    rings, columns = fit(turn.points[ahead])
    assert len(rings.counts) == 4
    np.testing.assert_allclose(rings.sideways / 2**15, SIDEWAYS_M, atol=0.001)
    np.testing.assert_array_equal(columns, turn.columns[ahead])


@pytest.mark.parametrize("axis", [[1, -1, 1, 1], [-1, 1, 1, 1]])
def test_a_head_that_turns_clockwise_costs_no_more(turn: Turn, axis: list[int]) -> None:
    """A sensor mirrored, from ahead and from behind: the same number of rings, about the same number of bits."""
    mirrored = turn.points * np.array(axis, np.float32)
    assert len(fit(mirrored)[0].counts) in (4, 5)
    assert bits_a_point(mirrored) < 1.25 * bits_a_point(turn.points)


def test_known_rays_save_two_coordinates(turn: Turn) -> None:
    """Distance has 7 bits (noise, a new wall every 20 points), a random intensity 8; ray and ring hardly cost any."""
    assert bits_a_point(turn.points) < 17


def test_a_shuffled_sweep_is_one_ring(turn: Turn) -> None:
    """Thousands of rings would each have to be described."""
    shuffled = turn.points[np.random.default_rng(1).permutation(len(turn.points))]
    assert len(fit(shuffled)[0].counts) == 1


@pytest.mark.parametrize(("turns", "rings"), [(MAX_RINGS, MAX_RINGS), (MAX_RINGS + 1, 1)])
def test_the_most_rings_that_the_format_holds(turns: int, rings: int) -> None:
    """On both sides of the limit, with three points in each ring."""
    angle = np.tile([0.1, 2.0, 4.0], turns)
    points = np.stack([9 * np.cos(angle), 9 * np.sin(angle), 0 * angle, 0 * angle], axis=1).astype(np.float32)
    assert len(fit(points)[0].counts) == rings
    assert PolarCodec().decode(PolarCodec().encode(Sweep(points, 0, 0))).shape == points.shape


@pytest.mark.parametrize(
    "points",
    [
        pytest.param([[3, 4, 5, 0]], id="one point"),
        pytest.param([[0, 0, 0, 0]] * 3, id="the origin"),
        pytest.param([[3, 4, 5, 0]] * 3, id="the same place"),
        pytest.param([[3, 4, -500, 0], [3.0000002, 4, 500, 0]], id="a cliff"),
        pytest.param([[-5, 0.0, 0, 0], [-5, -0.0, 0, 0]], id="both sides of a turn"),
        pytest.param([[1e-38, 1e-38, 500, 0], [500, 500, -500, 0]], id="from nothing to the farthest"),
    ],
)
def test_points_without_a_line_through_them(points: list[list[float]]) -> None:
    """Whatever they are, the rings' numbers are within what the format holds and every run has its points."""
    rings, columns = fit(np.array(points, np.float32))
    assert rings.counts.sum() == len(points)
    assert np.abs(rings.slope).max() <= 2 * 2**20
    assert np.abs(rings.upward).max() <= 500 * 2**15
    assert np.abs(rings.sideways).max() <= 0.028 * 2**15
    assert -100 < columns.min() <= columns.max() < TICKS + 100


@pytest.mark.parametrize("points_at_a_time", [1, 1980, 4000, 10**6])
def test_groups_have_every_point_once(turn: Turn, points_at_a_time: int) -> None:
    """In order, as many rings at a time as were asked for, and never less than one."""
    rings, _ = fit(turn.points)
    groups = list(rings.in_groups(points_at_a_time))
    np.testing.assert_array_equal(np.concatenate([group.slope for group, _ in groups]), rings.slope)
    assert [span.start for _, span in groups] == [0, *[span.stop for _, span in groups[:-1]]]
    assert groups[-1][1].stop == len(turn.points)
    assert all(group.counts.sum() == span.stop - span.start for group, span in groups)
    assert len(groups) == {1: 4, 1980: 4, 4000: 2, 10**6: 1}[points_at_a_time]
