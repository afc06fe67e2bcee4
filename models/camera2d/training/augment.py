"""A picture as the network's input: moved and scaled, mirrored, and made to look otherwise.

The world's pictures are all of one camera and one style. Their colours, contrast, sharpness and noise are varied far
beyond what the world holds, so that the network learns shapes rather than this renderer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, NDArrayUInt8
from vedette.models.camera2d.detector import PIXEL_MEAN
from vedette.models.camera2d.masks import MASK_STRIDE_PX
from vedette.models.camera2d.training.samples import NOBODY, LabelledPicture, OwnerMap, is_ignored

LEAST_HEIGHT_PX: Final = 4.75
"""Objects lower than this in the input are ignored: 8 pixels of a picture of KITTI's size."""
LEAST_VISIBLE_SHARE: Final = 0.25
_FOCUS_WITHIN: Final = (0.1, 0.9)
"""Shares of the shown part's sides between which the middle of the object to be seen comes to lie."""
LEAST_CELLS: Final = 3
"""Objects that show in fewer cells of the maps are ignored."""


@dataclass(frozen=True, eq=False)
class ModelSample:
    """What the network is shown, and what it should say.

    Args:
        pixels_bgr: ``(H,W,3) uint8`` at the model's size.
        owners: ``(H/2,W/2) int32`` row of the object that each cell of the maps shows, or `NOBODY`.
        boxes_px: ``(N,4) float64`` in pixels of the model's input, clipped to it.
        channels: ``(N,) int64`` score column.
        ignored: ``(N,) bool`` neither to be found nor to be missed.
    """

    pixels_bgr: NDArrayUInt8
    owners: OwnerMap
    boxes_px: NDArrayFloat
    channels: NDArrayInt
    ignored: NDArrayBool


@dataclass(frozen=True)
class Placement:
    """Where a picture comes to lie in the model's input: x' = scale_x * x + shift_x, likewise y.

    Args:
        scale: along x and y, of the picture's pixels; along x below 0 when mirrored.
        shift_px: along x and y, pixels of the input.
    """

    scale: tuple[float, float]
    shift_px: tuple[float, float]

    def boxes(self, boxes_px: NDArrayFloat, size_px: tuple[int, int]) -> NDArrayFloat:
        """Boxes in the input, clipped to it.

        Args:
            boxes_px: ``(N,4)`` in the picture.
            size_px: width and height of the input.
        """
        moved = boxes_px * np.tile(self.scale, 2) + np.tile(self.shift_px, 2)
        low, high = np.minimum(moved[:, :2], moved[:, 2:]), np.maximum(moved[:, :2], moved[:, 2:])
        limits = np.tile(np.array(size_px, np.float64), 2)
        return np.asarray(np.clip(np.concatenate([low, high], axis=1), 0.0, limits))

    def matrix(self, cell_px: int) -> NDArrayFloat:
        """For OpenCV, which counts from the centre of the first pixel, to a grid of cells of the input.

        Args:
            cell_px: side of a cell.
        """
        scale = np.array(self.scale) / cell_px
        shift = np.array(self.shift_px) / cell_px + 0.5 * scale - 0.5
        return np.array([[scale[0], 0.0, shift[0]], [0.0, scale[1], shift[1]]])


def whole(picture_size_px: tuple[int, int], size_px: tuple[int, int]) -> Placement:
    """The placement that the runtime uses: the picture fills the input.

    Args:
        picture_size_px: width and height.
        size_px: width and height of the input.
    """
    scale = (size_px[0] / picture_size_px[0], size_px[1] / picture_size_px[1])
    return Placement(scale, (0.0, 0.0))


def drawn_focus(rng: np.random.Generator, picture: LabelledPicture) -> NDArrayFloat | None:
    """The middle of an object that is to be seen whatever part of the picture is shown.

    Each class that there is comes up as often: cars would be nearly all there is to learn from otherwise.

    Args:
        rng: draws.
        picture: with the objects.

    Returns:
        ``(2,)`` x, y in the picture, or None where there is no object to look at.
    """
    seen = np.flatnonzero((picture.visible_share >= LEAST_VISIBLE_SHARE) & (picture.channels != NOBODY))
    if len(seen) == 0:
        return None
    channel = rng.choice(np.unique(picture.channels[seen]))
    x1, y1, x2, y2 = picture.boxes_px[rng.choice(seen[picture.channels[seen] == channel])]
    return np.array([x1 + x2, y1 + y2]) / 2.0


