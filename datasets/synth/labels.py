"""What a vehicle's sensors could know of everyone around it: boxes, visibility, and KITTI's labels made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.classes import CLASS_TO_KITTI, ObjectClass
from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.lidar import Scan
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig, world_SE3_velo
from vedette.datasets.synth.sightline import clear_line
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.visibility import Eye, look
from vedette.datasets.synth.world import World
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.geometry import (
    SE3,
    NDArrayBool,
    NDArrayFloat,
    NDArrayInt,
    PinholeCamera,
    boxes_cam_from_velo,
    wrap_pi,
)

FAR_M: Final = 120.0
"""Nobody farther away is looked at."""
_FULLY_VISIBLE: Final = 0.8
_PARTLY_VISIBLE: Final = 0.4
_LEAST_VISIBLE: Final = 0.2
_LEAST_HEIGHT_PX: Final = 12.0
_LEAST_REGION_PX: Final = 40
_FARTHEST_M: Final = 80.0
_UNKNOWN: Final = -1
_ANGLE_UNKNOWN: Final = -10.0
_NO_BOX: Final = np.array([-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, -10.0])
"""KITTI's placeholders of a region: no place, no size, no heading."""


@dataclass(frozen=True, eq=False)
class Observed:
    """Everyone around a vehicle at an instant, the vehicle itself left out.

    Args:
        actor_ids: ``(N,) int64``, in the world's order.
        class_ids: ``(N,) int64`` values of `ObjectClass`.
        boxes_velo: ``(N,7) float64`` x, y, z, length, width, height, yaw; upright in the vehicle's velo frame.
        boxes_px: ``(N,4) float64`` x1, y1, x2, y2 around the outline within the image; NaN where it is not in it.
        truncation: ``(N,) float64`` share of the outline's box outside the image; 1 where it is not in it.
        visible_share: ``(N,) float64`` of the outline inside the image that nothing hides; 0 where it is not in it.
        pixels_seen: ``(N,) int64`` about as many show it.
        points_hit: ``(N,) int64`` points of the scan that met it; 0 without a scan.
    """

    actor_ids: NDArrayInt
    class_ids: NDArrayInt
    boxes_velo: NDArrayFloat
    boxes_px: NDArrayFloat
    truncation: NDArrayFloat
    visible_share: NDArrayFloat
    pixels_seen: NDArrayInt
    points_hit: NDArrayInt

    def __len__(self) -> int:
        return len(self.actor_ids)

    def select(self, keep: NDArrayBool | NDArrayInt) -> Observed:
        """Some of them.

        Args:
            keep: ``(N,) bool``, or rows.
        """
        return Observed(
            self.actor_ids[keep],
            self.class_ids[keep],
            self.boxes_velo[keep],
            self.boxes_px[keep],
            self.truncation[keep],
            self.visible_share[keep],
            self.pixels_seen[keep],
            self.points_hit[keep],
        )


