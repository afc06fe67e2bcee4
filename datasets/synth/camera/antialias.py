"""Where one ray per pixel is not enough, and how several are put together."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vedette.geometry import NDArrayFloat32, NDArrayInt

OFFSETS_PX: Final = np.array([[-0.33, 0.17], [0.33, -0.17]], dtype=np.float32)
"""``(K,2)`` u and v of further rays in a pixel: with its centre, each in a row and column of its own, so that steep
and flat edges get all shades."""
_CONTRAST = 0.12
_MAX_SHARE = 0.05


def rough_pixels(brightness: NDArrayFloat32) -> NDArrayInt:
    """``(K,) int64`` indices of the pixels, row by row, whose surroundings differ much.

    Args:
        brightness: ``(H,W) float32`` as the eye takes it, such as the square root of light, full scale at 1.
    """
    kernel = np.ones((3, 3), dtype=np.uint8)
    contrast = cv2.dilate(brightness, kernel) - cv2.erode(brightness, kernel)
    values = contrast.ravel()
    most = max(1, int(_MAX_SHARE * values.size))
    threshold = max(_CONTRAST, float(np.partition(values, -most)[-most]))
    return np.flatnonzero(values > threshold)


def further_places(pixels_px: NDArrayFloat32) -> NDArrayFloat32:
    """``(K·N,2) float32`` places in pixels, offset by offset.

    Args:
        pixels_px: ``(N,2) float32`` centres.
    """
    return (OFFSETS_PX[:, None] + pixels_px).reshape(-1, 2)


def blended(first: NDArrayFloat32, further: NDArrayFloat32) -> NDArrayFloat32:
    """``(N,3) float32`` mean of each pixel's rays, weighed so that one bright ray does not drown the others.

    Args:
        first: ``(N,3) float32`` light at the centres, full scale at 1.
        further: ``(K·N,3) float32`` light at `further_places`.
    """
    stacked = np.concatenate([first[None], further.reshape(len(OFFSETS_PX), *first.shape)])
    mean = (stacked / (1 + stacked)).mean(axis=0)
    return np.asarray(mean / (1 - mean), dtype=np.float32)
