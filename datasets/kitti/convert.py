"""The border between vedette's boxes (velo frame, centre of volume) and KITTI's label rows (camera frame)."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import CLASS_TO_KITTI, KITTI_TO_CLASS, ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.errors import DataError
from vedette.evaluation.objects import CameraObjects
from vedette.geometry import (
    NDArrayBool,
    NDArrayFloat,
    NDArrayInt,
    PinholeCamera,
    boxes_cam_from_velo,
    boxes_velo_from_cam,
    wrap_pi,
)

_NO_BOX_CAM: Final = (-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, -10.0)
"""What KITTI writes for x, y, z, height, width, length and rotation_y of an object without a 3D box."""


def camera_rows(
    boxes_velo: NDArrayFloat, camera: PinholeCamera
) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat, NDArrayBool]:
    """The columns of KITTI rows that follow from 3D boxes.

    Args:
        boxes_velo: (N, 7) boxes, velo frame.
        camera: the camera that sees them.

    Returns:
        (N, 4) image boxes in pixels, NaN where not visible; (N, 7) x, y, z, height, width, length, rotation_y; (N,)
        observation angle alpha, which is rotation_y less the bearing atan2(x, z); (N,) whether the image shows any.
    """
    boxes_px, _, visible = camera.project_boxes(boxes_velo)
    boxes_cam = boxes_cam_from_velo(camera.cam_SE3_velo, boxes_velo)
    alpha = wrap_pi(boxes_cam[:, 6] - np.arctan2(boxes_cam[:, 0], boxes_cam[:, 2]))
    return boxes_px, boxes_cam, alpha, visible


def camera_objects_from_detections(
    detections: Detections3D, camera: PinholeCamera, track_ids: NDArrayInt | None = None
) -> CameraObjects:
    """Detections as the scored rows of a KITTI result file.

    Args:
        detections: boxes in the velo frame.
        camera: the camera whose labels they are compared with.
        track_ids: ``(N,) int64`` of the boxes, where they have any.

    Returns:
        Scored objects with KITTI's types, image boxes from the projection, truncation and occlusion unknown (-1); what
        the image does not show is dropped.
    """
    boxes_px, boxes_cam, alpha, visible = camera_rows(detections.boxes_velo, camera)
    objects = CameraObjects(
        types=tuple(CLASS_TO_KITTI[ObjectClass(class_id)] for class_id in detections.class_ids),
        truncation=np.full(len(detections), -1.0),
        occlusion=np.full(len(detections), -1, dtype=np.int64),
        alpha=alpha,
        boxes_px=boxes_px,
        boxes_cam=boxes_cam,
        scores=detections.scores,
        track_ids=track_ids,
    )
    return objects.select(visible)


def camera_objects_from_boxes2d(detections: Detections2D) -> CameraObjects:
    """Detections in a picture as the scored rows of a KITTI result file, without a 3D box.

    Args:
        detections: boxes in the image; masks are left out.

    Returns:
        Scored objects with KITTI's types and its placeholders for what is not known.
    """
    count = len(detections)
    return CameraObjects(
        types=tuple(CLASS_TO_KITTI[ObjectClass(class_id)] for class_id in detections.class_ids),
        truncation=np.full(count, -1.0),
        occlusion=np.full(count, -1, dtype=np.int64),
        alpha=np.full(count, -10.0),
        boxes_px=detections.boxes_px,
        boxes_cam=np.tile(_NO_BOX_CAM, (count, 1)),
        scores=detections.scores,
    )


def detections_from_camera_objects(objects: CameraObjects, camera: PinholeCamera) -> Detections3D:
    """KITTI rows as detections.

    Args:
        objects: labels or results.
        camera: gives the way from the camera to the velo frame.

    Returns:
        Boxes in the velo frame, in the order of the rows; labels get score 1. ``DontCare`` regions, and rows without a
        3D box (a size that is not positive), are dropped.

    Raises:
        DataError: a score outside [0, 1].
    """
    keep = [
        row
        for row, name in enumerate(objects.types)
        if name in KITTI_TO_CLASS and objects.boxes_cam[row, 3:6].min() > 0
    ]
    kept = objects.select(keep)
    scores = np.ones(len(kept)) if kept.scores is None else kept.scores
    if len(scores) and not (scores.min() >= 0.0 and scores.max() <= 1.0):
        raise DataError(f"scores span {scores.min():g} to {scores.max():g}; expected 0 to 1")
    class_ids = np.array([KITTI_TO_CLASS[name] for name in kept.types], dtype=np.int64)
    return Detections3D(boxes_velo_from_cam(camera.cam_SE3_velo, kept.boxes_cam), scores, class_ids)
