"""Image in, objects out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.box_detector import BoxDetector
from vedette.models.cards import ModelCard
from vedette.models.grids import Grid
from vedette.models.nanodet.decode import STRIDE_CHOICES_PX, decode_boxes
from vedette.models.sessions import OnnxModel
from vedette.models.signatures import fixed_size, require_shape

_HALF_CELL: Final = 0.5


class NanoDetDetector(BoxDetector):
    """Finds objects in an image with NanoDet or NanoDet-Plus.

    Args:
        model: input ``1x3xHxW``; output ``1 x cells x (classes + 4 sides x bins)``.
        score_threshold: in [0, 1]; lower finds more, with false alarms.

    Raises:
        ModelLoadError: the model's shapes are not those of this family.
    """

    def __init__(self, model: OnnxModel, score_threshold: float) -> None:
        super().__init__(model, _Reader(model.card), score_threshold)


class _Reader:
    """Rows of class scores and logits of distances."""

    def __init__(self, card: ModelCard) -> None:
        self._class_count = len(card.classes)
        height_px, width_px = fixed_size(card, channels_first=True)
        _, cells, columns = card.outputs[0].shape if len(card.outputs[0].shape) == 3 else (1, "cells", "columns")
        corners = Grid.fitting(width_px, height_px, cells, STRIDE_CHOICES_PX)
        bins = (columns - self._class_count) / 4 if isinstance(columns, int) else 0
        fits = bins >= 2 and bins == int(bins)
        require_shape(card, (1, len(corners), columns if fits else "classes + 4 x bins"))
        self._grid = _centres(corners) if card.family == "nanodet" else corners

    def scores(self, output: NDArrayFloat32) -> NDArrayFloat32:
        return output[:, : self._class_count]

    def boxes(self, output: NDArrayFloat32, cells: NDArrayInt) -> NDArrayFloat:
        return decode_boxes(self._grid.select(cells), output[cells, self._class_count :])


def _centres(corners: Grid) -> Grid:
    return replace(corners, points_px=corners.points_px + _HALF_CELL * corners.strides_px[:, None])
