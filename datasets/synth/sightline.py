"""Whether a laser could reach a place: nothing but glass is between."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.stage import LaserScene, Stage, bounding_radius_m, first_stop
from vedette.geometry import SE3, NDArrayFloat

_MARGIN_M: Final = 0.05
"""A line ends this far before the place, which may lie on a surface."""


def clear_line(stage: Stage, from_id: int, origin_m: NDArrayFloat, place_m: ArrayLike, t_s: float) -> bool:
    """Whether nothing opaque lies between two points.

    Args:
        stage: the world.
        from_id: whose body is not in the way.
        origin_m: (3,) metres, world frame.
        place_m: (3,) metres, world frame.
        t_s: seconds since the world's beginning.
    """
    ray = np.asarray(place_m, dtype=np.float64) - origin_m
    reach_m = float(np.linalg.norm(ray)) - _MARGIN_M
    if reach_m <= 0.0:
        return True
    direction = ray / np.linalg.norm(ray)
    if _stop_m(stage.still, SE3.identity(), origin_m, direction) < reach_m:
        return False
    return not any(
        _stop_m(stage.own_scene(actor, t_s), actor.motion.pose(t_s), origin_m, direction) < reach_m
        for actor in stage.apart
        if actor.actor_id != from_id and _may_meet(actor, t_s, origin_m, direction, reach_m)
    )


def _may_meet(actor: Actor, t_s: float, origin_m: NDArrayFloat, direction: NDArrayFloat, reach_m: float) -> bool:
    """Whether the line comes near an actor's bounding sphere."""
    middle = actor.motion.pose(t_s).transform_points(np.array([0.0, 0.0, actor.shape.size_m[2] / 2])) - origin_m
    along_m = float(np.clip(middle @ direction, 0.0, reach_m))
    return float(np.linalg.norm(middle - along_m * direction)) <= bounding_radius_m(actor)


def _stop_m(scene: LaserScene, world_SE3_scene: SE3, origin_m: NDArrayFloat, direction: NDArrayFloat) -> float:
    """How far a ray gets in one scene."""
    scene_SE3_world = world_SE3_scene.inverse()
    start = scene_SE3_world.transform_points(origin_m[None]).astype(np.float32)
    ray = scene_SE3_world.rotate_vectors(direction[None]).astype(np.float32)
    hits, _ = first_stop(scene, start, ray, lambda count: np.ones(count, dtype=bool))
    return float(hits.range_m[0])
