"""Image in, objects out."""

from __future__ import annotations

import numpy as np

from vedette.errors import ModelError, ModelLoadError
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.box_detector import BoxDetector, OutputReader
from vedette.models.cards import ModelCard
from vedette.models.grids import Grid
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size
from vedette.models.yolov8.layout import BOX_ROWS, STRIDE_CHOICES_PX, layout_of


class YoloV8Detector(BoxDetector):
    """Finds objects in an image with a YOLOv8-style export.

    Args:
        model: input ``1x3xHxW``; output in one of the layouts of `layout`.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        super().__init__(model, _reader(model.card), score_threshold)


class _Dense:
    """Centre, size and class scores of every cell.

    Args:
        by_rows: a row for each cell; else a column.
    """

    def __init__(self, *, by_rows: bool) -> None:
        self._by_rows = by_rows

    def scores(self, output: NDArrayFloat32) -> NDArrayFloat32:
        return self._rows(output)[:, BOX_ROWS:]

    def boxes(self, output: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
        boxes = self._rows(output)[cells, :BOX_ROWS].astype(np.float64)
        half = boxes[:, 2:] / 2.0
        return np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], axis=1)

    def _rows(self, output: NDArrayFloat32) -> NDArrayFloat32:
        return output if self._by_rows else output.T


class _EndToEnd:
    """Corners, score and class of the boxes that the model has already chosen.

    Args:
        card: of the model.
    """

    def __init__(self, card: ModelCard) -> None:
        self._label = card.label
        self._class_count = len(card.classes)

    def scores(self, output: NDArrayFloat32) -> NDArrayFloat32:
        classes = output[:, BOX_ROWS + 1].astype(np.int64)
        unknown = classes[(classes < 0) | (classes >= self._class_count)]
        if len(unknown):
            raise ModelError(f"{self._label}: answers class {unknown[0]}; expected 0 to {self._class_count - 1}")
        scores = np.zeros((len(output), self._class_count), np.float32)
        scores[np.arange(len(output)), classes] = output[:, BOX_ROWS]
        return scores

    def boxes(self, output: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
        return output[cells, :BOX_ROWS].astype(np.float64)


def _reader(card: ModelCard) -> OutputReader:
    height_px, width_px = fixed_size(card, channels_first=True)
    layout = layout_of(card.outputs[0].shape, width_px, height_px) if len(card.outputs) == 1 else None
    if layout is None or layout.class_count not in {None, len(card.classes)}:
        cells = len(Grid.of_strides(width_px, height_px, STRIDE_CHOICES_PX[0]))
        raise ModelLoadError(
            f"{card.label}: family yolov8 with {len(card.classes)} classes and this input gives one output"
            f" [1, {BOX_ROWS + len(card.classes)}, {cells}], the same transposed, or [1, boxes, 6]; the card says"
            f" {[list(one.shape) for one in card.outputs]}"
        )
    if layout.kind == "end_to_end":
        return _EndToEnd(card)
    return _Dense(by_rows=layout.kind == "channels_last")
