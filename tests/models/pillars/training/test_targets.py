"""The right answer, and that decoding it gives the boxes back."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.models.pillars.decode import decode
from vedette.models.pillars.grid import ANSWER_GRIDS, AnswerGrid
from vedette.models.pillars.training.targets import CHANNELS, NO_CHANNEL, channels_of, make_targets

COARSE, FINE = AnswerGrid(2), AnswerGrid(1)
CELL = (67, 15)
"""Row and column of (10, 2) in the coarse grid."""
RIVALS = np.array([0, 0, 1, 1])


def regression_map(targets, grid):
    maps = np.zeros((10, grid.cells), np.float32)
    centres_last = np.argsort(targets.weights, kind="stable")
    maps[:, targets.cells[centres_last]] = targets.code[centres_last].T
    return maps.reshape(10, grid.rows, grid.columns)


@pytest.mark.parametrize("grid", ANSWER_GRIDS)
def test_decoding_the_answer_gives_the_boxes_back(make_scene, grid):
    """Also for cars that stand close, at the grid's edge, and the other way round."""
    cars = [(10.0, 2.0, 0.3), (10.0, 4.4, 0.3), (71.5, 40.9, -1.2), (0.2, -40.9, 0.0), (33.3, -7.7, 2.8)]
    sample = make_scene(cars)
    targets = make_targets(sample, grid)
    found = decode(targets.heat, regression_map(targets, grid), RIVALS)
    order = np.lexsort((found.boxes_velo[:, 1], found.boxes_velo[:, 0].round()))
    expected = sample.boxes_velo[np.lexsort((sample.boxes_velo[:, 1], sample.boxes_velo[:, 0].round()))]
    np.testing.assert_allclose(found.boxes_velo[order], expected, atol=1e-4)
    np.testing.assert_array_equal(found.scores, 1.0)


def test_a_box_is_told_by_nine_cells_that_agree(make_scene):
    """The centre counts more than its neighbours; each says which box it tells."""
    sample = make_scene([(10.0, 2.0, 0.3)])
    targets = make_targets(sample, COARSE)
    assert len(targets.cells) == 9
    assert sorted(targets.weights.tolist()) == pytest.approx([0.4] * 8 + [1.0])
    assert targets.cells[targets.weights == 1.0].tolist() == [CELL[0] * COARSE.columns + CELL[1]]
    np.testing.assert_array_equal(targets.boxes_velo, np.repeat(sample.boxes_velo, 9, axis=0))


@pytest.mark.parametrize(("x", "y", "count"), [(0.1, -40.9, 4), (0.1, 0.1, 6), (71.6, 40.9, 4)])
def test_at_the_edge_of_the_grid_fewer_cells_tell_the_box(make_scene, x, y, count):
    """In a corner four, at a side six."""
    targets = make_targets(make_scene([(x, y, 0.0)]), COARSE)
    assert len(targets.cells) == count
    assert ((targets.cells >= 0) & (targets.cells < COARSE.cells)).all()


@pytest.mark.parametrize(
    ("kind", "channel"),
    [
        (ObjectClass.CAR, "Car"),
        (ObjectClass.VAN, "Van"),
        (ObjectClass.TRUCK, "Van"),
        (ObjectClass.BUS, "Van"),
        (ObjectClass.PEDESTRIAN, "Pedestrian"),
        (ObjectClass.CYCLIST, "Cyclist"),
    ],
)
def test_each_class_has_its_map(make_scene, kind, channel):
    """Heat 1 at the centre on it, none on the others; asked for everywhere."""
    targets = make_targets(make_scene([(10.0, 2.0, 0.3)], classes=[kind]), COARSE)
    row = CHANNELS.index(channel)
    assert targets.heat[row][CELL] == 1.0
    assert np.delete(targets.heat, row, axis=0).max() == 0.0
    assert targets.asked.all()
    assert channels_of(np.array([int(kind)])).tolist() == [row]


@pytest.mark.parametrize("kind", [ObjectClass.MOTORCYCLE, ObjectClass.OTHER])
def test_of_what_is_none_of_the_classes_nobody_asks(make_scene, kind):
    """On any map, within a metre and a half; farther off everything is asked for."""
    targets = make_targets(make_scene([(10.0, 2.0, 0.3)], classes=[kind]), COARSE)
    assert targets.heat.max() == 0.0
    assert len(targets.cells) == 0
    assert not targets.asked[:, CELL[0] - 2 : CELL[0] + 3, CELL[1] - 2 : CELL[1] + 3].any()
    assert np.count_nonzero(~targets.asked) == len(CHANNELS) * 25
    assert channels_of(np.array([int(kind)])).tolist() == [NO_CHANNEL]


@pytest.mark.parametrize(
    ("points", "peak", "asked"),
    [
        pytest.param(5, 1.0, True, id="with enough points it is one"),
        pytest.param(4, 0.0, False, id="with fewer, who knows"),
        pytest.param(0, 0.0, True, id="one that is not seen is nothing"),
    ],
)
def test_a_cyclist_by_its_points(make_scene, points, peak, asked):
    """Where it is doubtful, only the cyclists' map is not asked: a car it is not."""
    targets = make_targets(make_scene([(10.0, 2.0, 0.3)], points_each=points, classes=[ObjectClass.CYCLIST]), COARSE)
    assert targets.heat[3].max() == peak
    assert targets.asked[3][CELL] == asked
    assert targets.asked[:3].all()
    assert len(targets.cells) == (9 if peak else 0)


@pytest.mark.parametrize("grid", ANSWER_GRIDS)
def test_heat_falls_off_with_the_distance_in_metres(make_scene, grid):
    """exp(-d^2 / 2 sigma^2) with sigma 0.58 m for a car and 0.45 m for a pedestrian, on either grid."""
    for kind, sigma_m in ((ObjectClass.CAR, 0.58), (ObjectClass.PEDESTRIAN, 0.45)):
        targets = make_targets(make_scene([(10.0, 2.0, 0.0)], classes=[kind]), grid)
        heat = targets.heat.max(axis=0)
        row, column = int((2.0 + 40.96) / grid.cell_m), int(10.0 / grid.cell_m) + 1
        off_m = np.hypot((column + 0.5) * grid.cell_m - 10.0, (row + 0.5) * grid.cell_m - 40.96 - 2.0)
        assert heat[row, column] == pytest.approx(np.exp(-(off_m**2) / (2 * sigma_m**2)), rel=1e-4)


def test_what_is_asked_of_an_object_is_not_hidden_by_another(make_scene):
    """A car beside something of no class: its slopes are asked for."""
    sample = make_scene([(10.0, 2.0, 0.0), (10.0, 4.2, 0.0)], classes=[ObjectClass.CAR, ObjectClass.OTHER])
    targets = make_targets(sample, COARSE)
    assert targets.asked[targets.heat > 0].all()
    assert not targets.asked.all()


def test_a_car_outside_the_grid_is_not_asked_for(make_scene):
    """Beyond each border."""
    targets = make_targets(make_scene([(-0.1, 0, 0), (71.7, 0, 0), (10, 41, 0), (10, -41, 0)]), COARSE)
    assert targets.heat.max() == 0.0
    assert len(targets.cells) == 0
