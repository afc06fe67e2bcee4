"""The rows of a KITTI label or result file as parallel arrays: what every metric takes.

Accuracy is measured in the frame and at the precision of the labels: the rectified camera frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt

DONT_CARE = "DontCare"


@dataclass(frozen=True)
class CameraObjects:
    """Labelled or detected objects of one frame.

    Args:
        types: N names of KITTI's type column (``Car``, ``Van``, ..., ``DontCare`` for a region without labels).
        truncation: ``(N,) float64`` share outside the image, 0 to 1; -1 where not known. Tracking labels have a level
            0, 1 or 2 instead, kept as it stands: beyond 0 it is over every limit of the metrics.
        occlusion: ``(N,) int64`` 0 visible, 1 partly, 2 largely, 3 unknown; -1 where not known.
        alpha: ``(N,) float64`` observation angle, rad; -10 where not known.
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in pixels.
        boxes_cam: ``(N,7) float64`` x, y, z, height, width, length, rotation_y; bottom centre, rectified camera frame.
        scores: ``(N,) float64``, or None for labels.
        track_ids: ``(N,) int64``, or None where the format has none.

    Raises:
        ValueError: the arrays are not parallel.
    """

    types: tuple[str, ...]
    truncation: NDArrayFloat
    occlusion: NDArrayInt
    alpha: NDArrayFloat
    boxes_px: NDArrayFloat
    boxes_cam: NDArrayFloat
    scores: NDArrayFloat | None = None
    track_ids: NDArrayInt | None = None

    def __post_init__(self) -> None:
        count = len(self.types)
        wanted = {
            "truncation": (self.truncation, (count,)),
            "occlusion": (self.occlusion, (count,)),
            "alpha": (self.alpha, (count,)),
            "boxes_px": (self.boxes_px, (count, 4)),
            "boxes_cam": (self.boxes_cam, (count, 7)),
            "scores": (self.scores, (count,)),
            "track_ids": (self.track_ids, (count,)),
        }
        for name, (array, shape) in wanted.items():
            if array is not None and array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}; expected {shape}")

    @classmethod
    def empty(cls, *, scored: bool) -> CameraObjects:
        """No objects: an empty label file, or an empty result file when ``scored``."""
        none = np.zeros(0)
        integers = np.zeros(0, np.int64)
        scores = none if scored else None
        return cls((), none, integers, none, np.zeros((0, 4)), np.zeros((0, 7)), scores)

    def __len__(self) -> int:
        return len(self.types)

    def select(self, keep: NDArrayBool | NDArrayInt | Sequence[int]) -> CameraObjects:
        """The objects at the given indices or where a mask is true, in that order."""
        index = np.arange(len(self))[np.asarray(keep, dtype=np.int64) if len(keep) == 0 else np.asarray(keep)]
        return CameraObjects(
            tuple(self.types[i] for i in index),
            self.truncation[index],
            self.occlusion[index],
            self.alpha[index],
            self.boxes_px[index],
            self.boxes_cam[index],
            None if self.scores is None else self.scores[index],
            None if self.track_ids is None else self.track_ids[index],
        )


@dataclass(frozen=True)
class ScoredFrame:
    """One frame's labels and what was detected in it.

    Args:
        labels: labelled objects, ``DontCare`` regions included.
        detections: detected objects, with scores; higher means surer.

    Raises:
        ValueError: the detections have no scores.
    """

    labels: CameraObjects
    detections: CameraObjects

    def __post_init__(self) -> None:
        if self.detections.scores is None:
            raise ValueError("detections without scores cannot be evaluated")
