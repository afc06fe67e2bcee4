"""Colours that no renderer would give: of single objects, of parts of a picture, and of all of it.

Every change has a strength from 0, nothing, to 1: people are known by less than cars are, and bear less of it.
"""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayUInt8
from vedette.models.camera2d.training.samples import OwnerMap

_RECOLOURED_SHARE: Final = 0.5
_LEAST_DEVIATION: Final = 8.0
"""Of a Lab channel; a picture of one colour would be blown up to noise otherwise."""
_GAINS: Final = (0.4, 2.0)
"""Between which the spread of a Lab channel is changed."""


def recoloured(
    rng: np.random.Generator, pixels_bgr: NDArrayUInt8, owners: OwnerMap, strengths: NDArrayFloat
) -> NDArrayUInt8:
    """About every second object in another colour and brightness.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
        owners: ``(H,W)`` row of the object that each pixel shows, or `NOBODY`.
        strengths: ``(N,)`` of each object, 0 to 1.
    """
    count = len(strengths)
    strength = np.where(rng.random(count) < _RECOLOURED_SHARE, strengths, 0.0)[:, None]
    gain, shift = np.ones((count + 1, 3), np.float32), np.zeros((count + 1, 3), np.float32)  # the last is of nobody
    gain[:-1] = np.exp(strength * (rng.uniform(-0.5, 0.5, (count, 1)) + rng.uniform(-0.2, 0.2, (count, 3))))
    shift[:-1] = strength * (rng.uniform(-25.0, 25.0, (count, 1)) + rng.uniform(-15.0, 15.0, (count, 3)))
    return _as_pixels(pixels_bgr * gain[owners] + shift[owners])


def shaded(rng: np.random.Generator, pixels_bgr: NDArrayUInt8, strength: float) -> NDArrayUInt8:
    """One to three patches of shade, or of light.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
        strength: 0 to 1.
    """
    gain = np.ones(pixels_bgr.shape[:2], np.float32)
    for _ in range(int(rng.integers(1, 4))):
        darkest = float(np.exp(strength * rng.uniform(-1.3, 0.5)))
        gain *= 1.0 + (darkest - 1.0) * patch(rng, pixels_bgr.shape[:2])
    return _as_pixels(pixels_bgr * gain[..., None])


def patch(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArrayFloat32:
    """A rectangle or a polygon with soft edges.

    Args:
        rng: draws.
        shape: height and width of the picture.

    Returns:
        ``(H,W) float32`` 1 inside, 0 outside.
    """
    height, width = shape
    middle = rng.uniform(0.0, (width, height))
    reach = rng.uniform((0.03, 0.06), (0.25, 0.4)) * (width, height)
    if rng.random() < 0.5:
        directions = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    else:
        corners = int(rng.integers(3, 8))
        angles = (np.arange(corners) + rng.uniform(0.0, 1.0, corners)) * (2.0 * np.pi / corners)
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cover = np.zeros((height, width), np.float32)
    cv2.fillPoly(cover, [np.rint(middle + reach * directions).astype(np.int32)], 1.0)
    return np.asarray(cv2.GaussianBlur(cover, (0, 0), float(rng.uniform(0.5, 4.0))), dtype=np.float32)


def coloured_as(
    rng: np.random.Generator, pixels_bgr: NDArrayUInt8, photograph_bgr: NDArrayUInt8, strength: float
) -> NDArrayUInt8:
    """Means and spreads of the colours drawn towards those of a photograph, in Lab.

    Reinhard et al., Color transfer between images, IEEE CG&A 2001.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
        photograph_bgr: ``(h,w,3) uint8``.
        strength: 0 to 1.
    """
    lab = cv2.cvtColor(pixels_bgr, cv2.COLOR_BGR2LAB)
    mean, deviation = cv2.meanStdDev(lab)
    mean_there, deviation_there = cv2.meanStdDev(cv2.cvtColor(photograph_bgr, cv2.COLOR_BGR2LAB))
    gain = np.clip(deviation_there / np.maximum(deviation, _LEAST_DEVIATION), *_GAINS)
    levels = np.arange(256.0)
    wanted = ((levels - mean) * gain + mean_there).T
    share = strength * rng.uniform(0.2, 0.8)
    table = _as_pixels(levels[:, None] + share * (wanted - levels[:, None]))
    return _as_pixels(cv2.cvtColor(cv2.LUT(lab, table[None]), cv2.COLOR_LAB2BGR))


def convolved(rng: np.random.Generator, pixels_bgr: NDArrayUInt8, strength: float) -> NDArrayUInt8:
    """Mixed with itself after a random convolution: another texture, the same shapes.

    Xu et al., Robust and Generalizable Visual Representation Learning via Random Convolutions, ICLR 2021.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
        strength: 0 to 1.
    """
    side = int(rng.choice([1, 3, 3, 5]))
    kernels = rng.normal(size=(3, 3, side, side)).astype(np.float32)
    source = pixels_bgr.astype(np.float32)
    channels = cv2.split(source)
    mixed = np.empty_like(source)
    for row, of_inputs in enumerate(kernels):
        mixed[..., row] = sum(cv2.filter2D(one, -1, k) for one, k in zip(channels, of_inputs, strict=True))
    means, deviations = _statistics(mixed)
    means_before, deviations_before = _statistics(source)
    mixed = (mixed - means) * (deviations_before / (deviations + 1e-3)) + means_before
    share = np.float32(strength * rng.uniform(0.1, 0.6))
    return _as_pixels(source + share * (mixed - source))


def permuted(rng: np.random.Generator, pixels_bgr: NDArrayUInt8, strength: float) -> NDArrayUInt8:
    """Mixed with itself after a change of the order of its channels.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
        strength: 0 to 1.
    """
    other = np.ascontiguousarray(pixels_bgr[..., rng.permutation(3)])
    return _as_pixels(cv2.addWeighted(pixels_bgr, 1.0 - strength, other, strength, 0.0))


def _statistics(pixels: NDArrayFloat32) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """``(3,)`` means and standard deviations of the channels."""
    mean, deviation = cv2.meanStdDev(pixels)
    return mean.ravel().astype(np.float32), deviation.ravel().astype(np.float32)


def _as_pixels(values: Any) -> NDArrayUInt8:
    return np.asarray(np.clip(values, 0.0, 255.0).astype(np.uint8))
