"""Colours that no renderer would give: what is changed, by how much, and what is not."""

import numpy as np
import pytest

from vedette.models.camera2d.training.recoloured import coloured_as, convolved, patch, permuted, recoloured, shaded

NOISE = np.random.default_rng(9).integers(40, 200, (48, 80, 3)).astype(np.uint8)
OTHER = np.random.default_rng(8).integers(90, 100, (30, 30, 3)).astype(np.uint8)
CHANGES = {
    "shaded": shaded,
    "coloured_as": lambda rng, pixels, strength: coloured_as(rng, pixels, OTHER, strength),
    "convolved": convolved,
    "permuted": permuted,
}


def change_of(change, strength, seeds=range(20)):
    """Mean difference that it makes."""
    changed = [change(np.random.default_rng(seed), NOISE, strength) for seed in seeds]
    return np.mean([np.abs(one.astype(float) - NOISE).mean() for one in changed])


@pytest.mark.parametrize("name", CHANGES)
def test_changes_follow_their_strength(name):
    """Nothing changes at 0 (but for the rounding of a colour space); half of it changes less than all of it."""
    change = CHANGES[name]
    assert change_of(change, 0.0) <= 1.0
    assert 1.5 < change_of(change, 0.5) < 0.75 * change_of(change, 1.0)


@pytest.mark.parametrize("name", CHANGES)
def test_the_same_seed_gives_the_same_picture(name):
    """And leaves the original as it is."""
    before = NOISE.copy()
    one, two = (CHANGES[name](np.random.default_rng(5), NOISE, 1.0) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(NOISE, before)
    assert (one.shape, one.dtype) == (NOISE.shape, np.uint8)


def test_objects_change_their_colours_each_by_its_strength():
    """About every second of those of strength 1 changes, and what belongs to nobody never does."""
    pixels = np.full((8, 60, 3), 120, np.uint8)
    owners = np.tile(np.arange(60, dtype=np.int32), (8, 1))
    owners[:, 40:] = -1
    strengths = np.where(np.arange(40) < 20, 1.0, 0.1)
    changed = recoloured(np.random.default_rng(0), pixels, owners, strengths)
    difference = np.abs(changed.astype(float) - 120.0).mean(axis=(0, 2))
    assert (difference[40:] == 0.0).all()
    assert 5 < (difference[:20] > 0.0).sum() < 15
    assert 0.0 < difference[20:40].max() < 15.0 < difference[:20].max()
    assert (changed == changed[0]).all()


def test_there_may_be_nothing_to_recolour():
    """No objects."""
    owners = np.full(NOISE.shape[:2], -1, np.int32)
    np.testing.assert_array_equal(recoloured(np.random.default_rng(0), NOISE, owners, np.zeros(0)), NOISE)


def test_a_patch_covers_a_part():
    """From 0 to 1, with something between at its edges."""
    covers = [patch(np.random.default_rng(seed), (48, 80)) for seed in range(20)]
    assert all(cover.min() >= 0.0 and cover.max() <= 1.0 + 1e-6 for cover in covers)
    assert 0.05 < np.mean(covers) < 0.2
    assert all(((cover > 0.01) & (cover < 0.99)).any() for cover in covers)


def test_colours_are_drawn_towards_those_of_the_photograph():
    """A grey of 95 with hardly any spread: the picture comes nearer to it, and never all the way."""
    for seed in range(10):
        changed = coloured_as(np.random.default_rng(seed), NOISE, OTHER, 1.0).astype(float)
        assert abs(NOISE.mean() - 95.0) > abs(changed.mean() - 95.0)
        assert 0.5 * NOISE.std() < changed.std() < NOISE.std()


def test_a_picture_of_one_colour_stays_finite():
    """Neither its spread nor that of its convolution can be divided by."""
    grey = np.full((32, 32, 3), 128, np.uint8)
    for seed in range(5):
        assert np.ptp(convolved(np.random.default_rng(seed), grey, 1.0)) <= 1
        assert np.ptp(coloured_as(np.random.default_rng(seed), grey, OTHER, 1.0).reshape(-1, 3), axis=0).max() == 0
