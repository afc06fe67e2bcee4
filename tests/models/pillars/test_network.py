"""The network in two parts, with parts in Python whose answer can be worked out."""

from types import SimpleNamespace

import numpy as np
import pytest

from vedette.models.pillars.features import Pillars
from vedette.models.pillars.network import PILLAR_ROWS, PILLAR_STEP, POINT_BLOCK, PillarsNetwork


class Recording:
    """A part that keeps what it was given."""

    def __init__(self, answer):
        self.given = []
        self._answer = answer

    def run(self, inputs):
        self.given.append(inputs)
        return self._answer(inputs)


@pytest.fixture
def parts():
    """A point's row is its first two features; the scene says nothing."""
    maps = np.zeros((1, 1, 2, 2), np.float32), np.zeros((1, 10, 2, 2), np.float32)
    return {"features": Recording(lambda given: (given["features"][:, :2],)), PILLAR_ROWS: Recording(lambda _: maps)}


@pytest.fixture
def network(parts):
    """Of those parts."""
    card = SimpleNamespace(mirrored=False)
    return PillarsNetwork(SimpleNamespace(card=card, part=lambda inputs, outputs: parts[inputs[0]]))


def pillars(features, slots, cells):
    table = np.zeros((len(features), 8), np.float32)
    table[:, :2] = features
    return Pillars(table, np.array(slots, np.int64), np.array(cells, np.int64))


def test_the_largest_of_each_quarter_stands_at_its_place(network, parts):
    """Two pillars: points in quarters 0 and 3 of one, in quarter 1 of the other; the rest is 0."""
    network.run(pillars([[1, 2], [3, 1], [5, 5], [4, 7]], [0, 0, 3, 5], [7, 9]))
    given = parts[PILLAR_ROWS].given[0]
    np.testing.assert_array_equal(given[PILLAR_ROWS][:2], [[3, 2, 0, 0, 0, 0, 5, 5], [0, 0, 4, 7, 0, 0, 0, 0]])
    np.testing.assert_array_equal(given["cells"][:2], [7, 9])


@pytest.mark.parametrize("seed", range(4))
def test_runs_of_any_length_give_their_largest(network, parts, seed):
    """One point, a few, hundreds: each feature by itself, also where all are negative."""
    rng = np.random.default_rng(seed)
    counts = rng.permutation([1, 1, 1, 2, 3, 7, 8, 9, 17, 300])
    features = rng.normal(size=(counts.sum(), 2)) - 3.0
    network.run(pillars(features, np.repeat(np.arange(len(counts)) * 4, counts), np.arange(len(counts))))
    runs = np.split(features.astype(np.float32), np.cumsum(counts)[:-1])
    rows = parts[PILLAR_ROWS].given[0][PILLAR_ROWS]
    np.testing.assert_array_equal(rows[: len(counts), :2], [run.max(axis=0) for run in runs])


def test_few_sizes_are_run(network, parts):
    """Points in blocks, pillars filled up with the last one, which changes nothing."""
    count = POINT_BLOCK + 5
    features = np.arange(2 * count).reshape(count, 2)
    network.run(pillars(features, np.arange(count) * 4, np.arange(count)))
    assert [len(given["features"]) for given in parts["features"].given] == [POINT_BLOCK, POINT_BLOCK]
    rows, cells = parts[PILLAR_ROWS].given[0][PILLAR_ROWS], parts[PILLAR_ROWS].given[0]["cells"]
    assert len(rows) == len(cells) == POINT_BLOCK + PILLAR_STEP
    np.testing.assert_array_equal(rows[:count, :2], features)
    assert (rows[count:] == rows[count - 1]).all()
    assert (cells[count:] == cells[count - 1]).all()
