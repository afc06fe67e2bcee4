"""Bilinear interpolation of coarse logits at the pixels of an image."""

from __future__ import annotations

import numpy as np

from vedette.geometry import NDArrayFloat32


def upsample(logits: NDArrayFloat32, size_px: tuple[int, int], input_px: tuple[int, int]) -> NDArrayFloat32:
    """Logits at every pixel of an image that was resized for the model.

    The grid's corners are the corner pixels of the model's input (`align_corners`), while resizing the image aligned
    the pixels' edges: both are undone here in one step.

    Args:
        logits: ``(h,w,C) float32``.
        size_px: width and height of the image.
        input_px: width and height of the model's input.

    Returns:
        ``(H,W,C) float32``.
    """
    rows, columns, channels = logits.shape
    down = _weights(size_px[1], input_px[1], rows) @ logits.reshape(rows, columns * channels)
    fine: NDArrayFloat32 = np.matmul(_weights(size_px[0], input_px[0], columns), down.reshape(-1, columns, channels))
    return fine


def _weights(length: int, input_length: int, grid_length: int) -> NDArrayFloat32:
    """(length, grid_length) weight of each grid point at each pixel: two neighbours share 1."""
    in_input = np.clip((np.arange(length) + 0.5) * (input_length / length) - 0.5, 0, input_length - 1)
    in_grid = in_input * ((grid_length - 1) / max(input_length - 1, 1))
    distance = np.abs(in_grid[:, None] - np.arange(grid_length))
    weights: NDArrayFloat32 = np.maximum(1.0 - distance, 0.0).astype(np.float32)
    return weights
