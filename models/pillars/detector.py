"""Sweep in, vehicles and people out."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.errors import ModelLoadError
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.models.camera_view import in_view
from vedette.models.cards import ModelCard, TensorSpec
from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids
from vedette.models.pillars.box_code import CODE_LENGTH
from vedette.models.pillars.decode import decode
from vedette.models.pillars.features import FEATURES, pillarise
from vedette.models.pillars.grid import ANSWER_GRIDS, AnswerGrid
from vedette.models.pillars.ground import levelled, road_plane, unlevelled
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.sessions import OnnxModel

PEOPLE: Final = (ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST)
"""Who may stand where a vehicle's box is; but nobody walks and rides at once."""
INPUTS: Final = (
    TensorSpec(name="features", dtype="float32", shape=("N", FEATURES)),
    TensorSpec(name="slots", dtype="int64", shape=("N",)),
    TensorSpec(name="cells", dtype="int64", shape=("P",)),
)


def outputs_for(class_count: int, grid: AnswerGrid) -> tuple[TensorSpec, ...]:
    """What the family gives.

    Args:
        class_count: of the card; a heat map each.
        grid: of the answer.
    """
    size = (grid.rows, grid.columns)
    return (
        TensorSpec(name="heat", dtype="float32", shape=(1, class_count, *size)),
        TensorSpec(name="regression", dtype="float32", shape=(1, CODE_LENGTH, *size)),
    )


class PillarsDetector:
    """Finds vehicles and people in a sweep.

    Args:
        model: an export of `training.export`.

    Raises:
        ModelLoadError: its inputs and outputs are others.
        ModelCardError: none of its classes is one of ours.
    """

    def __init__(self, model: OnnxModel) -> None:
        _check(model.card)
        self.name = model.card.label
        self._class_ids = channel_class_ids(model.card)
        self._rivals = np.isin(self._class_ids, PEOPLE).astype(np.int64)
        self._network = PillarsNetwork(model)

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Find what is in the camera's view, best score first; 0.5 is a good cut.

        Args:
            sweep: the points; those outside the image are not used, as in training.
            camera: tells the view.

        Raises:
            ModelError: the model failed on this input.
        """
        points = sweep.points_velo[in_view(sweep.points_velo, camera)]
        plane = road_plane(points)
        pillars = pillarise(levelled(points, plane))
        if len(pillars.cells) == 0:
            return Detections3D.empty()
        found = decode(*self._network.run(pillars), self._rivals)
        boxes = unlevelled(found.boxes_velo, plane)
        detections = Detections3D(boxes, found.scores, self._class_ids[found.channels])
        return detections.select(detections.class_ids != NOT_AN_OBJECT)


def _check(card: ModelCard) -> None:
    met = [(spec.name, spec.dtype, _fixed(spec)) for spec in (*card.inputs, *card.outputs)]
    possible = [
        [(spec.name, spec.dtype, _fixed(spec)) for spec in (*INPUTS, *outputs_for(len(card.classes), grid))]
        for grid in ANSWER_GRIDS
    ]
    if sorted(met) not in [sorted(expected) for expected in possible]:
        choices = " or ".join(str(expected) for expected in possible)
        raise ModelLoadError(
            f"{card.label}: family pillars with {len(card.classes)} classes has inputs and outputs {choices};"
            f" the card says {met}"
        )


def _fixed(spec: TensorSpec) -> tuple[int, ...]:
    """The shape, with 0 for a length that varies."""
    return tuple(length if isinstance(length, int) else 0 for length in spec.shape)
