"""Changed samples are still true."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vedette.geometry import points_in_boxes
from vedette.models.pillars.training.augment import Augmentation, augment
from vedette.models.pillars.training.shards import NOBODY

CARS = [(12.0, 3.0, 0.4), (30.0, -8.0, -2.5)]
NOTHING = Augmentation(0, 0, 0, 0, 0, 0, 0, 0)


@given(seed=st.integers(0, 2**32 - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_points_stay_in_their_boxes(make_scene, seed):
    """Every point of a car is in its box before and after, up to rounding; the ground's are in none."""
    changed = augment(make_scene(CARS), np.random.default_rng(seed), Augmentation())
    grown = changed.boxes_velo + np.array([0, 0, 0, 1e-3, 1e-3, 1e-3, 0])
    inside = points_in_boxes(changed.points_velo_m, grown)
    for row in range(2):
        np.testing.assert_array_equal(inside[row], changed.owners == row)
    assert not inside[:, changed.owners == NOBODY].any()


def test_no_augmentation_changes_nothing(make_scene):
    """Bit for bit but for a turn by 0."""
    sample = make_scene(CARS)
    same = augment(sample, np.random.default_rng(0), NOTHING)
    np.testing.assert_array_equal(same.points_velo_m, sample.points_velo_m)
    np.testing.assert_array_equal(same.boxes_velo, sample.boxes_velo)


def test_the_same_seed_changes_the_same(make_scene):
    """Training can be repeated."""
    first, second = (augment(make_scene(CARS), np.random.default_rng(5), Augmentation()) for _ in range(2))
    np.testing.assert_array_equal(first.points_velo_m, second.points_velo_m)


def test_a_mirrored_car_turns_the_other_way(make_scene):
    """Left becomes right."""
    mirrored = augment(make_scene(CARS), np.random.default_rng(0), Augmentation(1.0, 0, 0, 0, 0, 0, 0, 0))
    np.testing.assert_allclose(mirrored.boxes_velo[:, [0, 1, 6]], [[12, -3, -0.4], [30, 8, 2.5]])


@pytest.mark.parametrize("seed", range(5))
def test_thinning_drops_points_and_their_counts(make_scene, seed):
    """Between the least share and all."""
    thinned = augment(make_scene(CARS), np.random.default_rng(seed), Augmentation(0, 0, 0, 0, 1.0, 0.6, 0, 0))
    assert 0.5 * 1740 < len(thinned.points_velo_m) <= 1740
    assert thinned.points_hit.sum() == (thinned.owners != NOBODY).sum() <= 240


def test_whole_beams_are_dropped(make_scene):
    """Of points at one elevation all go or none."""
    sample = make_scene([])
    lost = augment(sample, np.random.default_rng(1), Augmentation(0, 0, 0, 0, 0, 0, 1.0, 0.9))

    def beams(points):
        elevation = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
        return np.unique(np.floor(elevation / np.deg2rad(0.43)), return_counts=True)

    kept, kept_counts = beams(lost.points_velo_m)
    all_beams, counts = beams(sample.points_velo_m)
    assert len(kept) < len(all_beams)
    np.testing.assert_array_equal(kept_counts, counts[np.isin(all_beams, kept)])