class Observer:
    """Labels of a world, from any of its connected vehicles at any time.

    Args:
        world: the world.
        stage: the world made ready, where sensors share it.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, world: World, stage: Stage | None = None) -> None:
        self._world = world
        self._stage = stage or Stage(world)

    def observe(self, actor_id: int, t_s: float, rig: SensorRig, scan: Scan | None) -> Observed:
        """Everyone within `FAR_M`, in view or not.

        Args:
            actor_id: who looks.
            t_s: when, seconds since the world's beginning.
            rig: with which camera.
            scan: the turn around that time, to count points; None to count none.

        Raises:
            ConfigError: no connected vehicle.
        """
        self._stage.check_sensor(actor_id)
        eye = Eye(rig.camera, world_SE3_velo(self._world, actor_id, rig, t_s))
        actors, poses = self._near(actor_id, t_s, eye.world_SE3_velo)
        views = look(self._stage, eye, actors, poses, t_s)
        return Observed(
            actor_ids=np.array([actor.actor_id for actor in actors], dtype=np.int64),
            class_ids=np.array([int(actor.object_class) for actor in actors], dtype=np.int64),
            boxes_velo=_boxes(actors, poses, eye.world_SE3_velo),
            boxes_px=np.array([view.box_px for view in views]).reshape(-1, 4),
            truncation=np.array([view.truncation for view in views], dtype=np.float64),
            visible_share=np.array([view.visible_share for view in views], dtype=np.float64),
            pixels_seen=np.array([view.pixels_seen for view in views], dtype=np.int64),
            points_hit=_points_hit(actors, scan),
        )

    def line_of_sight(self, from_id: int, place_world_m: ArrayLike, t_s: float) -> bool:
        """Whether a vehicle's LiDAR could see a place: nothing but glass is between.

        Args:
            from_id: the vehicle; its own body is not in the way.
            place_world_m: (3,) metres, world frame.
            t_s: when, seconds since the world's beginning.

        Raises:
            ConfigError: no connected vehicle.
        """
        self._stage.check_sensor(from_id)
        origin_m = world_SE3_velo(self._world, from_id, KITTI_RIG, t_s).translation
        return clear_line(self._stage, from_id, origin_m, place_world_m, t_s)

    def _near(self, actor_id: int, t_s: float, world_SE3_velo: SE3) -> tuple[list[Actor], list[SE3]]:
        """Everyone else within reach, and where they are."""
        others = [actor for actor in self._world.actors if actor.actor_id != actor_id]
        poses = [actor.motion.pose(t_s) for actor in others]
        places_m = np.array([pose.translation for pose in poses]).reshape(-1, 3)
        near = np.flatnonzero(np.linalg.norm(places_m - world_SE3_velo.translation, axis=1) <= FAR_M).tolist()
        return [others[row] for row in near], [poses[row] for row in near]


def kitti_objects(observed: Observed, camera: PinholeCamera) -> CameraObjects:
    """The labels that KITTI's annotators would have given.

    They boxed what could be told from the picture and the scan. What is less than a fifth visible, lower than 12
    pixels, or beyond 80 m, where the scans end, becomes a ``DontCare`` region, or nothing where it shows less than 40
    pixels. Occlusion is 0 from 80 % visible, 1 from 40 %, 2 below. Track ids are the actors'; regions have -1.

    Args:
        observed: everyone around the vehicle.
        camera: that the labels are for.
    """
    shown = observed.select(observed.pixels_seen > 0)
    height_px = shown.boxes_px[:, 3] - shown.boxes_px[:, 1]
    distance_m = np.linalg.norm(shown.boxes_velo[:, :2], axis=1)
    clear = (shown.visible_share >= _LEAST_VISIBLE) & (height_px >= _LEAST_HEIGHT_PX) & (distance_m <= _FARTHEST_M)
    boxed, regions = shown.select(clear), shown.select(~clear & (shown.pixels_seen >= _LEAST_REGION_PX))
    boxes_cam = boxes_cam_from_velo(camera.cam_SE3_velo, boxed.boxes_velo)
    count = len(regions)
    unknown = np.full(count, _UNKNOWN)
    return CameraObjects(
        types=(*(CLASS_TO_KITTI[ObjectClass(row)] for row in boxed.class_ids), *[DONT_CARE] * count),
        truncation=np.concatenate([boxed.truncation, unknown]),
        occlusion=np.concatenate([_occlusion(boxed.visible_share), unknown]),
        alpha=np.concatenate([_alpha(boxes_cam), np.full(count, _ANGLE_UNKNOWN)]),
        boxes_px=np.concatenate([boxed.boxes_px, regions.boxes_px]),
        boxes_cam=np.concatenate([boxes_cam, np.tile(_NO_BOX, (count, 1))]),
        track_ids=np.concatenate([boxed.actor_ids, unknown]),
    )


def _occlusion(visible_share: NDArrayFloat) -> NDArrayInt:
    return (visible_share < _FULLY_VISIBLE).astype(np.int64) + (visible_share < _PARTLY_VISIBLE)


def _alpha(boxes_cam: NDArrayFloat) -> NDArrayFloat:
    """Observation angles: the heading as seen along the ray to the box."""
    return wrap_pi(boxes_cam[:, 6] - np.arctan2(boxes_cam[:, 0], boxes_cam[:, 2]))


def _boxes(actors: Sequence[Actor], poses: Sequence[SE3], world_SE3_velo: SE3) -> NDArrayFloat:
    """(N, 7) boxes around actors, upright in velo."""
    boxes = np.empty((len(actors), 7))
    boxes[:, 3:6] = np.array([actor.shape.size_m for actor in actors]).reshape(-1, 3)
    rotations = np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3)
    bottoms_m = np.array([pose.translation for pose in poses]).reshape(-1, 3)
    velo_SE3_world = world_SE3_velo.inverse()
    boxes[:, :3] = velo_SE3_world.transform_points(bottoms_m + rotations[:, :, 2] * boxes[:, 5:6] / 2)
    headings = velo_SE3_world.rotate_vectors(rotations[:, :, 0])
    boxes[:, 6] = wrap_pi(np.arctan2(headings[:, 1], headings[:, 0]))
    return boxes


def _points_hit(actors: Sequence[Actor], scan: Scan | None) -> NDArrayInt:
    if scan is None:
        return np.zeros(len(actors), dtype=np.int64)
    ids, counts = np.unique(scan.owners, return_counts=True)
    by_id = dict(zip(ids.tolist(), counts.tolist(), strict=True))
    return np.array([by_id.get(actor.actor_id, 0) for actor in actors], dtype=np.int64)