def drawn_placement(
    rng: np.random.Generator, picture: LabelledPicture, size_px: tuple[int, int], window_px: tuple[int, int]
) -> Placement:
    """A part of the picture, or the picture with a margin; mirrored every other time.

    Args:
        rng: draws.
        picture: to place.
        size_px: width and height of the model's input, which the picture fills but for a drawn zoom.
        window_px: width and height of what is cut out of that.
    """
    height, width = picture.pixels_bgr.shape[:2]
    zoom = np.exp(rng.uniform(np.log(0.8), np.log(1.6)))
    scale = np.array(size_px) / (width, height) * zoom * np.exp(rng.uniform(-0.08, 0.08, 2))
    free = np.array(window_px) - scale * (width, height)
    low, high = np.minimum(free, 0.0), np.maximum(free, 0.0)
    focus = drawn_focus(rng, picture)
    if focus is not None:
        low, high = (np.clip(share * np.array(window_px) - scale * focus, low, high) for share in _FOCUS_WITHIN)
    shift = rng.uniform(low, high)
    if rng.random() < 0.5:
        return Placement((-scale[0], scale[1]), (window_px[0] - shift[0], shift[1]))
    return Placement((scale[0], scale[1]), (shift[0], shift[1]))


def placed(picture: LabelledPicture, placement: Placement, size_px: tuple[int, int]) -> ModelSample:
    """A picture at its place in the input; what the picture does not cover is grey.

    Args:
        picture: to place.
        placement: where.
        size_px: width and height of the input.
    """
    grey = (PIXEL_MEAN,) * 3
    pixels = cv2.warpAffine(picture.pixels_bgr, placement.matrix(1), size_px, flags=cv2.INTER_LINEAR, borderValue=grey)
    rows = placed_owners(picture, placement, size_px, MASK_STRIDE_PX)
    boxes = placement.boxes(picture.boxes_px, size_px)
    cells = np.bincount(rows.ravel() + 1, minlength=len(picture) + 1)[1:]
    ignored = is_ignored(boxes, picture.visible_share, LEAST_HEIGHT_PX, LEAST_VISIBLE_SHARE)
    ignored |= (cells < LEAST_CELLS) | (picture.channels == NOBODY)
    return ModelSample(np.asarray(pixels, dtype=np.uint8), rows, boxes, picture.channels, ignored)


def placed_owners(picture: LabelledPicture, placement: Placement, size_px: tuple[int, int], cell_px: int) -> OwnerMap:
    """Which object each cell of the input shows.

    Args:
        picture: to place.
        placement: where.
        size_px: width and height of the input.
        cell_px: side of a cell, which divides both.

    Returns:
        ``(H/cell_px,W/cell_px) int32`` row of the object at the cell's centre, or `NOBODY`.
    """
    size = (size_px[0] // cell_px, size_px[1] // cell_px)
    owners = cv2.warpAffine(
        (picture.owners + 1).astype(np.uint16), placement.matrix(cell_px), size, flags=cv2.INTER_NEAREST
    )
    return np.asarray(owners.astype(np.int32) - 1)


def restyled(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    """The same picture by another camera in other light.

    Args:
        rng: draws.
        pixels_bgr: ``(H,W,3) uint8``.
    """
    pixels = _tinted(rng, _saturated(rng, pixels_bgr))
    if rng.random() < 0.3:
        width = float(rng.uniform(0.3, 1.5))
        pixels = np.asarray(cv2.GaussianBlur(pixels, (0, 0), width), dtype=np.uint8)
    if rng.random() < 0.2:
        pixels = _sharpened(rng, pixels)
    if rng.random() < 0.25:
        pixels = _noisy(rng, pixels)
    if rng.random() < 0.3:
        pixels = _compressed(rng, pixels)
    return pixels


def _saturated(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    grey = cv2.cvtColor(cv2.cvtColor(pixels_bgr, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    saturation = 0.0 if rng.random() < 0.05 else float(rng.uniform(0.4, 1.6))
    return np.asarray(cv2.addWeighted(pixels_bgr, saturation, grey, 1.0 - saturation, 0.0), dtype=np.uint8)


def _tinted(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    """Gamma, contrast, brightness and white balance, a table of 256 values for each channel."""
    levels = np.arange(256) / 255.0
    curve = levels ** np.exp(rng.uniform(-0.6, 0.6))
    curve = (curve - 0.5) * rng.uniform(0.6, 1.5) + 0.5 + rng.uniform(-0.2, 0.2)
    gains = np.exp(rng.uniform(-0.15, 0.15, 3))
    table = np.clip(curve[:, None] * gains * 255.0, 0.0, 255.0).astype(np.uint8)
    return np.asarray(cv2.LUT(pixels_bgr, table[None]), dtype=np.uint8)


def _sharpened(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    amount = float(rng.uniform(0.3, 1.0))
    return np.asarray(
        cv2.addWeighted(pixels_bgr, 1.0 + amount, cv2.GaussianBlur(pixels_bgr, (0, 0), 1.5), -amount, 0.0)
    )


def _noisy(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    noise = rng.standard_normal(pixels_bgr.shape, dtype=np.float32) * np.float32(rng.uniform(2.0, 12.0))
    return np.clip(pixels_bgr + noise, 0.0, 255.0).astype(np.uint8)


def _compressed(rng: np.random.Generator, pixels_bgr: NDArrayUInt8) -> NDArrayUInt8:
    quality = int(rng.integers(30, 90))
    _, encoded = cv2.imencode(".jpg", pixels_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), dtype=np.uint8)
