"""Rigid motions: known ones by hand, group laws by property, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from vedette.geometry import SE3

coordinate = st.floats(-100, 100)


@st.composite
def motions(draw: st.DrawFn) -> SE3:
    """Any rigid motion within 100 m."""
    vector = [draw(st.floats(-3, 3)) for _ in range(3)]
    return SE3(Rotation.from_rotvec(vector).as_matrix(), np.array([draw(coordinate) for _ in range(3)]))


def test_from_yaw_turns_then_shifts() -> None:
    """A quarter turn takes x to y before the shift."""
    motion = SE3.from_yaw(np.pi / 2, (10.0, 20.0, 30.0))
    np.testing.assert_allclose(motion.transform_points([1.0, 0.0, 0.0]), [10.0, 21.0, 30.0], atol=1e-12)
    np.testing.assert_allclose(motion.rotate_vectors([[1.0, 0.0, 0.0]]), [[0.0, 1.0, 0.0]], atol=1e-12)
    assert motion.yaw == pytest.approx(np.pi / 2)


@pytest.mark.parametrize("size", [(4, 4), (3, 4), (3, 3)])
def test_from_matrix_takes_three_forms(size: tuple[int, int]) -> None:
    """Homogeneous, without its last row, and a rotation alone."""
    full = np.eye(4)
    full[:3, 3] = [1.0, 2.0, 3.0]
    motion = SE3.from_matrix(full[: size[0], : size[1]])
    np.testing.assert_array_equal(motion.translation, [1.0, 2.0, 3.0] if size[1] == 4 else [0.0, 0.0, 0.0])


@given(motions(), motions(), st.tuples(coordinate, coordinate, coordinate))
def test_compose_is_one_after_the_other(a: SE3, b: SE3, point: tuple[float, float, float]) -> None:
    """Composition, matrix product and doing both agree."""
    both = a.compose(b)
    expected = a.transform_points(b.transform_points(point))
    np.testing.assert_allclose(both.transform_points(point), expected, atol=1e-9)
    np.testing.assert_allclose((a.matrix @ b.matrix @ [*point, 1.0])[:3], expected, atol=1e-9)


@given(motions())
def test_inverse_undoes(motion: SE3) -> None:
    """There and back is the identity, from both sides."""
    for loop in (motion.compose(motion.inverse()), motion.inverse().compose(motion)):
        np.testing.assert_allclose(loop.matrix, SE3.identity().matrix, atol=1e-10)


def test_inverse_of_rounded_rotation_is_exact() -> None:
    """A calibration rounded to four digits still leads back to the same point."""
    rotation = np.round(Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix(), 5)
    motion = SE3(rotation, np.array([1.0, 2.0, 3.0]))
    point = np.array([70.0, -40.0, 2.0])
    np.testing.assert_allclose(motion.inverse().transform_points(motion.transform_points(point)), point, atol=1e-12)


def test_keeps_shapes_and_takes_float32() -> None:
    """Any leading shape passes, empty too, and float32 is computed in float64."""
    motion = SE3.from_yaw(0.3, (1.0, 2.0, 3.0))
    assert motion.transform_points(np.zeros((0, 3))).shape == (0, 3)
    moved = motion.transform_points(np.ones((2, 5, 3), dtype=np.float32))
    assert moved.shape == (2, 5, 3)
    assert moved.dtype == np.float64


def test_values_cannot_change() -> None:
    """Neither the arrays given nor those held alter a motion afterwards."""
    rotation = np.eye(3)
    motion = SE3(rotation, np.zeros(3))
    rotation[0, 0] = 5.0
    assert motion.rotation[0, 0] == 1.0
    for array in (motion.rotation, motion.translation, motion.matrix):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


@pytest.mark.parametrize(
    ("rotation", "translation", "words"),
    [
        (np.eye(4), np.zeros(3), "rotation: expected shape"),
        (np.eye(3), np.zeros(4), "translation: expected shape"),
        (np.full((3, 3), np.nan), np.zeros(3), "finite"),
        (np.eye(3), np.array([0.0, np.inf, 0.0]), "finite"),
        (np.eye(3) * 1.001, np.zeros(3), "R @ R.T"),
        (np.diag([1.0, 1.0, -1.0]), np.zeros(3), "reflection"),
        (np.diag([1.0, 1.0, 1e308]), np.zeros(3), "R @ R.T"),
        (np.eye(3), np.array([0.0, 1e10, 0.0]), "at most 1e.09 m"),
    ],
)
def test_refuses_what_is_no_rigid_motion(rotation: np.ndarray, translation: np.ndarray, words: str) -> None:
    """The message names the condition that failed."""
    with pytest.raises(ValueError, match=words):
        SE3(rotation, translation)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [(np.eye(2), "expected shape"), (np.diag([1.0, 1.0, 1.0, 2.0]), "last row"), (np.ones(16), "shape")],
)
def test_from_matrix_refuses(matrix: np.ndarray, words: str) -> None:
    """A matrix of another form is named."""
    with pytest.raises(ValueError, match=words):
        SE3.from_matrix(matrix)


@pytest.mark.parametrize("points", [1.0, np.zeros((4, 2)), np.zeros((3, 4))])
def test_refuses_points_of_another_shape(points: np.ndarray) -> None:
    """Points have three coordinates."""
    with pytest.raises(ValueError, match="points of shape"):
        SE3.identity().transform_points(points)
