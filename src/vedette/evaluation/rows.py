"""Labels or detections of all frames in one run of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vedette.evaluation.objects import CameraObjects
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt


@dataclass(frozen=True)
class Rows:
    """Labels or detections of all frames, one row each, frame by frame in their order.

    Args:
        frame: ``(N,) int64`` index of the frame, ascending.
        types: ``(N,)`` names of KITTI's type column, lower case.
        truncation: ``(N,) float64``.
        occlusion: ``(N,) int64``.
        alpha: ``(N,) float64`` observation angle, rad.
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in pixels.
        boxes_cam: ``(N,7) float64`` x, y, z, height, width, length, rotation_y; bottom centre, camera frame.
        scores: ``(N,) float64``; zero for labels.
        track_ids: ``(N,) int64``; -1 where there is none.
    """

    frame: NDArrayInt
    types: np.ndarray[tuple[int, ...], np.dtype[np.str_]]
    truncation: NDArrayFloat
    occlusion: NDArrayInt
    alpha: NDArrayFloat
    boxes_px: NDArrayFloat
    boxes_cam: NDArrayFloat
    scores: NDArrayFloat
    track_ids: NDArrayInt

    @classmethod
    def from_objects(cls, frames: Sequence[CameraObjects]) -> Rows:
        """The rows of all frames, one after another."""
        everything = [CameraObjects.empty(scored=True), *frames]  # so that no frames at all still concatenate
        return cls(
            frame=np.repeat(np.arange(len(frames)), [len(objects) for objects in frames]),
            types=np.array([name.lower() for objects in everything for name in objects.types], dtype=np.str_),
            truncation=np.concatenate([objects.truncation for objects in everything]),
            occlusion=np.concatenate([objects.occlusion for objects in everything]),
            alpha=np.concatenate([objects.alpha for objects in everything]),
            boxes_px=np.concatenate([objects.boxes_px for objects in everything]),
            boxes_cam=np.concatenate([objects.boxes_cam for objects in everything]),
            scores=np.concatenate([_scores(objects) for objects in everything]),
            track_ids=np.concatenate([_track_ids(objects) for objects in everything]),
        )

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def height_px(self) -> NDArrayFloat:
        """``(N,) float64`` height of the 2D box, pixels."""
        height: NDArrayFloat = self.boxes_px[:, 3] - self.boxes_px[:, 1]
        return height

    @property
    def range_m(self) -> NDArrayFloat:
        """``(N,) float64`` distance from the camera along the ground, metres."""
        distance: NDArrayFloat = np.hypot(self.boxes_cam[:, 0], self.boxes_cam[:, 2])
        return distance

    @property
    def upright_boxes(self) -> NDArrayFloat:
        """``(N,7) float64`` boxes as the geometry package has them, on the axes x, z and up.

        Rotation about the camera's y axis, which points down, turns z towards x, against the yaw from x to z.
        """
        x, y, z, height, width, length, rotation_y = self.boxes_cam.T
        return np.stack([x, z, height / 2 - y, length, width, height, -rotation_y], axis=1)

    def is_any(self, types: frozenset[str]) -> NDArrayBool:
        """``(N,) bool``: whose type is one of these, given in lower case."""
        found: NDArrayBool = np.isin(self.types, sorted(types))
        return found


def _scores(objects: CameraObjects) -> NDArrayFloat:
    return np.zeros(len(objects)) if objects.scores is None else objects.scores


def _track_ids(objects: CameraObjects) -> NDArrayInt:
    return np.full(len(objects), -1) if objects.track_ids is None else objects.track_ids
