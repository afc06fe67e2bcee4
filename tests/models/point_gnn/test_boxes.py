"""Decoding and merging."""

import numpy as np
import pytest

from vedette.models.point_gnn.boxes import CameraBoxes, decode, merge

CAR = [2.0, 1.6, 20.0, 1.5, 1.63, 3.88, 0.3]


def test_decode_by_hand():
    """A car lying at the first keypoint, one standing at the second, the third unsure."""
    probabilities = np.array([[0.1, 0.8, 0.1, 0], [0, 0.2, 0.7, 0.1], [0.5, 0.25, 0.25, 0]], np.float32)
    encodings = np.zeros((3, 4, 7), np.float32)
    encodings[0, 1] = [1, 2, -1, np.log(2), 0, np.log(0.5), 1]
    keypoints = np.array([[10, 1, 30], [0, 0, 5], [0, 0, 0]], np.float32)
    found = decode(probabilities, encodings, keypoints)
    np.testing.assert_allclose(
        found.boxes_cam,
        [
            # 10 + 3.88, 1 + 2 x 1.5, 30 - 1.63; height, width / 2, length x 2; an eighth of a turn
            [13.88, 4.0, 28.37, 1.5, 0.815, 7.76, np.pi / 4],
            [0, 0, 5, 1.5, 1.63, 3.88, np.pi / 2],
        ],
        atol=1e-5,
    )
    np.testing.assert_allclose(found.scores, [0.8, 0.7], atol=1e-6)


def test_a_keypoint_may_say_both():
    """Then both are decoded, and merging decides."""
    found = decode(
        np.array([[0, 0.5, 0.5, 0]], np.float32), np.zeros((1, 4, 7), np.float32), np.zeros((1, 3), np.float32)
    )
    assert found.boxes_cam[:, 6].tolist() == [0.0, pytest.approx(np.pi / 2)]


def test_nothing_likely_decodes_and_merges_to_nothing():
    """Shapes are kept."""
    found = decode(np.zeros((2, 4), np.float32), np.zeros((2, 4, 7), np.float32), np.zeros((2, 3), np.float32))
    assert found.boxes_cam.shape == (0, 7)
    assert merge(found).boxes_cam.shape == (0, 7)
    assert merge(found).scores.shape == (0,)


def test_identical_boxes_merge_to_themselves_with_the_sum_of_scores():
    """IoU 1 each: 0.9 + 0.8 + 0.7."""
    found = merge(CameraBoxes(np.array([CAR] * 3), np.array([0.7, 0.9, 0.8])))
    np.testing.assert_allclose(found.boxes_cam, [CAR], atol=1e-12)
    np.testing.assert_allclose(found.scores, [2.4], atol=1e-9)


def test_two_boxes_are_noise_and_three_are_not():
    """The merged box is the median: one outlier moves nothing; its own weight is its IoU with the median.

    Shifted by half a length along its axis a box shares half: IoU 1/3.
    """
    flat = [0.0, 1.6, 20.0, 1.5, 1.63, 3.88, 0.0]
    shifted = [1.94, 1.6, 20.0, 1.5, 1.63, 3.88, 0.0]
    pair = [50.0, *CAR[1:]]
    found = merge(CameraBoxes(np.array([flat, flat, shifted, pair, pair]), np.ones(5)))
    np.testing.assert_allclose(found.boxes_cam, [flat], atol=1e-12)
    np.testing.assert_allclose(found.scores, [2 + 1 / 3], atol=1e-9)


def test_two_cars_apart_stay_two_best_first():
    """Four keypoints agree on the far one."""
    near, far = np.array(CAR), np.array([8.0, 1.6, 29.0, *CAR[3:]])
    found = merge(CameraBoxes(np.array([near] * 3 + [far] * 4), np.array([0.9] * 3 + [0.8] * 4)))
    np.testing.assert_allclose(found.boxes_cam, [far, near], atol=1e-12)
    np.testing.assert_allclose(found.scores, [3.2, 2.7], atol=1e-9)


@pytest.mark.parametrize(
    ("yaws", "expected"),
    [
        ([3.1, -3.1, 3.12], 3.12),  # across the turn: 3.1, 3.183, 3.12
        ([0.1, 0.2 - np.pi, 0.3], 0.2),  # one looks the other way; the likeliest says which way is ahead
        ([-np.pi, -np.pi, -np.pi], -np.pi),
    ],
)
def test_yaws_merge_as_axes(yaws, expected):
    """A plain median would turn the car aside."""
    boxes = np.array([[*CAR[:6], yaw] for yaw in yaws])
    found = merge(CameraBoxes(boxes, np.array([0.9, 0.8, 0.7])))
    assert found.boxes_cam[0, 6] == pytest.approx(expected)
