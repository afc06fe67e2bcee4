"""Boxes as numbers of a cell, there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.models.pillars.box_code import decode_boxes, encode_boxes
from vedette.models.pillars.grid import ANSWER_COLUMNS


def test_a_usual_car_in_the_middle_of_a_cell():
    """All numbers are 0 but the cosine; cell 64 * 112 + 15 has its middle at (9.92, 0.32)."""
    cells = np.array([64 * ANSWER_COLUMNS + 15])
    code = encode_boxes(np.array([[9.92, 0.32, -1.0, 3.9, 1.63, 1.53, 0.0]]), cells)
    np.testing.assert_allclose(code, [[0, 0, 0, 0, 0, 0, 0, 1]], atol=1e-6)


def test_offsets_are_in_cells_and_the_yaw_is_doubled():
    """A quarter cell ahead, half a cell to the right, 30 degrees."""
    cells = np.array([64 * ANSWER_COLUMNS + 15])
    code = encode_boxes(np.array([[10.08, 0.0, -0.5, 3.9, 1.63, 1.53, np.pi / 6]]), cells)
    np.testing.assert_allclose(code[0, [0, 1, 2]], [0.25, -0.5, 0.5], atol=1e-5)
    np.testing.assert_allclose(code[0, 6:], [np.sin(np.pi / 3), 0.5], atol=1e-6)


@given(
    x=st.floats(0, 71),
    y=st.floats(-40, 40),
    yaw=st.floats(-3.1, 3.1),
    length=st.floats(0.5, 15),
    cell=st.integers(0, 128 * 112 - 1),
)
def test_what_was_told_is_what_comes_back(x, y, yaw, length, cell):
    """From whatever cell; the yaw up to half a turn."""
    box = np.array([[x, y, -0.7, length, 1.7, 1.6, yaw]])
    back = decode_boxes(encode_boxes(box, np.array([cell])), np.array([cell]))
    np.testing.assert_allclose(back[0, :6], box[0, :6], atol=2e-5, rtol=1e-5)
    assert abs(np.sin(back[0, 6] - yaw)) < 1e-5
    assert -np.pi / 2 <= back[0, 6] < np.pi / 2


@pytest.mark.parametrize("size", [-1e4, 1e4])
def test_a_broken_size_stays_positive_and_finite(size):
    """A value is refused later on if it is not."""
    code = np.array([[0, 0, 0, size, size, size, 0, 1]], np.float32)
    boxes = decode_boxes(code, np.array([0]))
    assert np.isfinite(boxes).all()
    assert (boxes[:, 3:6] > 0).all()
