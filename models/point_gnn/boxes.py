"""From what the network says at each keypoint to objects: decoding, and merging boxes of one car.

Source: WeijingShi/Point-GNN, `models/box_encoding.py` (`classaware_all_class_box_decoding`) and `models/nms.py`
(`nms_boxes_3d_uncertainty`). Boxes here are KITTI's camera boxes ``[x, y, z, height, width, length, rotation_y]``,
bottom centre, rectified camera frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, iou_3d, wrap_half_pi, wrap_pi

MIN_PROBABILITY: Final = 0.25
"""Of a class at a keypoint; below it is not decoded."""
MIN_MERGED: Final = 3
"""Keypoints that must agree on an object; fewer are noise."""
_MERGE_IOU: Final = 0.01  # boxes that overlap at all
_MEDIAN_LENGTH_M: Final = 3.88
_MEDIAN_HEIGHT_M: Final = 1.5
_MEDIAN_WIDTH_M: Final = 1.63
_MEDIAN_YAW_RAD: Final = np.pi / 4
_CLASSES: Final = (1, 2)  # a car lying along x, and one standing across it
_CLASS_YAW_RAD: Final = np.array([0.0, 0.0, np.pi / 2])
_MAX_LOG_SIZE: Final = 3.0  # e^3 cars long; keeps exp finite on a broken output


@dataclass(frozen=True)
class CameraBoxes:
    """Scored boxes in KITTI's form.

    Args:
        boxes_cam: ``(N,7) float64`` x, y, z, height, width, length (m), rotation_y (rad), bottom centre.
        scores: ``(N,) float64`` probabilities of single boxes, or sums of them after merging.
    """

    boxes_cam: NDArrayFloat
    scores: NDArrayFloat


def decode(probabilities: NDArrayFloat32, encodings: NDArrayFloat32, keypoints_cam_m: NDArrayFloat32) -> CameraBoxes:
    """One box for every keypoint and class that is likely enough.

    Args:
        probabilities: ``(K,4) float32`` background, car lying, car standing, don't care.
        encodings: ``(K,4,7) float32`` for each class x, y, z offset in median sizes, logarithms of length, height and
            width in median sizes, yaw in eighths of a turn.
        keypoints_cam_m: ``(K,3) float32`` rectified camera frame.
    """
    rows, columns = np.nonzero(probabilities[:, _CLASSES] > MIN_PROBABILITY)
    classes = columns + _CLASSES[0]
    code = encodings[rows, classes].astype(np.float64)
    size = np.exp(np.minimum(code[:, 3:6], _MAX_LOG_SIZE)) * (_MEDIAN_LENGTH_M, _MEDIAN_HEIGHT_M, _MEDIAN_WIDTH_M)
    centre = code[:, :3] * (_MEDIAN_LENGTH_M, _MEDIAN_HEIGHT_M, _MEDIAN_WIDTH_M) + keypoints_cam_m[rows]
    yaw = wrap_pi(code[:, 6] * _MEDIAN_YAW_RAD + _CLASS_YAW_RAD[classes])
    boxes = np.column_stack([centre, size[:, [1, 2, 0]], yaw])
    return CameraBoxes(boxes, probabilities[rows, classes].astype(np.float64))


def merge(found: CameraBoxes) -> CameraBoxes:
    """Merge the boxes of one car: the median box, scored by how many agree with it how well.

    The likeliest box takes all that overlap it; then the likeliest of the rest, and so on. The score is the sum of
    probabilities, each weighted by its box's IoU with the median box.

    Args:
        found: from `decode`.

    Returns:
        Merged boxes, best score first; those on which fewer than `MIN_MERGED` keypoints agree are dropped.
    """
    order = np.argsort(-found.scores, kind="stable")
    boxes, scores = found.boxes_cam[order], found.scores[order]
    merged: list[tuple[NDArrayFloat, float]] = []
    while len(boxes):
        same = iou_3d(_upright(boxes[:1]), _upright(boxes))[0] > _MERGE_IOU
        same[0] = True
        if same.sum() >= MIN_MERGED:
            box = _median(boxes[same])
            agreement = iou_3d(_upright(box[None]), _upright(boxes[same]))[0]
            merged.append((box, float(scores[same] @ agreement)))
        boxes, scores = boxes[~same], scores[~same]
    merged.sort(key=lambda pair: -pair[1])
    return CameraBoxes(
        np.array([box for box, _ in merged]).reshape(-1, 7), np.array([score for _, score in merged], dtype=np.float64)
    )


def _median(boxes_cam: NDArrayFloat) -> NDArrayFloat:
    """Median of every number; a yaw and its opposite are the same axis, and the likeliest box tells which end."""
    box: NDArrayFloat = np.median(boxes_cam, axis=0)
    first = boxes_cam[0, 6]
    box[6] = wrap_pi(first + np.median(wrap_half_pi(boxes_cam[:, 6] - first)))
    return box


def _upright(boxes_cam: NDArrayFloat) -> NDArrayFloat:
    """Camera boxes as boxes with a vertical third axis, so that the geometry's IoU applies: x, z, -y of the centre."""
    x, y, z, height, width, length, yaw = boxes_cam.T
    return np.column_stack([x, z, height / 2 - y, length, width, height, -yaw])
