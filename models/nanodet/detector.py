"""Image in, objects out."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vedette.detections import Detections2D
from vedette.frames import CameraImage
from vedette.geometry import NDArrayFloat32, NDArrayUInt8
from vedette.models.grids import Grid
from vedette.models.image_objects import ImageObjects
from vedette.models.nanodet.decode import STRIDES_PX, decode_boxes
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size, require_shape

_MEAN_BGR: Final = np.array([103.53, 116.28, 123.675], dtype=np.float32)
_SCALE_BGR: Final = (1.0 / np.array([57.375, 57.12, 58.395])).astype(np.float32)


class NanoDetDetector:
    """Finds objects in an image with NanoDet-Plus.

    Args:
        model: input ``1x3xHxW``; output ``1 x cells x (classes + 4 sides x bins)``.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        self._model = model
        self._objects = ImageObjects(model.card, score_threshold)
        self._class_count = len(model.card.classes)
        self._height_px, self._width_px = fixed_size(model.card, channels_first=True)
        self._grid = Grid.of_strides(self._width_px, self._height_px, STRIDES_PX)
        columns = model.card.outputs[0].shape[-1]
        bins = (int(columns) - self._class_count) / 4 if isinstance(columns, int) else 0
        fits = bins >= 2 and bins == int(bins)
        require_shape(model.card, (1, len(self._grid), columns if fits else "classes + 4 x bins"))

    @property
    def name(self) -> str:
        """Model name and version."""
        return self._model.card.label

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects, best score first.

        Args:
            image: of any size; it is resized to the model's without keeping its proportions.

        Raises:
            ModelError: the model failed on this input.
        """
        tensor = self._prepare(image.pixels_bgr)
        rows: NDArrayFloat32 = self._model.run({self._model.card.inputs[0].name: tensor})[0][0]
        picked = self._objects.pick(rows[:, : self._class_count])
        boxes = decode_boxes(self._grid.select(picked.cells), rows[picked.cells, self._class_count :])
        width_px, height_px = image.size_px
        to_image = np.array([width_px / self._width_px, height_px / self._height_px])
        return self._objects.finish(picked, boxes * np.tile(to_image, 2), image.size_px)

    def _prepare(self, pixels_bgr: NDArrayUInt8) -> NDArrayFloat32:
        resized = cv2.resize(pixels_bgr, (self._width_px, self._height_px), interpolation=cv2.INTER_LINEAR)
        normal = (resized.astype(np.float32) - _MEAN_BGR) * _SCALE_BGR
        return np.ascontiguousarray(normal.transpose(2, 0, 1)[None])
