"""The right answer, and that decoding it gives the boxes back."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.models.pillars.decode import decode
from vedette.models.pillars.grid import ANSWER_COLUMNS, ANSWER_ROWS
from vedette.models.pillars.training.targets import make_targets


def regression_map(targets):
    maps = np.zeros((8, ANSWER_ROWS * ANSWER_COLUMNS), np.float32)
    maps[:, targets.cells] = targets.code.T
    return maps.reshape(8, ANSWER_ROWS, ANSWER_COLUMNS)


def test_decoding_the_answer_gives_the_boxes_back(make_scene):
    """Also for cars that stand close, at the grid's edge, and the other way round: yaws up to half a turn."""
    cars = [(10.0, 2.0, 0.3), (10.0, 4.4, 0.3), (71.5, 40.9, -1.2), (0.2, -40.9, 0.0), (33.3, -7.7, 2.8)]
    sample = make_scene(cars)
    targets = make_targets(sample)
    found = decode(targets.heat[None], regression_map(targets))
    order = np.lexsort((found.boxes_velo[:, 1], found.boxes_velo[:, 0].round()))
    expected = sample.boxes_velo[np.lexsort((sample.boxes_velo[:, 1], sample.boxes_velo[:, 0].round()))]
    np.testing.assert_allclose(found.boxes_velo[order, :6], expected[:, :6], atol=1e-4)
    assert np.abs(np.sin(found.boxes_velo[order, 6] - expected[:, 6])).max() < 1e-5
    np.testing.assert_array_equal(found.scores, 1.0)


def test_a_box_is_told_by_nine_cells_that_agree(make_scene):
    """The centre counts more than its neighbours."""
    targets = make_targets(make_scene([(10.0, 2.0, 0.3)]))
    assert len(targets.cells) == 9
    assert sorted(targets.weights.tolist()) == pytest.approx([0.4] * 8 + [1.0])
    assert targets.cells[targets.weights == 1.0].tolist() == [67 * ANSWER_COLUMNS + 15]


@pytest.mark.parametrize(
    ("kind", "points", "peak", "asked"),
    [
        pytest.param(ObjectClass.CAR, 5, 1.0, True, id="a car with enough points is a car"),
        pytest.param(ObjectClass.CAR, 4, 0.0, False, id="with fewer, who knows"),
        pytest.param(ObjectClass.CAR, 0, 0.0, True, id="one that is not seen is nothing"),
        pytest.param(ObjectClass.VAN, 500, 0.0, False, id="a van may be taken for a car"),
        pytest.param(ObjectClass.TRUCK, 500, 0.0, True, id="a truck may not"),
        pytest.param(ObjectClass.PEDESTRIAN, 50, 0.0, True, id="nor a pedestrian"),
    ],
)
def test_who_is_a_car(make_scene, kind, points, peak, asked):
    """By class and by points."""
    targets = make_targets(make_scene([(10.0, 2.0, 0.3)], points_each=points, classes=[kind]))
    assert targets.heat.max() == peak
    assert targets.asked[67, 15] == asked
    assert len(targets.cells) == (9 if peak else 0)


def test_a_car_beside_a_van_is_asked_for_in_full(make_scene):
    """What is ignored of the van does not hide the car's slopes."""
    sample = make_scene([(10.0, 2.0, 0.0), (10.0, 4.2, 0.0)], classes=[ObjectClass.CAR, ObjectClass.VAN])
    targets = make_targets(sample)
    assert targets.asked[targets.heat > 0].all()
    assert not targets.asked.all()


def test_a_car_outside_the_grid_is_not_asked_for(make_scene):
    """Beyond each border."""
    targets = make_targets(make_scene([(-0.1, 0, 0), (71.7, 0, 0), (10, 41, 0), (10, -41, 0)]))
    assert targets.heat.max() == 0.0
    assert len(targets.cells) == 0
