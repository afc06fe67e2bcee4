"""Sweep in, vehicles and people out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.errors import ModelLoadError
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat32, PinholeCamera
from vedette.models.camera_view import in_view
from vedette.models.cards import ModelCard, TensorSpec
from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids
from vedette.models.pillars.around import VIEWS, joined
from vedette.models.pillars.box_code import CODE_LENGTH
from vedette.models.pillars.decode import Found, apart, decode
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
        return self._detections(self._find(sweep.points_velo.compress(in_view(sweep.points_velo, camera), axis=0)))

    def detect_around(self, sweep: Sweep) -> Detections3D:
        """Find what is anywhere around, best score first, in as many times the time as there are `VIEWS`.

        Args:
            sweep: the points.

        Raises:
            ModelError: the model failed on this input.
        """
        found = joined([self._find(view.points(sweep.points_velo)) for view in VIEWS])
        return self._detections(apart(found, self._rivals))

    def _find(self, points_velo_m: NDArrayFloat32) -> Found:
        """What is in one view, which looks along x."""
        plane = road_plane(points_velo_m)
        pillars = pillarise(levelled(points_velo_m, plane))
        if len(pillars.cells) == 0:
            return Found.nothing()
        found = decode(*self._network.run(pillars), self._rivals)
        return replace(found, boxes_velo=unlevelled(found.boxes_velo, plane))

    def _detections(self, found: Found) -> Detections3D:
        detections = Detections3D(found.boxes_velo, found.scores, self._class_ids[found.channels])
        return detections.select(detections.class_ids != NOT_AN_OBJECT)


class FullCircleDetector:
    """A detector that looks all around, whatever the camera sees.

    Args:
        detector: does the work.
    """

    def __init__(self, detector: PillarsDetector) -> None:
        self._detector = detector

    @property
    def name(self) -> str:
        """Of the detector."""
        return self._detector.name

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:  # noqa: ARG002
        """Find what is anywhere around, best score first.

        Args:
            sweep: the points.
            camera: not used.

        Raises:
            ModelError: the model failed on this input.
        """
        return self._detector.detect_around(sweep)


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
