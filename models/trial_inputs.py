"""What a model is tried on before it is needed: a picture of a street, and a sweep."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.frames import CameraImage, Sweep
from vedette.geometry import SE3, PinholeCamera

_WIDTH_PX: Final = 1242
_HEIGHT_PX: Final = 375
_HORIZON_PX: Final = 170
_CARS: Final = ((250, 160, 180, 110, (150, 40, 30)), (720, 165, 70, 45, (40, 40, 170)))
"""Left, top, width, height in pixels, and colour."""
_GRAIN: Final = 6.0  # standard deviation of the noise, grey levels


def trial_image() -> CameraImage:
    """A grey road under a bright sky with two cars on it, in outline, and noise: the same every time."""
    rows = np.arange(_HEIGHT_PX, dtype=np.float64)[:, None, None]
    sky_and_road = np.where(rows < _HORIZON_PX, 225.0 - 0.3 * rows, 70.0 + 0.12 * rows)
    picture = np.broadcast_to(sky_and_road, (_HEIGHT_PX, _WIDTH_PX, 3)).copy()
    for left, top, width, height, colour_bgr in (
        (250, 160, 180, 110, (150, 40, 30)),
        (720, 165, 70, 45, (40, 40, 170)),
    ):
        picture[top : top + height, left : left + width] = colour_bgr
        window = slice(top + height // 8, top + height // 2)
        picture[window, left + width // 6 : left + width - width // 6] = 60.0
        for wheel in (left + width // 10, left + width - width // 4):
            picture[top + 4 * height // 5 : top + height + height // 12, wheel : wheel + width // 7] = 20.0
    picture += np.random.default_rng(0).normal(0.0, _GRAIN, picture.shape)
    return CameraImage(np.clip(picture, 0, 255).astype(np.uint8), 0)


def trial_sweep() -> Sweep:
    """A single point, ten metres ahead."""
    return Sweep(np.array([[10.0, 0.0, 0.0, 0.5]], dtype=np.float32), 0, 0)


def trial_camera() -> PinholeCamera:
    """A camera at the LiDAR that looks along its x axis."""
    cam_R_velo = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    half = (_WIDTH_PX / 2, _HEIGHT_PX / 2)
    projection = np.array([[half[0], 0.0, half[0], 0.0], [0.0, half[0], half[1], 0.0], [0.0, 0.0, 1.0, 0.0]])
    return PinholeCamera(projection, SE3(cam_R_velo, np.zeros(3)), _WIDTH_PX, _HEIGHT_PX)
