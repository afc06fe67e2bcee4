"""What of an answer the sweep bears out: a box stands on the ground and holds points, or it may not move a track.

An answer may be wrong as a whole: a confused server, a message for another vehicle, a detector on the wrong input. The
device has the sweep that the answer speaks about, and a box that holds none of its points, floats, or has a size that
its class cannot have is not believed. Kept of the sweep is what the camera sees: where it does not look, as in the
answer of a detector that looks all around, nothing can be checked, and nothing is held against a box.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.priors import prior
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, PinholeCamera

_MARGIN_M: Final = 0.3
_MIN_POINTS: Final = 1
_MAX_FLOAT_M: Final = 1.5
_SIZE_RATIO: Final = 3.0
_MAX_BAD_SHARE: Final = 0.5
_MIN_BAD: Final = 2


def supported(answer: Detections3D, xyz_velo: NDArrayFloat32, ground: Ground) -> NDArrayBool:
    """Which boxes of an answer the sweep bears out.

    Args:
        answer: boxes in the velo frame of the sweep.
        xyz_velo: ``(3,M) float32`` metres: its points above the ground, as far as the camera sees them.
        ground: under them.

    Returns:
        ``(N,) bool``.
    """
    good = _standing(answer.boxes_velo, ground) & _of_usual_size(answer)
    for row in np.flatnonzero(good).tolist():
        good[row] = _holds_points(answer.boxes_velo[row], xyz_velo)
    return good


def looked_at(boxes_velo: NDArrayFloat, camera: PinholeCamera) -> NDArrayBool:
    """Which boxes stand in a direction that the camera sees, at whatever height.

    Args:
        boxes_velo: ``(N,7)``.
        camera: its calibration.

    Returns:
        ``(N,) bool``.
    """
    pixels, depth_m = camera.project_velo(boxes_velo)
    u = pixels[:, 0]
    ahead: NDArrayBool = (depth_m > 0) & (u >= 0) & (u <= camera.width_px - 1)
    return ahead


def is_rubbish(good: NDArrayBool) -> bool:
    """Whether so few boxes are borne out that the rest of the answer is not to be believed either."""
    bad = int((~good).sum())
    return bad >= _MIN_BAD and bad > _MAX_BAD_SHARE * len(good)


def _standing(boxes_velo: NDArrayFloat, ground: Ground) -> NDArrayBool:
    bottoms = boxes_velo[:, 2] - boxes_velo[:, 5] / 2
    heights = [ground.height_at(x, y) for x, y in boxes_velo[:, :2].tolist()]
    near: NDArrayBool = np.abs(bottoms - np.array(heights)) < _MAX_FLOAT_M
    return near


def _of_usual_size(answer: Detections3D) -> NDArrayBool:
    usual = np.array([prior(ObjectClass(int(class_id))).size_m for class_id in answer.class_ids]).reshape(-1, 3)
    ratio = answer.boxes_velo[:, 3:6] / usual
    usual_size: NDArrayBool = ((ratio > 1 / _SIZE_RATIO) & (ratio < _SIZE_RATIO)).all(axis=1)
    return usual_size


def _holds_points(box_velo: NDArrayFloat, xyz_velo: NDArrayFloat32) -> bool:
    x, y, z = (xyz_velo[axis] - np.float32(box_velo[axis]) for axis in range(3))
    cos, sin = np.float32(np.cos(box_velo[6])), np.float32(np.sin(box_velo[6]))
    length_m, width_m, height_m = (box_velo[3:6] / 2 + _MARGIN_M).astype(np.float32)
    inside = (np.abs(x * cos + y * sin) < length_m) & (np.abs(y * cos - x * sin) < width_m) & (np.abs(z) < height_m)
    return int(np.count_nonzero(inside)) >= _MIN_POINTS
