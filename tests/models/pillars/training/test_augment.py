"""Changed samples are still true."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vedette.geometry import points_in_boxes
from vedette.models.pillars.training.augment import Augmentation, augment
from vedette.models.pillars.training.shards import NOBODY

CARS = [(12.0, 3.0, 0.4), (30.0, -8.0, -2.5)]
NOTHING = Augmentation(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0)
HARD = Augmentation(1, 0.6, 0.1, 0.2, 0, 0.3, 0.2, 0.1, bend_m=0.0)  # land that bends is no plane under a car


@given(seed=st.integers(0, 2**32 - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_points_stay_in_their_boxes(make_scene, seed):
    """Every point of a car is in its box before and after, up to rounding, however the car was moved and resized."""
    changed = augment(make_scene(CARS), np.random.default_rng(seed), HARD)
    grown = changed.boxes_velo + np.array([0, 0, 0, 1e-3, 1e-3, 1e-3, 0])
    inside = points_in_boxes(changed.points_velo_m, grown)
    for row in range(2):
        assert inside[row][changed.owners == row].all()
    assert not (inside[0] & (changed.owners == 1)).any()
    assert not (inside[1] & (changed.owners == 0)).any()


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
    mirrored = augment(make_scene(CARS), np.random.default_rng(0), replace(NOTHING, mirrored=1.0))
    np.testing.assert_allclose(mirrored.boxes_velo[:, [0, 1, 6]], [[12, -3, -0.4], [30, 8, 2.5]])


def test_a_tilted_sensor_sees_the_far_road_higher(make_scene):
    """Points and boxes alike rise along x and y by the same small slopes; boxes stay upright, and as large."""
    sample = make_scene(CARS)
    tilted = augment(sample, np.random.default_rng(3), replace(NOTHING, tilt_rad=0.01))
    risen = tilted.points_velo_m[:, 2] - sample.points_velo_m[:, 2]
    places = sample.points_velo_m[:, :2].astype(float)
    slopes, *_ = np.linalg.lstsq(places, risen, rcond=None)
    np.testing.assert_allclose(risen, places @ slopes, atol=1e-5)
    assert 0 < np.abs(slopes).max() < 0.04
    np.testing.assert_allclose(
        tilted.boxes_velo[:, 2] - sample.boxes_velo[:, 2], sample.boxes_velo[:, :2] @ slopes, atol=1e-5
    )
    np.testing.assert_array_equal(tilted.boxes_velo[:, 3:], sample.boxes_velo[:, 3:])


def test_land_that_bends_rises_with_the_square_of_the_distance(make_scene):
    """Ahead and to the side by numbers of their own; 40 m away as far as was drawn."""
    sample = make_scene(CARS)
    bent = augment(sample, np.random.default_rng(3), replace(NOTHING, bend_m=0.5))
    risen = bent.points_velo_m[:, 2] - sample.points_velo_m[:, 2]
    squares = sample.points_velo_m[:, :2].astype(float) ** 2
    curve, *_ = np.linalg.lstsq(squares, risen, rcond=None)
    np.testing.assert_allclose(risen, squares @ curve, atol=1e-5)
    assert 0 < np.abs(curve * 40.0**2).max() < 2.0
    np.testing.assert_allclose(
        bent.boxes_velo[:, 2] - sample.boxes_velo[:, 2], sample.boxes_velo[:, :2] ** 2 @ curve, atol=1e-5
    )


@pytest.mark.parametrize("seed", range(3))
def test_each_object_moves_by_itself_and_the_ground_stays(make_scene, seed):
    """Two cars by different amounts, their bottoms on the ground they stood on."""
    sample = make_scene(CARS)
    changed = augment(sample, np.random.default_rng(seed), replace(NOTHING, moved_m=0.2, moved_rad=0.1, resized=0.05))
    shifts = changed.boxes_velo[:, :2] - sample.boxes_velo[:, :2]
    assert np.abs(shifts[0] - shifts[1]).max() > 1e-3
    assert (changed.boxes_velo[:, 3:6] != sample.boxes_velo[:, 3:6]).all()
    np.testing.assert_allclose(changed.boxes_velo[:, 2] - changed.boxes_velo[:, 5] / 2, -0.95 - 0.75, atol=1e-12)
    free = sample.owners == NOBODY
    np.testing.assert_array_equal(changed.points_velo_m[free], sample.points_velo_m[free])


@pytest.mark.parametrize("seed", range(4))
def test_of_an_object_that_is_partly_erased_one_side_is_left(make_scene, seed):
    """Three tenths of its points at least; those that went lie beyond all that stayed; the ground stays."""
    sample = make_scene(CARS)
    erased = augment(sample, np.random.default_rng(seed), replace(NOTHING, erased=1.0))
    assert (erased.owners == NOBODY).sum() == (sample.owners == NOBODY).sum()
    for row in range(2):
        before = sample.points_velo_m[sample.owners == row].astype(float)
        after = erased.points_velo_m[erased.owners == row].astype(float)
        assert 0.3 * len(before) - 1 <= len(after) <= len(before)
        gone = before[~(before[:, None] == after[None]).all(axis=2).any(axis=1)]
        if len(gone):
            away = gone.mean(axis=0) - after.mean(axis=0)
            assert (gone @ away).mean() > (after @ away).mean()


@pytest.mark.parametrize("seed", range(5))
def test_thinning_drops_points_and_their_counts(make_scene, seed):
    """Between the least share and all."""
    thinned = augment(make_scene(CARS), np.random.default_rng(seed), replace(NOTHING, thinned=1.0, least_kept=0.6))
    assert 0.5 * 1740 < len(thinned.points_velo_m) <= 1740
    assert thinned.points_hit.sum() == (thinned.owners != NOBODY).sum() <= 240


def test_whole_beams_are_dropped(make_scene):
    """Of points at one elevation all go or none."""
    sample = make_scene([])
    lost = augment(sample, np.random.default_rng(1), replace(NOTHING, beams_lost=1.0, most_beams_lost=0.9))

    def beams(points):
        elevation = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
        return np.unique(np.floor(elevation / np.deg2rad(0.43)), return_counts=True)

    kept, kept_counts = beams(lost.points_velo_m)
    all_beams, counts = beams(sample.points_velo_m)
    assert len(kept) < len(all_beams)
    np.testing.assert_array_equal(kept_counts, counts[np.isin(all_beams, kept)])
