"""Sweep in, objects out."""

from __future__ import annotations

import numpy as np
import structlog

from vedette.detections import Detections3D
from vedette.errors import ModelCardError
from vedette.frames import Sweep
from vedette.geometry import SE3, NDArrayFloat32, PinholeCamera, transform_boxes
from vedette.models.camera_view import in_view
from vedette.models.cards import ModelCard
from vedette.models.labels import NOT_AN_OBJECT, channel_class_ids
from vedette.models.pillar_keys import NetworkFrame, SplitPillars
from vedette.models.sessions import OnnxModel
from vedette.models.split_pillars.anchor_head import decode_anchors
from vedette.models.split_pillars.candidates import Candidates, settle, with_good_at_half
from vedette.models.split_pillars.centre_head import decode_centres
from vedette.models.split_pillars.features import pillarise
from vedette.models.split_pillars.network import SplitPillarsNetwork, keys_of


class SplitPillarsDetector:
    """Finds objects in a sweep with a user's own pillar network.

    Args:
        model: the backbone and head, with the voxel encoder as companion.

    Raises:
        ModelCardError: the card lacks the encoder or the family's keys, its keys are for another number of classes, or
            none of its classes is one of ours.
        ModelLoadError: the shapes of the two files do not fit each other or the card's keys.
    """

    def __init__(self, model: OnnxModel) -> None:
        self.name = model.card.label
        self._keys = keys_of(model.card)
        self._class_ids = channel_class_ids(model.card)
        _check_norms(model.card, self._keys)
        self._network = SplitPillarsNetwork(model)
        self._velo_SE3_network = velo_SE3_network(self._keys.frame)

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Find the objects of which the image would show something, best score first; 0.5 is a good cut.

        Args:
            sweep: the points; where the card says `points: in_view`, those outside the image are not used.
            camera: tells the view.

        Raises:
            ModelError: the model failed on this input.
        """
        points = sweep.points_velo
        found = self._find(points[in_view(points, camera)] if self._keys.points == "in_view" else points)
        return found.select(camera.project_boxes(found.boxes_velo)[2])

    def detect_around(self, sweep: Sweep) -> Detections3D:
        """Find the objects in the whole grid, best score first.

        Args:
            sweep: the points; all are used.

        Raises:
            ModelError: the model failed on this input.
        """
        return self._find(sweep.points_velo)

    def _find(self, points_velo_m: NDArrayFloat32) -> Detections3D:
        pillars = pillarise(_moved(points_velo_m, self._velo_SE3_network.inverse()), self._keys)
        if pillars.pillars_left_out:
            structlog.get_logger(__name__).error(
                "model.pillars_left_out",
                model=self.name,
                left_out=pillars.pillars_left_out,
                max_pillars=self._keys.grid.max_pillars,
            )
        if len(pillars.cells) == 0:
            return Detections3D.empty()
        found = settle(self._decoded(self._network.run(pillars)), self._keys.head)
        boxes_velo = transform_boxes(self._velo_SE3_network, found.boxes)
        class_ids = self._class_ids[found.channels]
        ours = class_ids != NOT_AN_OBJECT
        scores = with_good_at_half(found.scores, self._keys.head)
        return Detections3D(boxes_velo[ours], scores[ours], class_ids[ours])

    def _decoded(self, maps: dict[str, NDArrayFloat32]) -> Candidates:
        head, grid, class_count = self._keys.head, self._keys.grid, len(self._class_ids)
        if head.kind == "centres":
            return decode_centres(maps, head, grid, class_count)
        return decode_anchors(maps, head, grid, class_count)


def velo_SE3_network(frame: NetworkFrame) -> SE3:
    """The motion from a network's frame to velo.

    Args:
        frame: origin and yaw in velo.
    """
    return SE3.from_yaw(frame.yaw_velo_rad, frame.origin_velo_m)


def _moved(points_velo_m: NDArrayFloat32, network_SE3_velo: SE3) -> NDArrayFloat32:
    """``(N,4) float32`` in the network's frame."""
    moved = network_SE3_velo.transform_points(points_velo_m[:, :3].astype(np.float64))
    return np.column_stack([moved, points_velo_m[:, 3]]).astype(np.float32)


def _check_norms(card: ModelCard, keys: SplitPillars) -> None:
    norms = keys.head.min_rotation_norm if keys.head.kind == "centres" else ()
    if norms and len(norms) != len(card.classes):
        raise ModelCardError(
            f"{card.label}: min_rotation_norm has {len(norms)} numbers; expected {len(card.classes)}, one a class"
        )
