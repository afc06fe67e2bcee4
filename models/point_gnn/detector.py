"""Sweep in, cars out."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.errors import ModelLoadError
from vedette.frames import Sweep
from vedette.geometry import NDArrayFloat, NDArrayFloat32, PinholeCamera, boxes_velo_from_cam
from vedette.models.camera_view import in_view
from vedette.models.point_gnn.boxes import CameraBoxes, decode, merge
from vedette.models.point_gnn.graph import build_graph
from vedette.models.point_gnn.network import PointGnnNetwork
from vedette.models.sessions import OnnxModel

GOOD_RAW_SCORE: Final = 3.0
"""Raw score at which false alarms become rare; it is mapped to 0.5."""
_INPUTS: Final = {"reflectance", "xyz", "keypoint", "pool_src", "pool_dst", "edge_src", "edge_dst"}
_OUTPUTS: Final = {"prob": (4,), "enc": (4, 7)}
"""Shapes for one keypoint: four classes, and for each a box in code."""


class PointGnnDetector:
    """Finds cars in a sweep with Point-GNN.

    Args:
        model: inputs and outputs of the published export.

    Raises:
        ModelLoadError: its inputs, outputs or inner tensors are named otherwise, or it is one for other classes.
    """

    def __init__(self, model: OnnxModel) -> None:
        card = model.card
        outputs = {spec.name: spec.shape[1:] for spec in card.outputs}
        if {spec.name for spec in card.inputs} != _INPUTS or outputs != _OUTPUTS or len(card.classes) != 4:
            raise ModelLoadError(
                f"{card.label}: family point_gnn has inputs {sorted(_INPUTS)}, outputs {_OUTPUTS} for each keypoint and"
                f" 4 classes; the card says {sorted(spec.name for spec in card.inputs)}, {outputs} and"
                f" {len(card.classes)} classes"
            )
        self.name = card.label
        self._network = PointGnnNetwork(model)

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        """Find the cars in the camera's view, best score first.

        A raw score s, which has no upper bound, becomes s / (s + 3): 0.5 is a good cut.

        Args:
            sweep: the points; those outside the image are not used, as in training.
            camera: tells the view, and KITTI's rectified camera frame in which the model works.

        Raises:
            ModelInputError: far more points close together than a LiDAR returns.
            ModelError: the model failed on this input.
        """
        points_cam = points_in_view(sweep, camera)
        if len(points_cam) == 0:
            return Detections3D.empty()
        graph = build_graph(points_cam[:, :3])
        probabilities, encodings = self._network.run(points_cam, graph)
        found = merge(decode(probabilities, encodings, points_cam[graph.keypoints, :3]))
        return _detections(found, camera)


def points_in_view(sweep: Sweep, camera: PinholeCamera) -> NDArrayFloat32:
    """The points that the camera sees, in its rectified frame.

    Args:
        sweep: any sweep.
        camera: its view and frame.

    Returns:
        ``(N,4) float32`` x, y, z in metres, intensity in [0, 1]; N may be 0.
    """
    seen = sweep.points_velo[in_view(sweep.points_velo, camera)]
    points_cam = camera.cam_SE3_velo.transform_points(seen[:, :3].astype(np.float64))
    return np.column_stack([points_cam, seen[:, 3]]).astype(np.float32)


def _detections(found: CameraBoxes, camera: PinholeCamera) -> Detections3D:
    boxes: NDArrayFloat = boxes_velo_from_cam(camera.cam_SE3_velo, found.boxes_cam)
    scores = found.scores / (found.scores + GOOD_RAW_SCORE)
    return Detections3D(boxes, scores, np.full(len(boxes), int(ObjectClass.CAR), dtype=np.int64))
