"""Which cell answers for which object."""

import numpy as np
import pytest

pytest.importorskip("torch")

from vedette.models.camera2d.decode import STRIDES_PX, cell_centres, decode_boxes, encode_boxes
from vedette.models.camera2d.training.augment import ModelSample
from vedette.models.camera2d.training.targets import assign, batch_of
from vedette.models.grids import Grid

GRID = Grid.of_strides(256, 128, STRIDES_PX)


def sample_of(boxes, shown=None, ignored=None):
    """Objects that fill their boxes, later ones over earlier ones; `shown` are the parts that are seen instead."""
    owners = np.full((64, 128), -1, np.int32)
    for row, (x1, y1, x2, y2) in enumerate(shown or boxes):
        owners[y1 // 2 : y2 // 2, x1 // 2 : x2 // 2] = row
    pixels = np.zeros((128, 256, 3), np.uint8)
    flags = np.zeros(len(boxes), bool) if ignored is None else np.array(ignored)
    return ModelSample(pixels, owners, np.array(boxes, np.float64), np.zeros(len(boxes), np.int64), flags)


def cells_of(targets, row):
    """Stride and centre of the cells that answer for an object."""
    cells = np.flatnonzero(targets.objects == row)
    return GRID.strides_px[cells], cell_centres(GRID)[cells]


def test_a_small_object_is_seen_on_the_fine_grid():
    """At the 3x3 cells of 8 pixels around its middle (52, 44)."""
    strides, centres = cells_of(assign(sample_of([(40, 32, 64, 56)]), GRID), 0)
    assert strides.tolist() == [8.0] * 9
    np.testing.assert_allclose(centres.mean(axis=0), [52, 44])


def test_a_large_object_is_seen_on_the_coarse_grid():
    """Its longer side is 160 pixels."""
    strides, _ = cells_of(assign(sample_of([(40, 16, 200, 112)]), GRID), 0)
    assert set(strides.tolist()) == {16.0}


def test_one_between_is_seen_on_both():
    """80 pixels."""
    strides, _ = cells_of(assign(sample_of([(40, 16, 120, 60)]), GRID), 0)
    assert set(strides.tolist()) == {8.0, 16.0}


def test_a_hidden_object_is_seen_where_it_shows():
    """Its box reaches from 40 to 100, but only the part from 84 on is seen."""
    sample = sample_of([(40, 32, 100, 64), (30, 30, 84, 70)], shown=[(84, 32, 100, 64), (30, 30, 84, 70)])
    _, centres = cells_of(assign(sample, GRID), 0)
    assert len(centres) > 0
    assert (np.abs(centres[:, 0] - 92) < 12).all()


def test_a_cell_that_two_want_goes_to_the_one_that_it_shows():
    """A small object before the middle of a larger one takes the cells on it; the larger keeps others."""
    sample = sample_of([(40, 24, 100, 72), (64, 42, 76, 54)])
    targets = assign(sample, GRID)
    at_middle = np.flatnonzero((GRID.strides_px == 8) & (np.abs(cell_centres(GRID) - [68, 44]) < 1).all(axis=1))
    assert targets.objects[at_middle].tolist() == [1]
    assert len(cells_of(targets, 0)[0]) > 0


def test_cells_of_an_ignored_object_count_for_nothing_unless_they_answer_for_another():
    """The ignored box holds the other object."""
    sample = sample_of([(32, 32, 96, 96), (56, 56, 72, 72)], ignored=[True, False])
    targets = assign(sample, GRID)
    centres = cell_centres(GRID)
    inside = ((centres >= 32) & (centres <= 96)).all(axis=1)
    assert not (targets.objects == 0).any()
    assert targets.counts[~inside].all()
    np.testing.assert_array_equal(targets.counts[inside], targets.objects[inside] == 1)


def test_what_cells_should_say_decodes_to_the_object():
    """The round trip from targets to boxes, for every cell whose centre is in the box."""
    sample = sample_of([(40, 32, 64, 56), (100, 16, 250, 112)])
    targets = assign(sample, GRID)
    cells = np.flatnonzero(targets.objects >= 0)
    boxes = sample.boxes_px[targets.objects[cells]]
    grid = GRID.select(cells)
    np.testing.assert_allclose(decode_boxes(grid, encode_boxes(grid, boxes)), boxes, atol=1e-4)


def test_objects_of_a_batch_are_numbered_through():
    """The second sample's only object is the third of the batch."""
    batch = batch_of([sample_of([(8, 8, 40, 40), (60, 60, 90, 90)]), sample_of([(8, 8, 40, 40)])], GRID)
    assert set(np.unique(batch.objects[0])) == {-1, 0, 1}
    assert set(np.unique(batch.objects[1])) == {-1, 2}
    assert set(np.unique(batch.owners[1])) == {-1, 2}
    assert batch.boxes_px.shape == (3, 4)


def test_a_picture_without_objects():
    """All cells are judged, none answers."""
    empty = ModelSample(
        np.zeros((128, 256, 3), np.uint8),
        np.full((64, 128), -1, np.int32),
        np.zeros((0, 4)),
        np.zeros(0, np.int64),
        np.zeros(0, bool),
    )
    targets = assign(empty, GRID)
    assert (targets.objects == -1).all()
    assert targets.counts.all()
