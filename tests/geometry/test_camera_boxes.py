"""KITTI's camera boxes: headings by hand, corners by the development kit's formula, an exact round trip."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from vedette.geometry import SE3, boxes_cam_from_velo, boxes_velo_from_cam, corners

LEVEL = SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.array([0.0, -0.1, -0.3]))


def kitti_corners(box: np.ndarray) -> np.ndarray:
    """The eight corners in the camera frame as KITTI's computeBox3D.m has them, in the order of `corners`."""
    height, width, length, rotation_y = box[3:]
    along = np.array([1, -1, -1, 1, 1, -1, -1, 1]) * length / 2
    across = np.array([1, 1, -1, -1, 1, 1, -1, -1]) * width / 2
    up = np.array([0, 0, 0, 0, -1, -1, -1, -1]) * height
    cos, sin = np.cos(rotation_y), np.sin(rotation_y)
    turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    return (turn @ np.array([along, up, across])).T + box[:3]


@pytest.mark.parametrize(
    ("rotation_y", "yaw"),
    [(-np.pi / 2, 0.0), (0.0, -np.pi / 2), (np.pi / 2, -np.pi), (np.pi, np.pi / 2), (-0.25, 0.25 - np.pi / 2)],
)
def test_headings_by_hand(rotation_y: float, yaw: float) -> None:
    """Driving ahead is rotation_y of -pi/2 in KITTI and yaw 0 here; to the right is 0 and -pi/2."""
    box = boxes_velo_from_cam(LEVEL, [[1.0, 2.0, 10.0, 1.5, 1.6, 4.0, rotation_y]])[0]
    np.testing.assert_allclose(box, [10.3, -1.0, -1.35, 4.0, 1.6, 1.5, yaw], atol=1e-12)


@given(st.floats(-4, 4))
def test_same_corners_as_kitti(rotation_y: float) -> None:
    """Through a level camera the same eight corners come out, in the same order."""
    box_cam = np.array([3.0, 1.7, 20.0, 1.5, 1.6, 4.0, rotation_y])
    ours = LEVEL.transform_points(corners(boxes_velo_from_cam(LEVEL, box_cam[None]))[0])
    np.testing.assert_allclose(ours, kitti_corners(box_cam), atol=1e-9)


@given(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2), st.integers(0, 2**32 - 1))
def test_round_trip_is_exact(roll: float, pitch: float, turn: float, seed: int) -> None:
    """Also through a tilted camera, from either side, a box comes back to 1e-9."""
    tilted = SE3(Rotation.from_rotvec([roll, pitch, turn]).as_matrix(), np.zeros(3)).compose(LEVEL)
    rng = np.random.default_rng(seed)
    boxes = np.column_stack([rng.uniform(-80, 80, (5, 3)), rng.uniform(0.5, 9, (5, 3)), rng.uniform(-np.pi, np.pi, 5)])
    there_and_back = boxes_cam_from_velo(tilted, boxes_velo_from_cam(tilted, boxes))
    back_and_there = boxes_velo_from_cam(tilted, boxes_cam_from_velo(tilted, boxes))
    for result in (there_and_back, back_and_there):
        np.testing.assert_allclose(result[:, :6], boxes[:, :6], atol=1e-9)
        np.testing.assert_allclose(np.sin(result[:, 6] - boxes[:, 6]), 0.0, atol=1e-9)
        np.testing.assert_allclose(np.cos(result[:, 6] - boxes[:, 6]), 1.0, atol=1e-9)


def test_heading_is_that_of_the_vector_carried_over() -> None:
    """With the camera pitched, the yaw is that of the rotated length axis seen from above."""
    tilted = SE3(Rotation.from_rotvec([0.1, 0.0, 0.05]).as_matrix(), np.zeros(3)).compose(LEVEL)
    rotation_y = 0.7
    axis = tilted.inverse().rotate_vectors([np.cos(rotation_y), 0.0, -np.sin(rotation_y)])
    box = boxes_velo_from_cam(tilted, [[0, 0, 10, 1.5, 1.6, 4.0, rotation_y]])[0]
    assert box[6] == pytest.approx(np.arctan2(axis[1], axis[0]))


def test_no_boxes_and_bad_boxes() -> None:
    """An empty table passes; another shape and a camera that looks up are named."""
    up = SE3(np.eye(3), np.zeros(3))
    for function in (boxes_velo_from_cam, boxes_cam_from_velo):
        assert function(LEVEL, np.zeros((0, 7))).shape == (0, 7)
        with pytest.raises(ValueError, match="boxes: expected shape"):
            function(LEVEL, np.zeros((1, 8)))
        with pytest.raises(ValueError, match="looks along the ground"):
            function(up, np.ones((1, 7)))
