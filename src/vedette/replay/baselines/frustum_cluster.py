"""The naive way from a 2D box to a 3D one: the largest cluster in its frustum, in a box of the class's usual size.

As MathWorks documents it for `bboxCameraToLidar`: points in the frustum, Euclidean clusters 0.5 m apart, a box around
one of them. Each frame is on its own: no tracks, no offloading, no memory.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from vedette.classes import ObjectClass
from vedette.clock import Clock
from vedette.detections import Detections2D, Detections3D, Detector2D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.lifting.priors import prior
from vedette.edge.lifting.rectangle import search_axes, thinned
from vedette.edge.lifting.scene import Scene, view_scene
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayFloat, NDArrayFloat32
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

_GAP_M: Final = 0.5
_MIN_POINTS: Final = 3
_MAX_POINTS: Final = 2000


class FrustumClusterAgent:
    """Lifts every frame on its own.

    Args:
        detector2d: finds objects in the image.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
    """

    def __init__(self, detector2d: Detector2D, sink: Sink, clock: Clock, stages: StageTimer) -> None:
        self._detector2d = detector2d
        self._sink = sink
        self._clock = clock
        self._stages = stages

    def process_frame(self, frame: Frame) -> FrameResult:
        """Detect in the image, cluster the sweep, publish."""
        with self._stages.stage("detect2d"):
            detections = Detections2D.empty() if frame.image is None else self._detector2d.detect(frame.image)
        with self._stages.stage("lift"):
            boxes = Detections3D.empty() if frame.sweep is None else _boxes(frame, detections)
        publication = self._publish(frame, boxes, frame.stamp_ns)
        decision = OffloadDecision(send=False, reason="never")
        return FrameResult(frame.index, publication, decision, self._stages.take_ms(), frame.missing)

    def skip_frame(self, item: FrameItem) -> Publication:
        """There is nothing to show for a frame that was not looked at."""
        return self._publish(item, Detections3D.empty(), item.stamp_ns - 1)

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Nothing is asked, so that nothing is answered.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"an answer about frame {answer.frame_index}, which nobody asked for")

    def give_up(self, loss: Loss) -> None:
        """Nothing was asked."""

    def _publish(self, item: FrameItem, boxes: Detections3D, basis_ns: int) -> Publication:
        count = len(boxes)
        shown = PublishedBoxes(boxes, np.full(count, -1), ("cluster",) * count, np.full((count, 2), np.nan))
        publication = shown.publication(item.index, item.stamp_ns, self._clock.now_ns(), basis_ns)
        self._sink.publish(publication)
        return publication


def _boxes(frame: Frame, detections: Detections2D) -> Detections3D:
    if frame.sweep is None:
        raise ValueError(f"frame {frame.index} has no sweep; expected one")
    scene = view_scene(frame.sweep, frame.camera, detections)
    rows = [
        (index, _box(scene, index, ObjectClass(int(class_id)))) for index, class_id in enumerate(detections.class_ids)
    ]
    kept = [(index, box) for index, box in rows if box is not None]
    index = np.array([row for row, _ in kept], np.int64)
    boxes = np.array([box for _, box in kept]).reshape(-1, 7)
    return Detections3D(boxes, detections.scores[index], detections.class_ids[index])


def _box(scene: Scene, index: int, object_class: ObjectClass) -> NDArrayFloat | None:
    xyz = scene.xyz_velo.take(scene.around[index][scene.inside[index]], axis=1)
    if xyz.shape[1] < _MIN_POINTS:
        return None
    cluster = _largest_cluster(xyz[:, :: xyz.shape[1] // _MAX_POINTS + 1])
    if cluster.shape[1] < _MIN_POINTS:
        return None
    size_m = prior(object_class).size_m
    side_yaw = search_axes(thinned([cluster[:2]]), np.array([float(cluster.shape[1])]), [0.0], [0.0])[0]
    yaw = side_yaw if _extent(cluster, side_yaw) >= _extent(cluster, side_yaw + math.pi / 2) else side_yaw + math.pi / 2
    x, y = ((cluster[axis].min() + cluster[axis].max()) / 2 for axis in range(2))
    bottom_z = scene.ground.height_at(float(x), float(y))
    return np.array([x, y, bottom_z + size_m[2] / 2, *size_m, yaw])


def _extent(xyz: NDArrayFloat32, yaw: float) -> float:
    return float(np.ptp(xyz[0] * math.cos(yaw) + xyz[1] * math.sin(yaw)))


def _largest_cluster(xyz: NDArrayFloat32) -> NDArrayFloat32:
    pairs = cKDTree(xyz.T).query_pairs(_GAP_M, output_type="ndarray")
    count = xyz.shape[1]
    links = coo_matrix((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), (count, count))
    _, labels = connected_components(links, directed=False)
    return xyz[:, labels == np.bincount(labels).argmax()]
