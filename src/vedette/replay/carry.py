"""Streaming accuracy for a reader who moves the boxes on: from their capture time to the present.

A reader on the vehicle has its odometry, and every publication carries the objects' velocities over ground. So it can
put each box where it should be now:

    ego(t) <- world <- ego(stamp):  box + velocity * (t - stamp)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.detections import Detections3D
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.streaming import standing_publications
from vedette.geometry import SE3, transform_boxes
from vedette.publication import Publication
from vedette.replay.truth import TrueFrame


def carried_frames(publications: Sequence[Publication], truth: Sequence[TrueFrame]) -> list[ScoredFrame]:
    """Pair the labels of each capture time with the boxes that stood published then, carried to that time.

    Args:
        publications: everything published, in order; forecasts, which are moved on already, are left out.
        truth: every item of the recording.

    Returns:
        One frame per labelled frame with a pose; none at all for a recording without odometry.
    """
    publications = [publication for publication in publications if not publication.forecast]
    poses = {frame.stamp_ns: frame.world_SE3_ego for frame in truth}
    labelled = [frame for frame in truth if frame.labels is not None and frame.world_SE3_ego is not None]
    standing = standing_publications(
        np.array([frame.stamp_ns for frame in labelled], np.int64),
        np.array([publication.publish_ns for publication in publications], np.int64),
        np.array([publication.stamp_ns for publication in publications], np.int64),
    )
    return [
        _scored(frame, publications[index] if index >= 0 else None, poses)
        for frame, index in zip(labelled, standing.tolist(), strict=True)
    ]


def carry(publication: Publication, world_SE3_then: SE3, world_SE3_now: SE3, now_ns: int) -> Detections3D:
    """The published boxes where they should be now.

    Args:
        publication: its boxes are in the velo frame at its stamp; an unknown velocity counts as standing still.
        world_SE3_then: pose of the vehicle at the publication's stamp.
        world_SE3_now: pose of the vehicle now.
        now_ns: the present.

    Returns:
        The boxes in the velo frame of the present.
    """
    elapsed_s = (now_ns - publication.stamp_ns) / 1e9
    detections = publication.detections
    boxes_world = transform_boxes(world_SE3_then, detections.boxes_velo)
    boxes_world[:, :2] += np.nan_to_num(publication.velocities_world_mps) * elapsed_s
    return Detections3D(transform_boxes(world_SE3_now.inverse(), boxes_world), detections.scores, detections.class_ids)


def _scored(frame: TrueFrame, publication: Publication | None, poses: dict[int, SE3 | None]) -> ScoredFrame:
    if frame.labels is None or frame.world_SE3_ego is None:
        raise ValueError(f"frame {frame.index} has no labels or no pose; expected both")
    world_SE3_then = None if publication is None else poses.get(publication.stamp_ns)
    if publication is None or world_SE3_then is None:
        return ScoredFrame(frame.labels, CameraObjects.empty(scored=True))
    carried = carry(publication, world_SE3_then, frame.world_SE3_ego, frame.stamp_ns)
    return ScoredFrame(frame.labels, camera_objects_from_detections(carried, frame.camera))
