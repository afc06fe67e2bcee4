"""The mirrored scene, and a network that is the same to left and right."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.models.pillars.features import pillarise
from vedette.models.pillars.grid import CELLS, COLUMNS, ROWS
from vedette.models.pillars.mirror import mean_with_mirrored, mirrored
from vedette.models.pillars.network import PILLAR_ROWS, PillarsNetwork

ACROSS = np.array([1, -1, 1], np.float32)


class Part:
    """A part of a model in Python."""

    def __init__(self, run):
        self.run = run


def point_rows(inputs):
    """To the left, to the right, height above -4.5 m, distance: none negative, as after a ramp."""
    features = inputs["features"]
    return (np.maximum(np.column_stack([features[:, 1], -features[:, 1], features[:, 2] + 3.5, features[:, 7]]), 0),)


def scene(inputs):
    """Heat from what has no side, the odd numbers of the code from left less right, summed over a pillar's quarters."""
    quarters = inputs[PILLAR_ROWS].reshape(-1, 4, 4)
    left, right, height, distance = quarters.sum(axis=1).T
    heat, regression = np.zeros((2, CELLS), np.float32), np.zeros((10, CELLS), np.float32)
    heat[:, inputs["cells"]] = height / 100, distance / 100
    side = left - right + quarters[:, 2:, 2].sum(axis=1) - quarters[:, :2, 2].sum(axis=1)
    regression[:, inputs["cells"]] = [height, side, height, height, height, height, side, height, side, height]
    shape = (ROWS, COLUMNS)
    return heat.reshape(1, 2, *shape), regression.reshape(1, 10, *shape)


def network(*, looks_twice):
    """The network of those parts."""
    parts = {"features": Part(point_rows), PILLAR_ROWS: Part(scene)}
    model = SimpleNamespace(card=SimpleNamespace(mirrored=looks_twice), part=lambda inputs, outputs: parts[inputs[0]])
    return PillarsNetwork(model)


def cloud(seed, count=200):
    """Up to three points in each of some quarters, a millimetre off its edges: a point on one belongs to one side."""
    rng = np.random.default_rng(seed)
    quarters = np.column_stack([rng.integers(0, 448, count), rng.integers(-256, 256, count), np.zeros(count)])
    corners = quarters[rng.integers(0, count, count)] * 0.16
    spread = np.array([0.158, 0.158, 4.0])
    return (corners + [0.001, 0.001, -3.0] + rng.uniform(0, 1, (count, 3)) * spread).astype(np.float32)


def rows(pillars):
    """What does not depend on the order: place and features of every point, sorted."""
    table = np.column_stack([pillars.cells[pillars.slots // 4], pillars.slots % 4, pillars.features])
    return table[np.lexsort(table.T[::-1].round(3))]


@given(seed=st.integers(0, 2**32 - 1))
def test_it_is_what_the_mirrored_points_would_give(seed):
    """Up to the order of pillars and of points."""
    points = cloud(seed)
    np.testing.assert_allclose(rows(mirrored(pillarise(points))), rows(pillarise(points * ACROSS)), atol=1e-4)


@given(seed=st.integers(0, 2**32 - 1))
def test_twice_is_the_scene(seed):
    """Bit for bit."""
    pillars = pillarise(cloud(seed))
    twice = mirrored(mirrored(pillars))
    np.testing.assert_array_equal(twice.features, pillars.features)
    np.testing.assert_array_equal(twice.slots, pillars.slots)
    np.testing.assert_array_equal(twice.cells, pillars.cells)


@pytest.mark.parametrize("seed", range(3))
def test_a_network_without_sides_says_of_the_mirrored_scene_the_mirrored_answer(seed):
    """And loses nothing by looking twice."""
    pillars = pillarise(cloud(seed))
    heat, regression = network(looks_twice=False).run(pillars)
    other_heat, other_regression = network(looks_twice=False).run(mirrored(pillars))
    signs = np.array([1, -1, 1, 1, 1, 1, -1, 1, -1, 1], np.float32)
    np.testing.assert_allclose(other_heat[:, ::-1], heat, atol=1e-6)
    np.testing.assert_allclose(other_regression[:, ::-1], regression * signs[:, None, None], atol=1e-5)
    both_heat, both_regression = network(looks_twice=True).run(pillars)
    np.testing.assert_allclose(both_heat, heat, atol=1e-6)
    np.testing.assert_allclose(both_regression, regression, atol=1e-5)


def test_heat_is_averaged_and_the_box_is_that_of_who_is_surer():
    """Heat 0.6 and 0.2: their mean, and three quarters of the way to the first one's box."""
    maps = np.zeros((4, 2, 1), np.float32)
    heat, other_heat = maps[:1].copy(), maps[:1].copy()
    regression, other = np.zeros((10, 2, 1), np.float32), np.zeros((10, 2, 1), np.float32)
    heat[0, 0, 0], other_heat[0, 1, 0] = 0.6, 0.2
    regression[:2, 0, 0], other[:2, 1, 0] = (1.0, 1.0), (3.0, -3.0)
    both_heat, both = mean_with_mirrored(heat, regression, other_heat, other)
    np.testing.assert_allclose(both_heat[0, :, 0], [0.4, 0.0], atol=1e-6)
    np.testing.assert_allclose(both[:2, 0, 0], [1.5, 1.5], atol=1e-4)
