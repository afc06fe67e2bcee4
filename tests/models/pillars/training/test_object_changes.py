"""Objects that change with their points."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.geometry import points_in_boxes
from vedette.models.pillars.training.object_changes import with_objects_changed, with_usual_sizes
from vedette.models.pillars.training.shards import NOBODY, Sample


def one(box, points, owners):
    return Sample(
        np.array(points, np.float32), np.array(owners, np.int64), np.array([box], float), np.zeros(1, np.int64)
    )


def test_a_car_is_stretched_moved_and_turned_about_the_middle_of_its_bottom():
    """Twice as long and half as high, 1 m ahead, 0.2 m up, a quarter turn: its front roof edge, worked out by hand."""
    sample = one([10, 0, 0, 4, 2, 1.5, 0], [[12, 0, 0.75], [10, 1, -0.75], [5, 5, 0]], [0, 0, NOBODY])
    changed = with_objects_changed(sample, np.array([[2, 1, 0.5]]), np.array([[1, 0, 0.2]]), np.array([np.pi / 2]))
    np.testing.assert_allclose(changed.boxes_velo, [[11, 0, -0.175, 8, 2, 0.75, np.pi / 2]])
    np.testing.assert_allclose(changed.points_velo_m, [[11, 4, 0.2], [10, 0, -0.55], [5, 5, 0]], atol=1e-6)


def test_nothing_changes_by_factors_of_one(make_scene):
    """Up to rounding."""
    sample = make_scene([(10, 2, 0.3), (20, -3, 2.0)])
    same = with_objects_changed(sample, np.ones((2, 3)), np.zeros((2, 3)), np.zeros(2))
    np.testing.assert_allclose(same.points_velo_m, sample.points_velo_m, atol=1e-5)
    np.testing.assert_array_equal(same.boxes_velo, sample.boxes_velo)


def test_the_worlds_objects_get_the_sizes_of_labels(make_scene):
    """Cars 7 % shorter, people a tenth wider, within two deviations; what has no heat map stays as it is."""
    kinds = [ObjectClass.CAR] * 40 + [ObjectClass.PEDESTRIAN] * 40 + [ObjectClass.OTHER] * 2
    places = [(10.0 + 8 * (i % 9), -40.0 + 8 * (i // 9), 0.4) for i in range(len(kinds))]
    sample = make_scene(places, points_each=20, classes=kinds)
    changed = with_usual_sizes(sample, np.random.default_rng(0))
    factors = changed.boxes_velo[:, 3:6] / sample.boxes_velo[:, 3:6]
    assert factors[:40, 0].mean() == pytest.approx(0.93, abs=0.04)
    assert np.abs(factors[:40, 0] - 0.93).max() <= 0.2 + 1e-9
    assert factors[40:80, 1].mean() == pytest.approx(1.1, abs=0.06)
    np.testing.assert_array_equal(factors[80:], 1.0)
    np.testing.assert_array_equal(changed.boxes_velo[:, [0, 1, 6]], sample.boxes_velo[:, [0, 1, 6]])
    grown = changed.boxes_velo + np.array([0, 0, 0, 1e-3, 1e-3, 1e-3, 0])
    inside = points_in_boxes(changed.points_velo_m, grown)
    owned = np.flatnonzero(changed.owners != NOBODY)
    assert inside[changed.owners[owned], owned].all()
