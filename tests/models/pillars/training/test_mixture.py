"""Rows of samples that follow from a seed."""

import numpy as np
import pytest

from vedette.errors import ConfigError
from vedette.models.pillars.training.mixture import Mixture, Share
from vedette.models.pillars.training.shards import SampleSet, write_manifest, write_shard


@pytest.fixture(scope="module")
def make_set(tmp_path_factory):
    """Makes a set whose samples are told apart by the x of their one car."""

    def make(places, recipe, scene):
        folder = tmp_path_factory.mktemp("set")
        shard = write_shard(folder / "a.npz", [scene([(x, 0.0, 0.0)]) for x in places])
        write_manifest(folder, recipe, {"a.npz": shard})
        return SampleSet(folder)

    return make


@pytest.fixture
def world(make_set, make_scene):
    """Five samples of the world, at 10 to 14 m."""
    return make_set(range(10, 15), {"scenarios": ["town"]}, make_scene)


@pytest.fixture
def real(make_set, make_scene):
    """Three labelled ones, at 30 to 32 m."""
    return make_set(range(30, 33), {"sources": ["kitti-object"]}, make_scene)


def row_of(mixture):
    return [round(mixture[place].boxes_velo[0, 0]) for place in range(len(mixture))]


def test_every_sample_comes_once_a_round_in_another_order_each(world):
    """Twenty rounds of five."""
    row = np.array(row_of(Mixture([Share(world)], 100, seed=0))).reshape(20, 5)
    np.testing.assert_array_equal(np.sort(row, axis=1), np.tile(np.arange(10, 15), (20, 1)))
    assert len({tuple(turn) for turn in row.tolist()}) > 10


def test_of_each_set_every_sample_comes_once_a_round_of_its_own(world, real):
    """Whatever comes between."""
    row = np.array(row_of(Mixture([Share(world, 2.0), Share(real, 1.0)], 200, seed=3)))
    for members, size in ((row[row < 20], 5), (row[row > 20], 3)):
        whole = members[: len(members) // size * size].reshape(-1, size)
        assert (np.diff(np.sort(whole, axis=1), axis=1) == 1).all()


@pytest.mark.parametrize(("weight", "share"), [(1.0, 0.5), (3.0, 0.75), (0.25, 0.2)])
def test_sets_come_by_their_shares_whatever_their_sizes(world, real, weight, share):
    """Of 4,000 places, within 4 standard deviations (3 %)."""
    mixture = Mixture([Share(world, weight), Share(real, 1.0)], 4000, seed=1)
    of_world = np.mean([mixture.of_world(place) for place in range(len(mixture))])
    assert of_world == pytest.approx(share, abs=0.032)


def test_the_row_follows_from_the_seed(world, real):
    """And each place from its number alone, so that a training can go on in the middle."""
    shares = [Share(world), Share(real)]
    row = row_of(Mixture(shares, 40, seed=7))
    assert row_of(Mixture(shares, 40, seed=7)) == row
    assert row_of(Mixture(shares, 40, seed=8)) != row
    assert round(Mixture(shares, 40, seed=7)[33].boxes_velo[0, 0]) == row[33]


def test_sets_that_cannot_be_mixed_are_refused(world):
    """None at all, or a share of nothing."""
    with pytest.raises(ConfigError, match="expected some"):
        Mixture([], 10, seed=0)
    with pytest.raises(ConfigError, match=r"\(5, 0\.0\)"):
        Mixture([Share(world, 0.0)], 10, seed=0)
    with pytest.raises(ConfigError, match="above 0"):
        Mixture([Share(world, float("nan"))], 10, seed=0)
