"""Pictures of the world made to look otherwise: what changes, and what the network is still to say."""

from dataclasses import replace

import numpy as np
import pytest

from vedette.models.camera2d.training import randomised as module
from vedette.models.camera2d.training.augment import ModelSample
from vedette.models.camera2d.training.photographs import Photographs
from vedette.models.camera2d.training.randomised import empty, partly_hidden, put_behind, randomised
from vedette.models.camera2d.training.samples import CLASSES

CAR, PEDESTRIAN = (
    next(row for row, member in enumerate(CLASSES) if member.label == label) for label in ("car", "pedestrian")
)
HEIGHT, WIDTH = 64, 160
PHOTOGRAPHS = Photographs(
    None, [np.random.default_rng(seed).integers(0, 255, (90, 200, 3)).astype(np.uint8) for seed in range(3)], "", (), 0
)
SEEDS = range(40)


def scene(channel=CAR):
    """A grey sample with a darker object on the left and a lighter one on the right, and its owners."""
    pixels, owners = np.full((HEIGHT, WIDTH, 3), 128, np.uint8), np.full((HEIGHT, WIDTH), -1, np.int32)
    boxes = [(20, 10, 70, 54), (90, 20, 140, 60)]
    for row, (x1, y1, x2, y2) in enumerate(boxes):
        owners[y1:y2, x1:x2] = row
        pixels[y1:y2, x1:x2] = 60 + 60 * row
    arrays = (np.array(boxes, np.float64), np.array([channel, channel]), np.zeros(2, bool))
    return ModelSample(pixels, owners[::2, ::2].copy(), *arrays), owners


def test_objects_keep_their_pixels_where_photographs_go_behind_them():
    """Every one of them, up to the outline; elsewhere the photograph shows, but for a seam."""
    sample, owners = scene()
    photograph = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    mixed = put_behind(sample.pixels_bgr, owners, photograph, np.ones((HEIGHT, WIDTH), np.float32))
    np.testing.assert_array_equal(mixed[owners >= 0], sample.pixels_bgr[owners >= 0])
    assert (mixed[0] == 255).all()
    seam = (mixed[owners < 0] < 255).any(axis=1).mean()
    assert 0.0 < seam < 0.25
    nothing = put_behind(sample.pixels_bgr, owners, photograph, np.zeros((HEIGHT, WIDTH), np.float32))
    np.testing.assert_array_equal(nothing, sample.pixels_bgr)


@pytest.mark.parametrize("seed", SEEDS)
def test_owner_maps_follow_what_is_hidden(seed):
    """Where the map says that the object shows, its pixels are its own; where they were covered, nobody's."""
    sample, owners = scene()
    hidden = partly_hidden(np.random.default_rng(seed), sample, owners, PHOTOGRAPHS)
    shows = hidden.owners.repeat(2, axis=0).repeat(2, axis=1)
    kept = shows >= 0
    np.testing.assert_array_equal(hidden.pixels_bgr[kept], sample.pixels_bgr[kept])
    np.testing.assert_array_equal(shows[kept], owners[kept])
    covered = (owners >= 0) & ~kept
    unchanged = (hidden.pixels_bgr[covered] == sample.pixels_bgr[covered]).all(axis=1)
    assert unchanged.sum() <= 0.1 * covered.sum()
    np.testing.assert_array_equal(hidden.boxes_px, sample.boxes_px)


def test_what_is_hidden_nearly_whole_is_ignored(monkeypatch):
    """A quarter of its cells is enough to find it by, less is not."""
    sample, owners = scene()
    for columns, ignored in ((34, [False, False]), (35, [True, False])):
        part = (slice(0, 32), slice(0, columns - 6))
        monkeypatch.setattr(module, "_drawn_rectangle", lambda rng, shape, part=part: part)
        assert partly_hidden(np.random.default_rng(0), sample, owners, PHOTOGRAPHS).ignored.tolist() == ignored
    assert not sample.ignored.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_put_before_people(seed):
    """Their pixels and their cells stay."""
    sample, owners = scene(PEDESTRIAN)
    hidden = partly_hidden(np.random.default_rng(seed), sample, owners, PHOTOGRAPHS)
    np.testing.assert_array_equal(hidden.owners, sample.owners)
    np.testing.assert_array_equal(hidden.pixels_bgr[owners >= 0], sample.pixels_bgr[owners >= 0])
    assert not hidden.ignored.any()


def test_a_photograph_alone_has_nothing_to_find():
    """No boxes, and all cells are nobody's."""
    nothing = empty(np.random.default_rng(0), scene()[0], PHOTOGRAPHS)
    assert nothing.pixels_bgr.shape == (HEIGHT, WIDTH, 3)
    assert (nothing.owners == -1).all()
    assert nothing.owners.shape == (HEIGHT // 2, WIDTH // 2)
    assert [len(rows) for rows in (nothing.boxes_px, nothing.channels, nothing.ignored)] == [0, 0, 0]


def test_some_stay_as_they_are_and_some_are_photographs():
    """A seventh, and a twentieth of the others: of 600, between 60 and 120, and 10 and 45."""
    sample, owners = scene()
    made = [randomised(np.random.default_rng([7, seed]), sample, owners, PHOTOGRAPHS) for seed in range(600)]
    assert 60 < sum(one is sample for one in made) < 120
    assert 10 < sum(len(one.boxes_px) == 0 for one in made) < 45


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_gives_the_same_picture(seed):
    """In all its parts, and what it is made from stays."""
    (sample, owners), (untouched, _) = scene(), scene()
    one, two = (randomised(np.random.default_rng(seed), sample, owners, PHOTOGRAPHS) for _ in range(2))
    for name, value in vars(one).items():
        np.testing.assert_array_equal(value, getattr(two, name))
        np.testing.assert_array_equal(getattr(sample, name), getattr(untouched, name))


def test_people_change_less_than_vehicles():
    """The same pixels, by less than half as much; the background, which is nobody, by more."""
    changes = {}
    for channel in (CAR, PEDESTRIAN):
        sample, owners = scene(channel)
        made = [randomised(np.random.default_rng([3, seed]), sample, owners, PHOTOGRAPHS) for seed in range(300)]
        differences = [
            np.abs(one.pixels_bgr.astype(float) - sample.pixels_bgr).mean(axis=2) for one in made if len(one.boxes_px)
        ]
        changes[channel] = np.mean([difference[owners >= 0].mean() for difference in differences])
        assert np.mean([difference[owners < 0].mean() for difference in differences]) > changes[channel]
    assert 1.0 < changes[PEDESTRIAN] < 0.5 * changes[CAR]


def test_people_that_nobody_could_find_do_not_hold_a_picture_back():
    """They may be too small to be seen: then the whole is changed as if they were not there."""
    sample, owners = scene(PEDESTRIAN)
    ignored = replace(sample, ignored=np.ones(2, bool))
    nobody = np.full_like(owners, -1)

    def change(one):
        made = [randomised(np.random.default_rng([3, seed]), one, nobody, PHOTOGRAPHS) for seed in range(200)]
        return np.mean([np.abs(each.pixels_bgr.astype(float) - 128.0).mean() for each in made if len(each.boxes_px)])

    assert change(ignored) > change(sample)
