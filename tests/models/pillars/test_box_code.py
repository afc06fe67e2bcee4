"""Boxes as numbers of a cell, there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.geometry import wrap_pi
from vedette.models.pillars.box_code import MIRRORED_SIGNS, decode_boxes, encode_boxes
from vedette.models.pillars.grid import ANSWER_GRIDS, AnswerGrid

COARSE, FINE = AnswerGrid(2), AnswerGrid(1)


@pytest.mark.parametrize(("grid", "row", "column"), [(COARSE, 64, 15), (FINE, 128, 31)])
def test_a_usual_car_in_the_middle_of_a_cell(grid, row, column):
    """All numbers are 0 but the cosines; these cells have their middles at (9.92, 0.32) and (10.08, 0.16)."""
    x, y = {2: (9.92, 0.32), 1: (10.08, 0.16)}[grid.stride]
    code = encode_boxes(np.array([[x, y, -1.0, 3.9, 1.63, 1.53, 0.0]]), np.array([row * grid.columns + column]), grid)
    np.testing.assert_allclose(code, [[0, 0, 0, 0, 0, 0, 0, 1, 0, 1]], atol=1e-6)


def test_offsets_are_in_pillars_and_the_axis_yaw_is_doubled():
    """Half a pillar ahead, a whole one to the right, 30 degrees."""
    cells = np.array([64 * COARSE.columns + 15])
    code = encode_boxes(np.array([[10.08, 0.0, -0.5, 3.9, 1.63, 1.53, np.pi / 6]]), cells, COARSE)
    np.testing.assert_allclose(code[0, [0, 1, 2]], [0.5, -1.0, 0.5], atol=1e-5)
    np.testing.assert_allclose(code[0, 6:], [np.sin(np.pi / 3), 0.5, 0.5, np.cos(np.pi / 6)], atol=1e-6)


@given(
    x=st.floats(0, 71),
    y=st.floats(-40, 40),
    yaw=st.floats(-np.pi, np.pi, exclude_max=True),
    length=st.floats(0.5, 15),
    place=st.floats(0, 1, exclude_max=True),
    grid=st.sampled_from(ANSWER_GRIDS),
)
def test_what_was_told_is_what_comes_back(x, y, yaw, length, place, grid):
    """From whatever cell, of either grid; front and rear too."""
    box = np.array([[x, y, -0.7, length, 1.7, 1.6, yaw]])
    cells = np.array([int(place * grid.cells)])
    back = decode_boxes(encode_boxes(box, cells, grid), cells, grid)
    np.testing.assert_allclose(back[0, :6], box[0, :6], atol=2e-5, rtol=1e-5)
    assert abs(wrap_pi(back[0, 6] - yaw)) < 1e-5
    assert -np.pi <= back[0, 6] < np.pi


@pytest.mark.parametrize(
    ("heading_deg", "yaw_deg"),
    [
        pytest.param(20.0, 20.0, id="front where it is"),
        pytest.param(100.0, 20.0, id="80 degrees off: the axis is believed, the front is right"),
        pytest.param(-60.0, 20.0, id="as far off the other way"),
        pytest.param(120.0, -160.0, id="100 degrees off: the other way round, but never sideways"),
        pytest.param(-160.0, -160.0, id="rear ahead"),
    ],
)
def test_the_yaw_only_chooses_between_the_directions_of_the_axis(heading_deg, yaw_deg):
    """The axis says 20 degrees, or 200."""
    axis, heading = np.deg2rad(20.0), np.deg2rad(heading_deg)
    angles = [np.sin(2 * axis), np.cos(2 * axis), np.sin(heading), np.cos(heading)]
    boxes = decode_boxes(np.array([[0, 0, 0, 0, 0, 0, *angles]], np.float32), np.array([0]), FINE)
    assert np.rad2deg(boxes[0, 6]) == pytest.approx(yaw_deg, abs=1e-4)


@given(y=st.floats(-40, 40), yaw=st.floats(-3.1, 3.1), row=st.integers(0, 127))
def test_signs_turn_a_code_into_that_of_the_mirrored_scene(y, yaw, row):
    """Told from the mirrored cell, the box has the other y and the other yaw."""
    box = np.array([[9.0, y, -0.7, 4.0, 1.7, 1.6, yaw]])
    cells, across = np.array([row * COARSE.columns + 15]), np.array([(127 - row) * COARSE.columns + 15])
    mirrored = encode_boxes(box * [1, -1, 1, 1, 1, 1, -1], across, COARSE)
    np.testing.assert_allclose(mirrored, encode_boxes(box, cells, COARSE) * MIRRORED_SIGNS, atol=2e-5)


@pytest.mark.parametrize("size", [-1e4, 1e4])
def test_a_broken_size_stays_positive_and_finite(size):
    """A value is refused later on if it is not."""
    code = np.array([[0, 0, 0, size, size, size, 0, 1, 0, 1]], np.float32)
    boxes = decode_boxes(code, np.array([0]), COARSE)
    assert np.isfinite(boxes).all()
    assert (boxes[:, 3:6] > 0).all()
