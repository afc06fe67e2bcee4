"""How a picture becomes the input of an image model, and boxes of that input become boxes of the picture.

stretch            top_left           centre
┌────────────┐     ┌────────────┐     ┌────────────┐
│  picture,  │     │  picture   │     │░░░░░░░░░░░░│  ░ padding
│  deformed  │     │            │     │  picture   │
│            │     │░░░░░░░░░░░░│     │░░░░░░░░░░░░│
└────────────┘     └────────────┘     └────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayUInt8
from vedette.models.preprocess_keys import Preprocess


@dataclass(frozen=True)
class Placement:
    """Where a picture lies in a model's input.

    Args:
        size_px: width and height that it has there.
        scale_xy: by which its width and height were multiplied.
        corner_xy_px: its upper left corner, in pixels of the input.
    """

    size_px: tuple[int, int]
    scale_xy: tuple[float, float]
    corner_xy_px: tuple[int, int]

    def to_image(self, boxes_px: NDArrayFloat) -> NDArrayFloat:
        """Boxes of the input as boxes of the picture.

        Args:
            boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in pixels of the input.
        """
        placed: NDArrayFloat = (boxes_px - np.tile(self.corner_xy_px, 2)) / np.tile(self.scale_xy, 2)
        return placed


class ImageInput:
    """Makes a model's input.

    Args:
        preprocess: of the model's card.
        width_px: of the input.
        height_px: of the input.
    """

    def __init__(self, preprocess: Preprocess, width_px: int, height_px: int) -> None:
        self._keys = preprocess
        self._size_px = (width_px, height_px)
        self._mean = np.array(preprocess.mean, np.float32)
        self._factor = (1.0 / np.array(preprocess.deviation)).astype(np.float32)

    def prepare(self, pixels_bgr: NDArrayUInt8) -> tuple[NDArrayFloat32, Placement]:
        """The input for a picture.

        Args:
            pixels_bgr: ``(H,W,3) uint8``.

        Returns:
            ``(1,3,height,width) float32``, and where the picture lies in it.
        """
        placement = self.place((pixels_bgr.shape[1], pixels_bgr.shape[0]))
        canvas = self._canvas(pixels_bgr, placement)
        ordered = canvas[:, :, ::-1] if self._keys.channels == "rgb" else canvas
        normal = (ordered - self._mean) * self._factor
        return np.ascontiguousarray(normal.transpose(2, 0, 1)[None]), placement

    def place(self, size_px: tuple[int, int]) -> Placement:
        """Where a picture comes to lie.

        Args:
            size_px: its width and height.
        """
        width, height = size_px
        if self._keys.fit == "stretch":
            return Placement(self._size_px, (self._size_px[0] / width, self._size_px[1] / height), (0, 0))
        scale = min(self._size_px[0] / width, self._size_px[1] / height)
        if self._keys.fit == "top_left":  # cut off as YOLOX's own preparation does, below rounded as ultralytics'
            return Placement((max(1, int(width * scale)), max(1, int(height * scale))), (scale, scale), (0, 0))
        inner = (max(1, round(width * scale)), max(1, round(height * scale)))
        corner = ((self._size_px[0] - inner[0]) // 2, (self._size_px[1] - inner[1]) // 2)
        return Placement(inner, (scale, scale), corner)

    def _canvas(self, pixels_bgr: NDArrayUInt8, placement: Placement) -> NDArrayFloat32:
        resized = cv2.resize(pixels_bgr, placement.size_px, interpolation=cv2.INTER_LINEAR).astype(np.float32)
        if placement.size_px == self._size_px:
            return resized
        canvas = np.full((self._size_px[1], self._size_px[0], 3), self._keys.pad, dtype=np.float32)
        (left, top), (width, height) = placement.corner_xy_px, placement.size_px
        canvas[top : top + height, left : left + width] = resized
        return canvas
