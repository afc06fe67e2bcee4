"""Decorated pillars."""

import math

import numpy as np
import pytest

from vedette.models.pillar_keys import SplitPillars
from vedette.models.split_pillars.features import pillarise

ALL = ("x", "y", "z", "intensity", "time", "from_mean_x", "from_mean_y", "from_mean_z", "from_centre_x")
ALL += ("from_centre_y", "from_centre_z", "distance")


def slowly(points, keys):
    """The same with a loop over points and dictionaries: pillars by cell, each a list of points."""
    x0, y0, z0, *_ = keys.grid.range_m
    pillars = {}
    for x, y, z, intensity in points.tolist():
        column, row, level = math.floor(x - x0), math.floor(y - y0), math.floor((z - z0) / 4)
        if 0 <= column < 8 and 0 <= row < 8 and level == 0:
            pillars.setdefault(row * 8 + column, []).append((x, y, z, intensity))
    rows = {}
    for cell, members in pillars.items():
        kept = members[: keys.grid.max_points]
        mean = [sum(one[axis] for one in kept) / len(kept) for axis in range(3)]
        centre = [x0 + cell % 8 + 0.5, y0 + cell // 8 + 0.5, z0 + 2]
        rows[cell] = [
            [
                *(one[:3]),
                one[3] * keys.intensity_scale,
                0.0,
                *(one[axis] - mean[axis] for axis in range(3)),
                *(one[axis] - centre[axis] for axis in range(3)),
                math.sqrt(sum(one[axis] ** 2 for axis in range(3))),
            ]
            for one in kept
        ]
    return rows


@pytest.fixture
def keys(centre_keys):
    """All features, room for every pillar."""
    grid = {**centre_keys["grid"], "max_pillars": 64}
    return SplitPillars(**{**centre_keys, "grid": grid, "features": ALL, "intensity_scale": 255.0})


def test_features_are_those_of_a_slow_loop(keys):
    """300 points on 64 pillars and around: most pillars are too full, some points are outside."""
    generator = np.random.default_rng(5)
    points = generator.uniform([-1, -5, -3, 0], [9, 5, 3, 1], (300, 4)).astype(np.float32)
    pillars, expected = pillarise(points, keys), slowly(points, keys)
    assert pillars.cells.tolist() == sorted(expected)
    for cell, features in zip(pillars.cells, pillars.features, strict=True):
        rows = expected[cell]
        np.testing.assert_allclose(features[: len(rows)], rows, atol=1e-4)
        assert not features[len(rows) :].any()  # rows without a point are zero, offsets too


def test_features_come_in_the_cards_order(centre_keys):
    """mmdetection3d's old encoder gets the offset from the centre in the place of x and y, too."""
    names = ("from_centre_x", "from_centre_y", "z", "intensity", "from_centre_x")
    keys = SplitPillars(**{**centre_keys, "features": names})
    features = pillarise(np.array([[4.25, 0.5, 1.0, 0.75]], np.float32), keys).features
    np.testing.assert_allclose(features[0, 0], [-0.25, 0.0, 1.0, 0.75, -0.25], atol=1e-6)


def test_of_a_full_pillar_the_first_points_stay(keys):
    """The mean is that of the points that stay."""
    points = np.array([[4.1 + 0.2 * i, 0.5, 0, 0.1 * i] for i in range(4)] + [[0.5, 0.5, 0, 0]], np.float32)
    pillars = pillarise(points, keys)
    assert (pillars.points_left_out, pillars.pillars_left_out) == (1, 0)
    np.testing.assert_allclose(pillars.features[1, :, 0], [4.1, 4.3, 4.5], atol=1e-6)
    np.testing.assert_allclose(pillars.features[1, :, 5], [-0.2, 0.0, 0.2], atol=1e-6)


def test_of_too_many_pillars_the_nearest_stay(centre_keys):
    """Whatever the order of the points; of two at the same distance the first cell."""
    keys = SplitPillars(**{**centre_keys, "grid": {**centre_keys["grid"], "max_pillars": 2}})
    points = np.array([[6.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [2.5, 1.5, 0, 0], [2.5, -1.5, 0, 0]], np.float32)
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        pillars = pillarise(points[order], keys)
        assert pillars.cells.tolist() == [2 * 8 + 2, 4 * 8 + 0]
        assert (pillars.points_left_out, pillars.pillars_left_out) == (0, 2)


@pytest.mark.parametrize(
    ("point", "inside"),
    [
        ((0, -4, -2), True),  # the least corner belongs to the grid
        ((8, 0, 0), False),  # the far edge does not
        ((0, 4, 0), False),
        ((0, 0, 2), False),
        ((7.999, 3.999, 1.999), True),
        ((-0.001, 0, 0), False),
        ((4, 0, -2.001), False),
    ],
)
def test_edges(keys, point, inside):
    """Least values inside, greatest outside."""
    assert len(pillarise(np.array([[*point, 0]], np.float32), keys).cells) == inside


def test_no_points(keys):
    """Neither are there pillars."""
    pillars = pillarise(np.zeros((0, 4), np.float32), keys)
    assert pillars.features.shape == (0, 3, 12)
    assert len(pillars.cells) == 0
