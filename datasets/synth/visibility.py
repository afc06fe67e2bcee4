"""How much of an actor a camera sees: rays through its outline, to it alone and past everyone else.

    seen   =  rays that meet the actor where it stands alone, and meet nothing before it
    share  =  seen / rays that meet the actor where it stands alone

Glass is opaque to the camera. Small outlines are sampled at every pixel, large ones in steps of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.silhouette import Outline, outline
from vedette.datasets.synth.stage import Stage, bounding_radius_m
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

_MOST_SAMPLES: Final = 32
"""Along each side of an outline."""
_MARGIN_M: Final = 0.02
"""Rays end this far before the actor, so that it does not hide itself."""


@dataclass(frozen=True, eq=False)
class View:
    """How much of someone a camera sees.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2 around the outline within the image, hidden parts included; NaN out of view.
        truncation: share of the outline's box outside the image; 1 out of view.
        visible_share: of the outline inside the image.
        pixels_seen: about as many show it.
    """

    box_px: NDArrayFloat
    truncation: float
    visible_share: float
    pixels_seen: int


NOT_IN_VIEW: Final = View(np.full(4, np.nan), 1.0, 0.0, 0)
"""Nothing of it would be in the image even if it stood alone."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Someone in view, alone.

    Args:
        scene: the actor's triangles in its own frame.
        world_SE3_actor: its pose.
        outline: in the image.
        directions: ``(N,3) float32`` of the rays that meet it, at least one, unit vectors in the world frame.
        range_m: ``(N,) float32`` where they do.
        pixels_per_ray: how much of the image each ray stands for.
    """

    scene: TriangleScene
    world_SE3_actor: SE3
    outline: Outline
    directions: NDArrayFloat32
    range_m: NDArrayFloat32
    pixels_per_ray: int


@dataclass(frozen=True, eq=False)
class Eye:
    """A camera in the world at an instant.

    Args:
        camera: as calibrated to its LiDAR.
        world_SE3_velo: pose of that LiDAR.
    """

    camera: PinholeCamera
    world_SE3_velo: SE3

    @cached_property
    def velo_SE3_world(self) -> SE3:
        """The way back."""
        return self.world_SE3_velo.inverse()

    @cached_property
    def origin_m(self) -> NDArrayFloat:
        """``(3,)`` where all rays start, world frame."""
        projection = self.camera.projection_velo
        return self.world_SE3_velo.transform_points(-np.linalg.solve(projection[:, :3], projection[:, 3]))

    def rays(self, pixels: NDArrayFloat) -> NDArrayFloat:
        """Directions of pixels.

        Args:
            pixels: ``(N,2)`` u and v.

        Returns:
            ``(N,3)`` unit vectors, world frame.
        """
        homogeneous = np.concatenate([pixels, np.ones((len(pixels), 1))], axis=1)
        rays_velo = np.linalg.solve(self.camera.projection_velo[:, :3], homogeneous.T).T
        directions = self.world_SE3_velo.rotate_vectors(rays_velo)
        return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


def look(stage: Stage, eye: Eye, actors: Sequence[Actor], poses: Sequence[SE3], t_s: float) -> list[View]:
    """How a camera sees each of several actors, who may hide each other and be hidden by what stands still.

    Args:
        stage: the world.
        eye: the camera.
        actors: everyone who may be in view or in the way; not the one that carries the camera.
        poses: ``world_SE3_actor`` of each.
        t_s: the instant, seconds since the world's beginning.
    """
    views, sights, rows = [NOT_IN_VIEW] * len(actors), [], []
    for row, (actor, pose) in enumerate(zip(actors, poses, strict=True)):
        sight = _sight(stage, eye, actor, pose, t_s)
        if sight is not None:
            sights.append(sight)
            rows.append(row)
    for row, sight, free in zip(rows, sights, _seen(stage, eye, sights), strict=True):
        share, pixels = float(free.mean()), int(free.sum()) * sight.pixels_per_ray
        views[row] = View(sight.outline.box_px, sight.outline.truncation, share, pixels)
    return views


def _sight(stage: Stage, eye: Eye, actor: Actor, world_SE3_actor: SE3, t_s: float) -> Sight | None:
    """Someone alone, or None where not a pixel would show it."""
    velo_SE3_actor = eye.velo_SE3_world.compose(world_SE3_actor)
    if not _may_show(eye.camera, velo_SE3_actor, bounding_radius_m(actor)):
        return None
    scene = stage.own_scene(actor, t_s)
    found = outline(scene.mesh, velo_SE3_actor, eye.camera)
    if found is None:
        return None
    pixels, area = _samples(found.box_px)
    directions = eye.rays(pixels)
    hits = scene.cast(*_into(world_SE3_actor, eye.origin_m, directions))
    if not hits.met.any():
        return None
    met = hits.met
    return Sight(scene, world_SE3_actor, found, directions[met].astype(np.float32), hits.range_m[met], area)


def _may_show(camera: PinholeCamera, velo_SE3_actor: SE3, radius_m: float) -> bool:
    """Whether a sphere around the actor's origin that holds all of it reaches into the view; quick, and never wrong."""
    projection = camera.projection_velo
    u, v, depth = projection[:, :3] @ velo_SE3_actor.translation + projection[:, 3]
    reach_m = 2 * radius_m
    # distances from the four sides of the view, each a plane through the camera
    sides = (
        (u, camera.fx, camera.cx),
        ((camera.width_px - 1) * depth - u, camera.fx, camera.width_px - 1 - camera.cx),
        (v, camera.fy, camera.cy),
        ((camera.height_px - 1) * depth - v, camera.fy, camera.height_px - 1 - camera.cy),
    )
    return depth > -reach_m and all(value > -reach_m * np.hypot(focal, border) for value, focal, border in sides)


