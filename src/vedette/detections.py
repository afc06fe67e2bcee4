"""The currency of the project: what a 2D or a 3D detector saw in one frame, and the seams of both kinds of detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vedette.classes import ObjectClass
from vedette.frames import CameraImage, Sweep
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, PinholeCamera


def _check_parallel(boxes: NDArrayFloat, columns: int, scores: NDArrayFloat, class_ids: NDArrayInt) -> None:
    if boxes.ndim != 2 or boxes.shape[1] != columns or boxes.dtype != np.float64:
        raise ValueError(f"boxes have shape {boxes.shape} {boxes.dtype}; expected (N, {columns}) float64")
    if scores.shape != (len(boxes),) or scores.dtype != np.float64:
        raise ValueError(f"scores have shape {scores.shape} {scores.dtype}; expected ({len(boxes)},) float64")
    if class_ids.shape != (len(boxes),) or class_ids.dtype != np.int64:
        raise ValueError(f"class_ids have shape {class_ids.shape} {class_ids.dtype}; expected ({len(boxes)},) int64")
    if not (np.isfinite(boxes).all() and np.isfinite(scores).all()):
        raise ValueError("boxes and scores must be finite")
    if len(scores) and not (scores.min() >= 0.0 and scores.max() <= 1.0):
        raise ValueError(f"scores span {scores.min():g} to {scores.max():g}; expected 0 to 1")
    if len(class_ids) and not (class_ids.min() >= 0 and class_ids.max() < len(ObjectClass)):
        raise ValueError(f"class ids span {class_ids.min()} to {class_ids.max()}; expected 0 to {len(ObjectClass) - 1}")


@dataclass(frozen=True)
class Detections2D:
    """Objects seen in one image.

    Args:
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in pixels, x2 >= x1, y2 >= y1.
        scores: ``(N,) float64`` in [0, 1].
        class_ids: ``(N,) int64`` values of `ObjectClass`.
        masks: ``(N,H,W) bool`` at image size, or None for a detector of boxes only.

    Raises:
        ValueError: shapes, dtypes or ranges other than these.
    """

    boxes_px: NDArrayFloat
    scores: NDArrayFloat
    class_ids: NDArrayInt
    masks: NDArrayBool | None = None

    def __post_init__(self) -> None:
        _check_parallel(self.boxes_px, 4, self.scores, self.class_ids)
        if (self.boxes_px[:, 2:] < self.boxes_px[:, :2]).any():
            raise ValueError("boxes_px must have x2 >= x1 and y2 >= y1")
        if self.masks is not None and (self.masks.ndim != 3 or len(self.masks) != len(self.boxes_px)):
            raise ValueError(f"masks have shape {self.masks.shape}; expected ({len(self.boxes_px)}, H, W)")

    @classmethod
    def empty(cls) -> Detections2D:
        """No objects."""
        return cls(np.zeros((0, 4)), np.zeros(0), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.boxes_px)

    def select(self, keep: NDArrayBool | NDArrayInt | Sequence[int]) -> Detections2D:
        """The detections at the given indices or where a mask is true, in that order."""
        index = np.asarray(keep, dtype=np.int64) if len(keep) == 0 else np.asarray(keep)
        masks = None if self.masks is None else self.masks[index]
        return Detections2D(self.boxes_px[index], self.scores[index], self.class_ids[index], masks)


@dataclass(frozen=True)
class Detections3D:
    """Objects located in one sweep.

    Args:
        boxes_velo: ``(N,7) float64`` x, y, z, length, width, height (m), yaw (rad), centre of volume, velo frame.
        scores: ``(N,) float64`` in [0, 1].
        class_ids: ``(N,) int64`` values of `ObjectClass`.

    Raises:
        ValueError: shapes, dtypes or ranges other than these, or a size that is not positive.
    """

    boxes_velo: NDArrayFloat
    scores: NDArrayFloat
    class_ids: NDArrayInt

    def __post_init__(self) -> None:
        _check_parallel(self.boxes_velo, 7, self.scores, self.class_ids)
        if len(self.boxes_velo) and self.boxes_velo[:, 3:6].min() <= 0.0:
            raise ValueError("box length, width and height must be positive")

    @classmethod
    def empty(cls) -> Detections3D:
        """No objects."""
        return cls(np.zeros((0, 7)), np.zeros(0), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.boxes_velo)

    def select(self, keep: NDArrayBool | NDArrayInt | Sequence[int]) -> Detections3D:
        """The detections at the given indices or where a mask is true, in that order."""
        index = np.asarray(keep, dtype=np.int64) if len(keep) == 0 else np.asarray(keep)
        return Detections3D(self.boxes_velo[index], self.scores[index], self.class_ids[index])


class Detector2D(Protocol):
    """Finds objects in an image."""

    @property
    def name(self) -> str:
        """Model name and version, as reports show it."""
        ...

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects, best score first.

        Raises:
            ModelError: the model failed on this input.
        """
        ...


class Detector3D(Protocol):
    """Finds objects in a sweep."""

    @property
    def name(self) -> str:
        """Model name and version, as reports show it."""
        ...

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Find the objects in the camera's view, best score first.

        Args:
            sweep: the points.
            camera: tells the view, and KITTI's rectified camera frame where a model works in that.

        Raises:
            ModelError: the model failed on this input.
        """
        ...
