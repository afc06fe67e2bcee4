"""Sweep in, vehicles out."""

from __future__ import annotations

from typing import Final

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
from vedette.models.pillars.grid import ANSWER_COLUMNS, ANSWER_ROWS
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.sessions import OnnxModel

INPUTS: Final = (
    TensorSpec(name="features", dtype="float32", shape=("N", FEATURES)),
    TensorSpec(name="slots", dtype="int64", shape=("N",)),
    TensorSpec(name="cells", dtype="int64", shape=("P",)),
)


def outputs_for(class_count: int) -> tuple[TensorSpec, ...]:
    """What the family gives.

    Args:
        class_count: of the card; a heat map each.
    """
    grid = (ANSWER_ROWS, ANSWER_COLUMNS)
    return (
        TensorSpec(name="heat", dtype="float32", shape=(1, class_count, *grid)),
        TensorSpec(name="regression", dtype="float32", shape=(1, CODE_LENGTH, *grid)),
    )


class PillarsDetector:
    """Finds vehicles in a sweep.

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
        self._network = PillarsNetwork(model)

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Find the vehicles in the camera's view, best score first; 0.5 is a good cut.

        Yaws are those of the boxes' axes, in [-pi/2, pi/2): which end is the front, this family does not tell.

        Args:
            sweep: the points; those outside the image are not used, as in training.
            camera: tells the view.

        Raises:
            ModelError: the model failed on this input.
        """
        pillars = pillarise(sweep.points_velo[in_view(sweep.points_velo, camera)])
        if len(pillars.cells) == 0:
            return Detections3D.empty()
        found = decode(*self._network.run(pillars))
        detections = Detections3D(found.boxes_velo, found.scores, self._class_ids[found.channels])
        return detections.select(detections.class_ids != NOT_AN_OBJECT)


def _check(card: ModelCard) -> None:
    met = [(spec.name, spec.dtype, _fixed(spec)) for spec in (*card.inputs, *card.outputs)]
    expected = [(spec.name, spec.dtype, _fixed(spec)) for spec in (*INPUTS, *outputs_for(len(card.classes)))]
    if sorted(met) != sorted(expected):
        raise ModelLoadError(
            f"{card.label}: family pillars with {len(card.classes)} classes has inputs and outputs {expected};"
            f" the card says {met}"
        )


def _fixed(spec: TensorSpec) -> tuple[int, ...]:
    """The shape, with 0 for a length that varies."""
    return tuple(length if isinstance(length, int) else 0 for length in spec.shape)