def _seen(stage: Stage, eye: Eye, sights: Sequence[Sight]) -> list[NDArrayBool]:
    """For each sight (N,) which of its rays reach it."""
    origin_m = eye.origin_m
    free = [~_blocked(stage.still, SE3.identity(), origin_m, [sight]) for sight in sights]
    for blocker, behind in zip(sights, _may_hide(sights), strict=True):
        hidden = [row for row in behind if free[row].any()]
        if not hidden:
            continue
        targets = [sights[row] for row in hidden]
        blocked = _blocked(blocker.scene, blocker.world_SE3_actor, origin_m, targets)
        ends = np.cumsum([len(target.range_m) for target in targets])[:-1]
        for row, part in zip(hidden, np.split(blocked, ends), strict=True):
            free[row] &= ~part
    return free


def _may_hide(sights: Sequence[Sight]) -> list[NDArrayInt]:
    """For each sight, rows of those it may hide: their outlines overlap its own, and they are not wholly before it."""
    boxes = np.array([sight.outline.box_px for sight in sights]).reshape(-1, 4)
    nearest = np.array([sight.range_m.min() for sight in sights])
    farthest = np.array([sight.range_m.max() for sight in sights])
    apart = (boxes[:, None, :2] > boxes[None, :, 2:]) | (boxes[:, None, 2:] < boxes[None, :, :2])
    hides = ~apart.any(axis=2) & (nearest[:, None] < farthest[None]) & ~np.eye(len(sights), dtype=bool)
    return [np.flatnonzero(row) for row in hides]


def _samples(box_px: NDArrayFloat) -> tuple[NDArrayFloat, int]:
    """Pixels of a box, and how many pixels each stands for."""
    axes, area = [], 1
    for low, high in ((box_px[0], box_px[2]), (box_px[1], box_px[3])):
        first, last = int(np.ceil(low)), int(np.floor(high))
        step = max(1, -(-(last - first + 1) // _MOST_SAMPLES))
        axes.append(np.arange(first + step // 2 if last - first >= step // 2 else first, last + 1, step))
        area *= step
    u, v = np.meshgrid(*axes)
    return np.stack([u.ravel(), v.ravel()], axis=1).astype(np.float64), area


def _into(
    world_SE3_actor: SE3, origin_m: NDArrayFloat, directions: NDArrayFloat | NDArrayFloat32
) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Rays from one point, in an actor's frame."""
    origin = (origin_m - world_SE3_actor.translation) @ world_SE3_actor.rotation
    turned = directions @ world_SE3_actor.rotation
    return np.tile(origin.astype(np.float32), (len(turned), 1)), turned.astype(np.float32)


def _blocked(
    scene: TriangleScene, world_SE3_scene: SE3, origin_m: NDArrayFloat, targets: Sequence[Sight]
) -> NDArrayBool:
    """(sum of N,) whether a scene is before the targets, for all their rays."""
    directions = np.concatenate([target.directions for target in targets])
    reach_m = np.maximum(np.concatenate([target.range_m for target in targets]) - _MARGIN_M, _MARGIN_M)
    origins, turned = _into(world_SE3_scene, origin_m, directions)
    return scene.blocked(origins, turned * reach_m[:, None].astype(np.float32), far_m=1.0)
