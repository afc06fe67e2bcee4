"""The sky, painted once onto a map of directions: gradient, glow around the sun, clouds."""

from __future__ import annotations

import cv2
import numpy as np

from vedette.datasets.synth.camera.noise import ValueNoise
from vedette.datasets.synth.world import Light
from vedette.geometry import NDArrayFloat32

_ROWS, _COLUMNS = 256, 1024
# OpenCV's remap takes no image with a side of 32768 or more, so that lists are folded into rows of this length
_FOLD = 1024
_ZENITH_RGB = np.array([0.26, 0.70, 1.60], dtype=np.float32)
_HORIZON_RGB = np.array([1.35, 1.8, 2.3], dtype=np.float32)
_OVERCAST_RGB = np.array([2.3, 2.45, 2.6], dtype=np.float32)
_GLOW_RGB = np.array([1.0, 0.93, 0.8], dtype=np.float32)
_CLOUD_RGB = np.array([2.5, 2.55, 2.6], dtype=np.float32)
_CLOUD_SHADE = 0.7  # of the light that thick cloud holds back
_GROUND_RGB = np.array([0.20, 0.20, 0.19], dtype=np.float32)


class Sky:
    """Light that comes from the sky, by direction.

    Args:
        light: where the sun is, and how strong all is.
        rng: shapes the clouds.
    """

    def __init__(self, light: Light, rng: np.random.Generator) -> None:
        self._map = _paint(light, _map_directions(), ValueNoise(rng))
        self._ground_rgb = _GROUND_RGB * np.float32(light.sky_strength)
        self.horizon_rgb: NDArrayFloat32 = self._map[: _ROWS // 8].mean(axis=(0, 1))
        """``(3,) float32`` mean colour above the horizon: what haze looks like."""

    def radiance(self, directions: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,3) float32`` red, green, blue, linear; directions below the horizon see dim ground.

        Args:
            directions: ``(N,3) float32`` unit vectors, away from the eye.
        """
        if not len(directions):
            return np.zeros((0, 3), dtype=np.float32)
        azimuth = np.arctan2(directions[:, 1], directions[:, 0])
        column = (azimuth * np.float32(0.5 / np.pi) + np.float32(0.5)) * _COLUMNS - np.float32(0.5)
        row = np.sqrt(np.maximum(directions[:, 2], 0.0)) * (_ROWS - 1)
        above = _remap(self._map, column, row)
        below = np.clip(directions[:, 2:] / np.float32(-0.02), 0.0, 1.0)
        return np.asarray(above + below * (self._ground_rgb - above), dtype=np.float32)


def _remap(image: NDArrayFloat32, column: NDArrayFloat32, row: NDArrayFloat32) -> NDArrayFloat32:
    """(N,3) values between pixels; columns wrap round."""
    count = len(column)
    padding = -count % _FOLD
    folded = [np.pad(axis, (0, padding)).reshape(-1, _FOLD) for axis in (column, row)]
    values = cv2.remap(image, folded[0], folded[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return np.asarray(values.reshape(-1, 3)[:count], dtype=np.float32)


def _map_directions() -> NDArrayFloat32:
    """(rows, columns, 3): rows from the horizon up, denser there; columns by azimuth from -π to π."""
    z = np.linspace(0.0, 1.0, _ROWS)[:, None] ** 2
    azimuth = ((np.arange(_COLUMNS) + 0.5) / _COLUMNS - 0.5) * 2 * np.pi
    flat = np.sqrt(1.0 - z**2)
    return np.stack(np.broadcast_arrays(flat * np.cos(azimuth), flat * np.sin(azimuth), z), axis=2).astype(np.float32)


def _paint(light: Light, directions: NDArrayFloat32, noise: ValueNoise) -> NDArrayFloat32:
    height = directions[..., 2:]
    clear = _ZENITH_RGB + (_HORIZON_RGB - _ZENITH_RGB) * np.exp(-height / np.float32(0.22))
    towards_sun = directions @ light.towards_sun.astype(np.float32)
    angle = np.arccos(np.clip(towards_sun, -1.0, 1.0))[..., None]
    glow = 2.5 * np.exp(-angle / np.float32(0.12)) + 0.7 * np.exp(-angle / np.float32(0.5))
    openness = np.float32(min(1.0, light.sun_strength))
    cover = _clouds(directions, noise)[..., None]
    # thrice as bright overhead as at the horizon: the standard overcast sky of the CIE
    dull = _OVERCAST_RGB * (1.0 + 2.0 * height) / 3.0 * (1.3 - _CLOUD_SHADE * cover)
    sky = clear * openness + dull * (1.0 - openness) + glow * _GLOW_RGB * openness
    sky = sky + cover * (_CLOUD_RGB - sky) * 0.85 * openness
    return np.asarray(sky * np.float32(light.sky_strength), dtype=np.float32)


def _clouds(directions: NDArrayFloat32, noise: ValueNoise) -> NDArrayFloat32:
    """Cover from 0 to 1: clouds lie on a sheet overhead, so they shrink and close up towards the horizon."""
    sheet = directions[..., :2] / (directions[..., 2:] + np.float32(0.12))
    u, v = sheet[..., 0].ravel(), sheet[..., 1].ravel()
    value = np.zeros(len(u), dtype=np.float32)
    for octave in range(5):
        scale = np.float32(0.9 * 2.1**octave)
        value += noise.smooth(u * scale + 17 * octave, v * scale) * np.float32(0.55**octave)
    return np.asarray(np.clip(value * 0.9 - 0.05, 0.0, 1.0).reshape(directions.shape[:2]))
