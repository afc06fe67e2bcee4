"""Image in, objects out."""

from __future__ import annotations

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.box_detector import BoxDetector
from vedette.models.cards import ModelCard
from vedette.models.grids import Grid
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size, require_shape
from vedette.models.yolox.decode import BOX_COLUMNS, STRIDE_CHOICES_PX, decode_boxes


class YoloxDetector(BoxDetector):
    """Finds objects in an image with YOLOX.

    Args:
        model: input ``1x3xHxW``; output ``1 x cells x (5 + classes)``.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        super().__init__(model, _Reader(model.card), score_threshold)


class _Reader:
    """Rows of box, objectness and class scores."""

    def __init__(self, card: ModelCard) -> None:
        height_px, width_px = fixed_size(card, channels_first=True)
        shape = card.outputs[0].shape
        self._grid = Grid.fitting(width_px, height_px, shape[1] if len(shape) == 3 else "cells", STRIDE_CHOICES_PX)
        require_shape(card, (1, len(self._grid), BOX_COLUMNS + len(card.classes)))

    def scores(self, output: NDArrayFloat32) -> NDArrayFloat32:
        return output[:, BOX_COLUMNS - 1 : BOX_COLUMNS] * output[:, BOX_COLUMNS:]

    def boxes(self, output: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
        return decode_boxes(self._grid.select(cells), output[cells, : BOX_COLUMNS - 1])
