"""Image in, objects with masks out."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vedette.detections import Detections2D
from vedette.frames import CameraImage
from vedette.geometry import NDArrayFloat32, NDArrayUInt8
from vedette.models.camera2d.decode import BOX_COLUMNS, PIXEL_CENTRE, STRIDES_PX, decode_boxes
from vedette.models.camera2d.masks import MASK_STRIDE_PX, PLACE_TERMS, instance_masks
from vedette.models.grids import Grid
from vedette.models.image_objects import ImageObjects, clipped
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size, require_shapes

PIXEL_MEAN: Final = 114.0
PIXEL_SCALE: Final = 1.0 / 58.0
"""A pixel's value minus the mean, times the scale, is what the network sees, all channels alike."""


class Camera2dDetector:
    """Finds objects and their pixels in an image.

    Args:
        model: input ``1x3xHxW``; outputs ``1 x cells x (classes + 4 + K + 5)`` and ``1 x K x H/2 x W/2``.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        card = model.card
        self._model = model
        self._objects = ImageObjects(card, score_threshold)
        self._class_count = len(card.classes)
        self._height_px, self._width_px = fixed_size(card, channels_first=True)
        self._grid = Grid.of_strides(self._width_px, self._height_px, STRIDES_PX)
        map_count = card.outputs[-1].shape[1] if len(card.outputs[-1].shape) == 4 else "K"
        columns = self._class_count + BOX_COLUMNS + PLACE_TERMS + map_count if isinstance(map_count, int) else "columns"
        map_sides = (self._height_px // MASK_STRIDE_PX, self._width_px // MASK_STRIDE_PX)
        require_shapes(card, [(1, len(self._grid), columns), (1, map_count, *map_sides)])

    @property
    def name(self) -> str:
        """Model name and version."""
        return self._model.card.label

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects and their masks, best score first.

        Args:
            image: of any size; it is resized to the model's without keeping its proportions.

        Raises:
            ModelError: the model failed on this input.
        """
        rows, maps = self._run(image.pixels_bgr)
        picked = self._objects.pick(rows[:, : self._class_count])
        boxes, coefficients = np.split(rows[picked.cells, self._class_count :], [BOX_COLUMNS], axis=1)
        to_image = np.array(image.size_px) / (self._width_px, self._height_px)
        boxes_px = decode_boxes(self._grid.select(picked.cells), boxes) * np.tile(to_image, 2)
        boxes_px = clipped(boxes_px, image.size_px)
        kept = self._objects.survivors(picked, boxes_px)
        boxes_px = boxes_px[kept]
        masks = instance_masks(maps, coefficients[kept], boxes_px, image.size_px)
        last = np.tile(np.array(image.size_px) - 1.0, 2)
        boxes_px = np.clip(boxes_px - PIXEL_CENTRE, 0.0, last)
        return Detections2D(boxes_px, picked.scores[kept], picked.class_ids[kept], masks)

    def _run(self, pixels_bgr: NDArrayUInt8) -> tuple[NDArrayFloat32, NDArrayFloat32]:
        resized = cv2.resize(pixels_bgr, (self._width_px, self._height_px), interpolation=cv2.INTER_LINEAR)
        tensor = np.empty((1, 3, self._height_px, self._width_px), dtype=np.float32)
        for plane, channel in zip(tensor[0], cv2.split(resized), strict=True):
            np.multiply(channel, np.float32(PIXEL_SCALE), out=plane)
        tensor -= np.float32(PIXEL_MEAN * PIXEL_SCALE)
        rows, maps = self._model.run({self._model.card.inputs[0].name: tensor})
        return rows[0], maps[0]
