"""What the detectors of boxes in images share: families differ only in what their output rows mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vedette.detections import Detections2D
from vedette.errors import ModelCardError
from vedette.frames import CameraImage
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.image_input import ImageInput
from vedette.models.image_objects import ImageObjects
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size


class OutputReader(Protocol):
    """Knows what a family's output means; a *cell* is one candidate for a box."""

    def scores(self, output: NDArrayFloat32) -> NDArrayFloat32:
        """Scores of all cells.

        Args:
            output: the model's, without the batch axis.

        Returns:
            ``(M,C) float32``, a row for a cell, a column for a class of the card.
        """
        ...

    def boxes(self, output: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
        """Boxes of some cells.

        Args:
            output: the model's, without the batch axis.
            cells: ``(N,) int64``.

        Returns:
            ``(N,4) float64`` x1, y1, x2, y2 in pixels of the model's input.
        """
        ...


@dataclass(frozen=True)
class RawAnswer:
    """What a model says of an image, before anything is sorted out.

    Args:
        scores: ``(M,C) float32``.
        boxes_px: ``(M,4) float64`` x1, y1, x2, y2 in pixels of the model's input.
        input_px: width and height of the input.
    """

    scores: NDArrayFloat32
    boxes_px: NDArrayFloat
    input_px: tuple[int, int]


class BoxDetector:
    """Finds objects in an image with a model of one input ``1x3xHxW`` and one output.

    Args:
        model: its card has the keys `preprocess`.
        reader: of the model's family.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelCardError: the card's family has no such keys.
        ModelLoadError: the model takes another input.
    """

    def __init__(self, model: OnnxModel, reader: OutputReader, score_threshold: float) -> None:
        if model.card.preprocess is None:
            raise ModelCardError(f"{model.card.label}: family {model.card.family} has no keys `preprocess`")
        self._model = model
        self._reader = reader
        self._objects = ImageObjects(model.card, score_threshold)
        height_px, width_px = fixed_size(model.card, channels_first=True)
        self._input_px = (width_px, height_px)
        self._input = ImageInput(model.card.preprocess, width_px, height_px)

    @property
    def name(self) -> str:
        """Model name and version."""
        return self._model.card.label

    def detect(self, image: CameraImage) -> Detections2D:
        """Find the objects, best score first.

        Args:
            image: of any size; it is fitted into the model's input as the card says.

        Raises:
            ModelError: the model failed on this input.
        """
        tensor, placement = self._input.prepare(image.pixels_bgr)
        output = self._run(tensor)
        picked = self._objects.pick(self._reader.scores(output))
        boxes = self._reader.boxes(output, picked.cells)
        return self._objects.finish(picked, placement.to_image(boxes), image.size_px)

    def answer(self, image: CameraImage) -> RawAnswer:
        """Everything the model says of an image.

        Args:
            image: of any size.

        Raises:
            ModelError: the model failed on this input.
        """
        output = self._run(self._input.prepare(image.pixels_bgr)[0])
        scores = self._reader.scores(output)
        cells = np.arange(len(scores), dtype=np.int64)
        return RawAnswer(scores, self._reader.boxes(output, cells), self._input_px)

    def _run(self, tensor: NDArrayFloat32) -> NDArrayFloat32:
        output: NDArrayFloat32 = self._model.run({self._model.card.inputs[0].name: tensor})[0][0]
        return output
