"""Leaving out what the camera does not see."""

from __future__ import annotations

from vedette.errors import InvalidFrameError
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera


def crop_to_camera(sweep: Sweep, camera: PinholeCamera) -> Sweep:
    """The points of a sweep that fall into a camera's image, in their order.

    Detectors that were trained on labels of the camera's view look at nothing else, and it is a sixth of a full turn.

    Args:
        sweep: the points.
        camera: its calibration.

    Raises:
        InvalidFrameError: the camera sees none of the points.
    """
    keep = camera.in_image(*camera.project_velo(sweep.points_velo))
    if not keep.any():
        raise InvalidFrameError(
            f"none of the {len(sweep)} points is in the camera's view of {camera.width_px}x{camera.height_px} px;"
            " expected some (is the calibration of this camera and LiDAR?)"
        )
    return Sweep(sweep.points_velo[keep], sweep.start_ns, sweep.end_ns)
