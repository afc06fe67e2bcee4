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
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size, require_shape
from vedette.models.yolox.decode import BOX_COLUMNS, STRIDES_PX, decode_boxes

_PAD: Final = 114.0  # grey, as in training


class YoloxDetector:
    """Finds objects in an image with YOLOX.

    Args:
        model: input ``1x3xHxW``; output ``1 x cells x (5 + classes)``.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        self._model = model
        self._objects = ImageObjects(model.card, score_threshold)
        self._height_px, self._width_px = fixed_size(model.card, channels_first=True)
        self._grid = Grid.of_strides(self._width_px, self._height_px, STRIDES_PX)
        require_shape(model.card, (1, len(self._grid), BOX_COLUMNS + len(model.card.classes)))

    @property
    def name(self) -> str:
        """Model name and version."""
        return self._model.card.label

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects, best score first.

        Args:
            image: of any size; it is shrunk or grown into the model's upper left corner, keeping its proportions.

        Raises:
            ModelError: the model failed on this input.
        """
        width_px, height_px = image.size_px
        scale = min(self._width_px / width_px, self._height_px / height_px)
        tensor = self._prepare(image.pixels_bgr, scale)
        rows: NDArrayFloat32 = self._model.run({self._model.card.inputs[0].name: tensor})[0][0]
        picked = self._objects.pick(rows[:, BOX_COLUMNS - 1 : BOX_COLUMNS] * rows[:, BOX_COLUMNS:])
        boxes = decode_boxes(self._grid.select(picked.cells), rows[picked.cells, : BOX_COLUMNS - 1])
        return self._objects.finish(picked, boxes / scale, image.size_px)

    def _prepare(self, pixels_bgr: NDArrayUInt8, scale: float) -> NDArrayFloat32:
        height, width = (max(1, int(side * scale)) for side in pixels_bgr.shape[:2])
        canvas = np.full((self._height_px, self._width_px, 3), _PAD, dtype=np.float32)
        canvas[:height, :width] = cv2.resize(pixels_bgr, (width, height), interpolation=cv2.INTER_LINEAR)
        return np.ascontiguousarray(canvas.transpose(2, 0, 1)[None])
