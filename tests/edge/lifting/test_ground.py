"""Ground: plane, grid, and what stands on it."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.lifting.ground import fit_ground


def grid_points(height, spacing=0.5):
    """Points every half metre over the area before the sensor."""
    x, y = np.meshgrid(np.arange(2, 50, spacing), np.arange(-20, 20, spacing))
    z = height(x, y)
    return np.stack([x, y, z, np.zeros_like(x)], axis=-1).reshape(-1, 4).astype(np.float32)


def heights(ground, places):
    """Of many places, ``(N,2)``, at once."""
    return ground.height_m(*places.T.astype(np.float32))


@pytest.mark.parametrize(
    ("height", "tolerance_m"),
    [
        pytest.param(lambda x, y: np.full_like(x, -1.7), 0.001, id="level"),
        pytest.param(lambda x, y: -1.7 + 0.05 * x, 0.005, id="5 per cent uphill"),
        pytest.param(lambda x, y: -1.7 + 0.03 * y, 0.005, id="banked"),
        # a kerb lies within a cell of 4 m: half of its height is the most that interpolation may miss away from it
        pytest.param(lambda x, y: np.where(y > 8, -1.55, -1.7), 0.08, id="pavement 15 cm higher"),
    ],
)
def test_height_follows_the_ground(height, tolerance_m):
    """The fitted height is that of the points, at places away from steps."""
    ground = fit_ground(grid_points(height).T[:3])
    places = np.array([[10.0, 0.0], [20.0, -5.0], [30.0, 3.0], [15.0, 14.0]])
    assert heights(ground, places) == pytest.approx(height(places[:, 0], places[:, 1]), abs=tolerance_m)


def test_objects_do_not_lift_the_ground():
    """A cell whose lowest points are a roof takes its neighbours' ground."""
    points = grid_points(lambda x, y: np.full_like(x, -1.7))
    under = (np.abs(points[:, 0] - 22) < 2) & (np.abs(points[:, 1] + 2) < 2)
    points[under, 2] = -0.9
    assert fit_ground(points.T[:3]).height_at(22.0, -2.0) == pytest.approx(-1.7, abs=0.02)


def test_stray_returns_from_below_do_not_sink_it():
    """Three reflections a metre below the road are no ground."""
    points = grid_points(lambda x, y: np.full_like(x, -1.7))
    stray = np.array([[20.1, 0.3, -2.6, 0], [21.0, 1.0, -2.7, 0], [20.4, 2.0, -2.65, 0]], np.float32)
    ground = fit_ground(np.vstack([points, stray]).T[:3])
    assert ground.height_at(20.5, 1.0) == pytest.approx(-1.7, abs=0.02)


@pytest.mark.parametrize(
    ("points", "expected_z"),
    [
        pytest.param(np.zeros((0, 4), np.float32), 0.0, id="no point"),
        pytest.param(np.array([[5, 0, -1.2, 0]], np.float32), -1.2, id="one point"),
        pytest.param(np.array([[5, 0, 2.0, 0], [6, 0, 1.0, 0]], np.float32), 0.0, id="only above the sensor"),
    ],
)
def test_few_points_give_a_level_plane(points, expected_z):
    """Too few points for a fit: level, at the lowest of them, not above the sensor."""
    assert fit_ground(points.T[:3]).height_at(30.0, 10.0) == pytest.approx(expected_z)


def test_one_place_and_many_agree():
    """The quick way for one place gives what the way for many gives, inside the grid and beyond it."""
    rng = np.random.default_rng(5)
    ground = fit_ground(grid_points(lambda x, y: -1.7 + 0.02 * x + 0.1 * np.sin(x / 5) * np.cos(y / 4)).T[:3])
    places = rng.uniform([-20, -80], [120, 80], (200, 2))
    assert [ground.height_at(x, y) for x, y in places] == pytest.approx(heights(ground, places), abs=1e-5)
