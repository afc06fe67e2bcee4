"""Roads whose plane is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.models.pillars.ground import LEVEL, USUAL_HEIGHT_M, Plane, levelled, road_plane, unlevelled


def road(plane, seed=0, count=6000):
    """Points on a plane, 2 cm of noise, ahead and to both sides."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(3, 60, count), rng.uniform(-20, 20, count)
    z = plane.slope_x * x + plane.slope_y * y + plane.z_m + 0.02 * rng.normal(size=count)
    return np.column_stack([x, y, z]).astype(np.float32)


def cars(plane, count=8, seed=1):
    """Sides of cars in a row to the left, 300 points each, from the road up to 1.5 m."""
    rng = np.random.default_rng(seed)
    x = np.repeat(np.arange(count) * 5.0 + 5.0, 300) + rng.uniform(0, 4, 300 * count)
    y = np.full(300 * count, 4.0)
    z = plane.slope_x * x + plane.slope_y * y + plane.z_m + rng.uniform(0.0, 1.5, 300 * count)
    return np.column_stack([x, y, z]).astype(np.float32)


@pytest.mark.parametrize(
    "plane",
    [
        pytest.param(Plane(0.0, 0.0, -1.73), id="level, the usual height"),
        pytest.param(Plane(0.008, 0.0, -1.65), id="a sensor that looks down by half a degree"),
        pytest.param(Plane(-0.03, 0.02, -2.1), id="downhill, to the side, from a van"),
        pytest.param(Plane(0.06, -0.03, -1.4), id="steep, and low"),
    ],
)
def test_the_road_is_found(plane):
    """To 4 cm up to 40 m, beside a row of parked cars, with mirror images below and a hedge above."""
    rng = np.random.default_rng(2)
    ghosts = road(plane, seed=3, count=60) - [0, 0, 1.5]
    hedge = np.column_stack([rng.uniform(5, 40, 900), rng.uniform(12, 14, 900), rng.uniform(-1, 0.5, 900)])
    met = road_plane(np.concatenate([road(plane), cars(plane), ghosts, hedge]).astype(np.float32))
    places = np.array([[5.0, 0.0], [20.0, 5.0], [40.0, -10.0]])
    np.testing.assert_allclose(met.height_m(places), plane.height_m(places), atol=0.04)


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(np.zeros((0, 3), np.float32), id="no point"),
        pytest.param(np.array([[10, 0, -1.7]] * 50, np.float32), id="one place"),
        pytest.param(road(Plane(0, 0, -1.73)) + np.array([60, 0, 0], np.float32), id="far away only"),
        pytest.param(road(Plane(0.165, 0, -3.9)), id="as steep as no road"),
    ],
)
def test_what_is_no_road_leaves_the_sweep_as_it_is(points):
    """A level sensor at the usual height is assumed."""
    assert road_plane(points) == LEVEL


def test_a_wall_close_by_is_not_the_road():
    """All that is seen is a lorry's side a metre away and a strip of road before it."""
    rng = np.random.default_rng(5)
    wall = np.column_stack([rng.uniform(0, 15, 4000), np.full(4000, 1.5), rng.uniform(-1.7, 1.5, 4000)])
    strip = np.column_stack([rng.uniform(3, 15, 800), rng.uniform(-8, 1.4, 800), np.full(800, -1.73)])
    met = road_plane(np.concatenate([wall, strip]).astype(np.float32))
    assert abs(met.height_m(np.array([[10.0, -3.0]]))[0]) < 0.05


def test_level_points_have_the_road_at_the_usual_height():
    """What stood on the road stands on it still; intensity is dropped, and the points given stay as they are."""
    plane = Plane(0.02, -0.01, -2.0)
    points = np.column_stack([road(plane), np.ones(6000)]).astype(np.float32)
    before = points.copy()
    flat = levelled(points, plane)
    assert flat.shape == (6000, 3)
    assert flat.dtype == np.float32
    assert np.abs(flat[:, 2] + USUAL_HEIGHT_M).max() < 0.1
    np.testing.assert_array_equal(points, before)


@given(x=st.floats(0, 70), y=st.floats(-40, 40), slope=st.floats(-0.1, 0.1))
def test_boxes_go_back_to_where_the_points_were(x, y, slope):
    """What is done to points is undone for boxes."""
    plane = Plane(slope, 0.03, -1.9)
    centre = np.array([[x, y, -1.0]], np.float32)
    flat = levelled(centre, plane)
    box = np.array([[*flat[0], 4.0, 1.7, 1.5, 0.3]])
    np.testing.assert_allclose(unlevelled(box, plane)[0], [*centre[0], 4.0, 1.7, 1.5, 0.3], atol=1e-5)
