"""The last step of the 2D detectors."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.errors import ModelCardError
from vedette.models.cards import read_card
from vedette.models.grids import Grid
from vedette.models.image_objects import ImageObjects, ScoredCells

CAR, TRUCK, VAN, PERSON, CYCLIST = (
    int(c) for c in (ObjectClass.CAR, ObjectClass.TRUCK, ObjectClass.VAN, ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST)
)


def finish(write_card, rows, labels="vedette", size_px=(100, 80)):
    """Objects of (class, score, box) rows."""
    objects = ImageObjects(read_card(write_card(labels=labels)), 0.4)
    picked = ScoredCells(
        np.arange(len(rows)), np.array([r[0] for r in rows], np.int64), np.array([r[1] for r in rows], float)
    )
    result = objects.finish(picked, np.array([r[2] for r in rows], float).reshape(-1, 4), size_px)
    return [
        (int(c), float(s), b.tolist()) for c, s, b in zip(result.class_ids, result.scores, result.boxes_px, strict=True)
    ]


def test_picks_our_classes_above_the_threshold(write_card):
    """A toaster is none of ours; a cell that saw two classes comes twice; the threshold itself is in."""
    objects = ImageObjects(read_card(write_card(classes=["toaster", "car", "person"])), 0.5)
    scores = np.array([[0.9, 0.1, 0.2], [0.0, 0.5, 0.75], [0.0, 0.49, 0.0]], np.float32)
    picked = objects.pick(scores)
    assert picked.cells.tolist() == [1, 1]
    assert picked.class_ids.tolist() == [CAR, PERSON]
    assert picked.scores.tolist() == [0.5, 0.75]


def test_a_model_of_no_class_of_ours_is_refused(write_card):
    """Names in another spelling would be a detector that never finds anything."""
    with pytest.raises(
        ModelCardError, match=r"tiny@1: none of its classes \(Auto, CAR, \.\.\.\) is in the table 'coco'"
    ):
        ImageObjects(read_card(write_card(classes=["Auto", "CAR"])), 0.5)


def test_nothing_gives_nothing(write_card):
    """An empty image is not an error."""
    assert finish(write_card, []) == []


def test_one_vehicle_is_not_both_car_and_truck(write_card):
    """The better stays; a person in the same place is another object."""
    box = [10, 10, 50, 50]
    rows = [(CAR, 0.6, box), (TRUCK, 0.8, box), (PERSON, 0.7, box), (VAN, 0.5, box)]
    assert finish(write_card, rows) == [(TRUCK, 0.8, box), (PERSON, 0.7, box)]


@pytest.mark.parametrize(("shift", "count"), [(9, 1), (11, 2)])
def test_cars_in_a_row_stay_apart(write_card, shift, count):
    """Boxes 40 wide: shifted by 9 their IoU is 31/49 = 0.63, by 11 it is 29/51 = 0.57."""
    rows = [(CAR, 0.9, [0, 0, 40, 40]), (CAR, 0.8, [shift, 0, 40 + shift, 40])]
    assert len(finish(write_card, rows)) == count


def test_boxes_are_clipped_to_the_image_and_empty_ones_dropped(write_card):
    """One sticks out on all sides, one lies outside, one is thinner than a pixel."""
    rows = [(CAR, 0.9, [-5, -5, 105, 85]), (CAR, 0.8, [120, 0, 140, 20]), (CAR, 0.7, [10, 10, 10.5, 60])]
    assert finish(write_card, rows) == [(CAR, 0.9, [0, 0, 100, 80])]


def test_only_coco_has_riders_apart(write_card):
    """A cyclist of a model with a cyclist class is kept, a COCO bicycle without a person is not."""
    rows = [(CYCLIST, 0.9, [10, 10, 50, 50])]
    assert finish(write_card, rows, "vedette") == [(CYCLIST, 0.9, [10, 10, 50, 50])]
    assert finish(write_card, rows, "coco") == []


@pytest.mark.parametrize(
    ("width_px", "height_px", "strides", "count"),
    [(640, 384, (8, 16, 32, 64), 5100), (416, 416, (8, 16, 32), 3549), (20, 10, (8,), 6)],
)
def test_grids(width_px, height_px, strides, count):
    """The published models' numbers of rows; a side that is no multiple has one more cell."""
    assert len(Grid.of_strides(width_px, height_px, strides)) == count


def test_grids_are_row_major_and_in_order_of_strides():
    """Four cells of 8 pixels, then one of 16."""
    grid = Grid.of_strides(16, 16, (8, 16))
    assert grid.points_px.tolist() == [[0, 0], [8, 0], [0, 8], [8, 8], [0, 0]]
    assert grid.strides_px.tolist() == [8, 8, 8, 8, 16]
    assert grid.select(np.array([1, 4])).points_px.tolist() == [[8, 0], [0, 0]]
