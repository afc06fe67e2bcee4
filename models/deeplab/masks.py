"""Masks for boxes: which pixels of a box belong to its object.

The class map says what a pixel is, not whose. Where boxes of one kind overlap, the pixel goes to the box that reaches
lowest in the image: its object stands nearest, so it hides the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from vedette.classes import VEHICLES, ObjectClass
from vedette.detections import Detections2D, Detector2D
from vedette.frames import CameraImage
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt
from vedette.models.deeplab.segmenter import DeepLabSegmenter

_TWO_WHEELERS: Final = frozenset({ObjectClass.CYCLIST, ObjectClass.MOTORCYCLE})
_PEOPLE: Final = frozenset({ObjectClass.PEDESTRIAN})


class MaskingDetector:
    """A detector of boxes with masks from a segmentation model.

    Args:
        boxes: finds the objects.
        segmenter: finds their pixels.
    """

    def __init__(self, boxes: Detector2D, segmenter: DeepLabSegmenter) -> None:
        self._boxes = boxes
        self._segmenter = segmenter

    @property
    def name(self) -> str:
        """Names and versions of both models."""
        return f"{self._boxes.name}+{self._segmenter.name}"

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects and their masks, best score first.

        Args:
            image: of any size.

        Raises:
            ModelError: a model failed on this input.
        """
        found = self._boxes.detect(image)
        if len(found) == 0:
            width_px, height_px = image.size_px
            return replace(found, masks=np.zeros((0, height_px, width_px), dtype=np.bool_))
        return replace(found, masks=instance_masks(self._segmenter.class_map(image), found))


def instance_masks(class_map: NDArrayInt, found: Detections2D) -> NDArrayBool:
    """Masks of detected objects.

    A car's mask takes pixels of any vehicle, since the two models may disagree on its kind; a rider's takes those of
    people too.

    Args:
        class_map: ``(H,W) int64`` values of `ObjectClass`, or another number where there is no object.
        found: boxes in the same image.

    Returns:
        ``(N,H,W) bool``, disjoint among objects of one kind.
    """
    kinds = [_kind(class_id) for class_id in found.class_ids]
    layers = {kind: np.isin(class_map, list(_pixels(kind))) for kind in set(kinds)}
    masks = np.zeros((len(found), *class_map.shape), dtype=np.bool_)
    windows = [_window(box, class_map.shape) for box in found.boxes_px]
    for nearest in np.argsort(-found.boxes_px[:, 3], kind="stable"):
        free = layers[kinds[nearest]][windows[nearest]]
        masks[nearest][windows[nearest]] = free
        free[:] = False  # a view: the pixels are taken
    return masks


def _kind(class_id: int) -> frozenset[ObjectClass]:
    """Classes whose objects compete for pixels."""
    member = ObjectClass(class_id)
    groups = (VEHICLES, _TWO_WHEELERS, _PEOPLE)
    return next((group for group in groups if member in group), frozenset({member}))


def _pixels(kind: frozenset[ObjectClass]) -> frozenset[ObjectClass]:
    """Classes of pixels that belong to objects of a kind; models take riders for people, and back."""
    return _TWO_WHEELERS | _PEOPLE if kind == _TWO_WHEELERS else kind


def _window(box_px: NDArrayFloat, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The pixels whose centres a box holds."""
    x1, y1, x2, y2 = (int(edge) for edge in np.round(box_px))
    return slice(max(y1, 0), min(y2, shape[0])), slice(max(x1, 0), min(x2, shape[1]))
