"""From light to numbers: exposure, lens, noise of the sensor, tone curve."""

from __future__ import annotations

from statistics import NormalDist
from typing import Final

import cv2
import numpy as np

from vedette.geometry import NDArrayFloat32, NDArrayUInt8

_LUMINANCE_RGB: Final = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
_KEY = 0.125
"""Light, as a share of the sensor's full scale, that the mean of the log luminance is brought to."""
_DARKEST = 1e-6
"""Luminance of a scene below which exposure goes no further."""
_VIGNETTE = 0.18
"""Share of the light that is lost in the corners."""
_CROSSTALK = 0.1
"""Share of each colour that all filters see alike: no sensor gives colours as pure as paint has them."""
_LENS_BLUR_PX = 0.42
_SHOT_NOISE = 0.0003
"""Variance of the noise per light, full scale being 1; a sensor of some 3,000 electrons."""
_READ_NOISE = 0.0015
_CONTRAST = 1.2
"""Power of the tone curve: above 1, shadows are deeper."""
_CURVE_STEPS = 4096
_CURVE_END = 1.6
"""Light that is pure white, as a multiple of full scale."""


def develop(radiance: NDArrayFloat32, rng: np.random.Generator) -> NDArrayUInt8:
    """The picture ``(H,W,3) uint8``, blue, green, red.

    Args:
        radiance: ``(H,W,3) float32`` red, green, blue, linear, in any unit.
        rng: of the noise.
    """
    # each of blue, green, red is mostly its own light, and a little of what all filters see
    filters = (1 - _CROSSTALK) * np.eye(3)[::-1] + _CROSSTALK * _LUMINANCE_RGB
    light = np.asarray(cv2.transform(radiance, exposure(radiance) * filters), dtype=np.float32)
    light *= _vignette(light.shape[:2])[..., None]
    light = np.asarray(cv2.GaussianBlur(np.minimum(light, _CURVE_END, out=light), (0, 0), _LENS_BLUR_PX))
    _add_noise(light, rng)
    place = np.sqrt(np.clip(light, 0.0, _CURVE_END, out=light), out=light)
    place *= np.float32((_CURVE_STEPS - 1) / np.sqrt(_CURVE_END))
    return _tone_curve().take(place.astype(np.int32))


def exposure(radiance: NDArrayFloat32) -> float:
    """Factor that brings a scene to the middle of the scale, as an automatic exposure that meters below the sky.

    Args:
        radiance: ``(H,W,3) float32`` red, green, blue, linear.
    """
    # a quarter of the pixels is plenty for a mean
    lower = luminance_of(radiance[len(radiance) // 4 :: 2, ::2])
    # a bright sky or lamp counts no more than a white wall, and a black corner no less than a dark one
    middle = max(float(np.median(lower)), _DARKEST)
    return float(_KEY / np.exp(np.log(np.clip(lower, 0.02 * middle, 2.5 * middle)).mean()))


def luminance_of(radiance: NDArrayFloat32) -> NDArrayFloat32:
    """Brightness as an eye weighs it.

    Args:
        radiance: ``(...,3) float32`` red, green, blue, linear.
    """
    return np.asarray(radiance @ _LUMINANCE_RGB)


def _vignette(shape: tuple[int, ...]) -> NDArrayFloat32:
    v, u = (np.linspace(-1.0, 1.0, side, dtype=np.float32) for side in shape)
    return np.asarray(1.0 - np.float32(_VIGNETTE / 2) * (v[:, None] ** 2 + u**2), dtype=np.float32)


def _add_noise(light: NDArrayFloat32, rng: np.random.Generator) -> None:
    spread = light * np.float32(_SHOT_NOISE)
    spread += np.float32(_READ_NOISE**2)
    np.sqrt(spread, out=spread)
    spread *= _normal_steps().take(rng.integers(0, 256, light.shape, dtype=np.uint8))
    light += spread


def _normal_steps() -> NDArrayFloat32:
    """(256,) equally likely values, spread as a normal distribution: finer ones take ten times as long to draw."""
    steps = np.array([NormalDist().inv_cdf((step + 0.5) / 256) for step in range(256)])
    return np.asarray(steps / steps.std(), dtype=np.float32)


def _tone_curve() -> NDArrayUInt8:
    """(steps,) value by square root of light: a filmic curve (Narkowicz 2015, fitted to ACES), then sRGB."""
    light = np.linspace(0.0, 1.0, _CURVE_STEPS) ** 2 * _CURVE_END
    film = (light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)) ** _CONTRAST
    film = film / film[-1]
    srgb = np.where(film <= 0.0031308, film * 12.92, 1.055 * film ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(np.clip(srgb, 0.0, 1.0) * 255), dtype=np.uint8)
