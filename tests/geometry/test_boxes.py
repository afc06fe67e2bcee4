"""Boxes: corners by hand, sizes, membership against an independent test, motion."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from vedette.geometry import SE3, bev_area, bev_corners, corners, points_in_boxes, transform_boxes, volume, wrap_pi

BOX = np.array([10.0, 5.0, 1.0, 4.0, 2.0, 1.5, 0.0])


def turned(yaw: float) -> np.ndarray:
    """The example box at another heading."""
    return np.array([[*BOX[:6], yaw]])


def test_corners_in_the_order_drawn() -> None:
    """Bottom from front left, counter-clockwise, then the top likewise."""
    expected_bev = [[12, 6], [8, 6], [8, 4], [12, 4]]
    np.testing.assert_allclose(bev_corners(turned(0.0))[0], expected_bev)
    box_corners = corners(turned(0.0))[0]
    np.testing.assert_allclose(box_corners[:4], [[x, y, 0.25] for x, y in expected_bev])
    np.testing.assert_allclose(box_corners[4:], [[x, y, 1.75] for x, y in expected_bev])


def test_corners_turn_counter_clockwise() -> None:
    """At a quarter turn the front looks to +y and its left to -x."""
    np.testing.assert_allclose(bev_corners(turned(np.pi / 2))[0], [[9, 7], [9, 3], [11, 3], [11, 7]], atol=1e-12)


@given(st.floats(-10, 10))
def test_outline_is_counter_clockwise_with_the_right_area(yaw: float) -> None:
    """The outline winds one way at every heading and encloses length times width."""
    ring = shapely.LinearRing(bev_corners(turned(yaw))[0])
    assert ring.is_ccw
    assert shapely.Polygon(ring).area == pytest.approx(8.0)


def test_sizes() -> None:
    """Area and volume are products of the sizes, 0 for empty boxes, negative sizes included."""
    boxes = np.concatenate([turned(1.0), [[0, 0, 0, -1, -1, -1, 0], [0, 0, 0, 0, 1, 1, 0]]])
    np.testing.assert_allclose(bev_area(boxes), [8.0, 0.0, 0.0])
    np.testing.assert_allclose(volume(boxes), [12.0, 0.0, 0.0])


def test_points_on_faces_are_inside() -> None:
    """Faces, edges and corners belong to the box; what is past them does not, nor does NaN."""
    points = np.array(
        [[10, 5, 1], [12, 6, 1.75], [8, 4, 0.25], [12.001, 5, 1], [10, 6.001, 1], [10, 5, 0.249], [np.nan, 5, 1]]
    )
    np.testing.assert_array_equal(points_in_boxes(points, turned(0.0))[0], [1, 1, 1, 0, 0, 0, 0])


def test_empty_box_holds_nothing() -> None:
    """A box without a size holds not even its centre."""
    boxes = np.array([[0, 0, 0, 0, 1, 1, 0], [0, 0, 0, 1, 1, -1, 0]])
    assert not points_in_boxes(np.zeros((1, 3)), boxes).any()


@given(st.integers(0, 2**32 - 1))
def test_points_inside_match_the_box_frame(seed: int) -> None:
    """Membership is that of the point in the box's own frame, whatever the heading, dtype and further columns."""
    rng = np.random.default_rng(seed)
    boxes = np.column_stack([rng.uniform(-5, 5, (4, 3)), rng.uniform(0.5, 6, (4, 3)), rng.uniform(-7, 7, 4)])
    points = rng.uniform(-8, 8, (300, 4)).astype(np.float32)
    for box, inside in zip(boxes, points_in_boxes(points, boxes), strict=True):
        local = SE3.from_yaw(box[6], box[:3]).inverse().transform_points(points[:, :3])
        np.testing.assert_array_equal(inside, (np.abs(local) <= box[3:6] / 2).all(axis=1))


@pytest.mark.parametrize(("boxes", "points"), [((0, 7), (5, 3)), ((2, 7), (0, 4)), ((0, 7), (0, 3))])
def test_nothing_to_test_gives_an_empty_table(boxes: tuple[int, int], points: tuple[int, int]) -> None:
    """No boxes or no points: an empty table of the right shape."""
    assert points_in_boxes(np.zeros(points), np.zeros(boxes)).shape == (boxes[0], points[0])


def test_transform_moves_centre_and_heading() -> None:
    """A quarter turn and a shift, by hand, the input untouched."""
    boxes = turned(3.0)
    moved = transform_boxes(SE3.from_yaw(np.pi / 2, (1.0, 2.0, 3.0)), boxes)
    np.testing.assert_allclose(moved, [[-4, 12, 4, 4, 2, 1.5, 3.0 + np.pi / 2 - 2 * np.pi]], atol=1e-12)
    np.testing.assert_array_equal(boxes, turned(3.0))


@given(st.floats(-7, 7), st.floats(-7, 7))
def test_transform_moves_corners_with_the_box(yaw: float, turn: float) -> None:
    """For a level motion, moving the box and moving its corners is the same; there and back too."""
    motion = SE3.from_yaw(turn, (3.0, -2.0, 0.5))
    boxes = turned(yaw)
    moved = transform_boxes(motion, boxes)
    np.testing.assert_allclose(corners(moved), motion.transform_points(corners(boxes)), atol=1e-9)
    back = transform_boxes(motion.inverse(), moved)
    np.testing.assert_allclose(back[:, :6], boxes[:, :6], atol=1e-9)
    assert abs(np.sin(back[0, 6] - yaw)) < 1e-9
    assert -np.pi <= moved[0, 6] < np.pi
    assert moved[0, 6] == wrap_pi(moved[0, 6])


@pytest.mark.parametrize(
    ("boxes", "words"),
    [
        (np.zeros(7), r"\(N, 7\)"),
        (np.zeros((2, 6)), r"\(N, 7\)"),
        ([], r"\(N, 7\)"),
        (np.full((2, 7), np.nan), "row 0"),
    ],
)
def test_refuses_bad_boxes(boxes: np.ndarray, words: str) -> None:
    """Another shape or NaN is named."""
    for function in (corners, bev_corners, bev_area, volume):
        with pytest.raises(ValueError, match=words):
            function(boxes)


@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((4, 2))])
def test_refuses_bad_points(points: np.ndarray) -> None:
    """Points need three columns."""
    with pytest.raises(ValueError, match="points"):
        points_in_boxes(points, turned(0.0))
