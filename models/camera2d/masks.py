"""Masks: maps that all objects of a picture share, summed with each object's coefficients.

The idea is YOLACT's (Bolya et al., ICCV 2019): the network gives K maps at half the input's resolution, and for every
object K coefficients; a pixel belongs to the object where the weighed sum of the maps is above 0, inside its box.
Five further terms are not learnt maps but the place in the object's own box, so that one of two neighbours of a kind
can be told from the other by where it stands:

    1, u, v, u^2, v^2        u, v from -1 at the left (upper) to 1 at the right (lower) side of the box
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32

MASK_STRIDE_PX: Final = 2
"""Side of a map's cell in pixels of the model's input."""
PLACE_TERMS: Final = 5
"""Coefficients after those of the maps."""
_REACH: Final = 1
"""Cells around the box that interpolation at its border looks at."""


def instance_masks(
    maps: NDArrayFloat32, coefficients: NDArrayFloat32, boxes_px: NDArrayFloat, size_px: tuple[int, int]
) -> NDArrayBool:
    """Masks at the image's size.

    Args:
        maps: ``(K,h,w) float32``, covering the whole image.
        coefficients: ``(N,K+5) float32``, of the maps and of the place in the box.
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 in the image, clipped to it.
        size_px: width and height of the image.

    Returns:
        ``(N,H,W) bool``, false outside each box.
    """
    width, height = size_px
    masks = np.zeros((len(boxes_px), height, width), dtype=np.bool_)
    for mask, own, box in zip(masks, coefficients, boxes_px, strict=True):
        rows, columns = pixel_window(box)
        mask[rows, columns] = _window_logits(maps, own, box, size_px) > 0.0
    return masks


def pixel_window(box_px: NDArrayFloat) -> tuple[slice, slice]:
    """Rows and columns of the pixels whose centres a box holds, at least one each.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2, clipped to the image and at least a pixel wide and high.
    """
    x1, y1, x2, y2 = (int(edge) for edge in np.floor(box_px + 0.5))  # np.round would make 1.5 to 2.5 an empty window
    return slice(y1, y2), slice(x1, x2)


def _window_logits(
    maps: NDArrayFloat32, own: NDArrayFloat32, box_px: NDArrayFloat, size_px: tuple[int, int]
) -> NDArrayFloat32:
    """The weighed sum for every pixel of a box: summed where the maps are coarse, then enlarged."""
    rows, columns = pixel_window(box_px)
    scale = np.array([maps.shape[2] / size_px[0], maps.shape[1] / size_px[1]])
    first = np.maximum(np.floor(box_px[:2] * scale).astype(int) - _REACH, 0)
    last = np.minimum(np.ceil(box_px[2:] * scale).astype(int) + _REACH, (maps.shape[2], maps.shape[1]))
    part = maps[:, first[1] : last[1], first[0] : last[0]]
    logits = np.tensordot(own[:-PLACE_TERMS], part, axes=1)
    logits += _place_logits(own[-PLACE_TERMS:], box_px, first, last, scale)
    # centre of a pixel of the window, in cells of the part, whose centres lie at halves
    begin = (np.array([columns.start, rows.start]) + 0.5) * scale - 0.5 - first
    enlarge = np.array([[scale[0], 0.0, begin[0]], [0.0, scale[1], begin[1]]])
    size = (columns.stop - columns.start, rows.stop - rows.start)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    enlarged = cv2.warpAffine(logits, enlarge, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(enlarged, dtype=np.float32)


def _place_logits(
    weights: NDArrayFloat32, box_px: NDArrayFloat, first: NDArrayFloat, last: NDArrayFloat, scale: NDArrayFloat
) -> NDArrayFloat32:
    """``(h,w) float32`` of the five terms at the centres of the cells from `first` to before `last`."""
    u, v = (
        (2.0 * (np.arange(first[axis], last[axis]) + 0.5) / scale[axis] - box_px[axis] - box_px[axis + 2])
        / (box_px[axis + 2] - box_px[axis])
        for axis in (0, 1)
    )
    one, in_u, in_v, in_u2, in_v2 = weights.astype(np.float64)
    along_u, along_v = in_u * u + in_u2 * u * u, one + in_v * v + in_v2 * v * v
    return np.asarray(along_v[:, None] + along_u[None, :], dtype=np.float32)
