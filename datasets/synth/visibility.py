"""How much of an actor a camera sees: rays through its outline, to it alone and past everyone else.

    seen   =  rays that meet the actor where it stands alone, and meet nothing before it
    share  =  seen / rays that meet the actor where it stands alone

Glass is opaque to the camera. Small outlines are sampled at every pixel, large ones in steps of several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.silhouette import Outline, outlines
from vedette.datasets.synth.stage import Stage, bounding_radius_m
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

_MOST_SAMPLES: Final = 24
"""Along each side of an outline: shares come out within 0.04 of those of every pixel."""
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
        row: which of the actors.
        scene: the actor's triangles in its own frame.
        world_SE3_actor: its pose.
        box_px: ``(4,)`` around its outline.
        directions: ``(N,3) float32`` of the rays that meet it, at least one, unit vectors in the world frame.
        range_m: ``(N,) float32`` where they do.
        free: ``(N,) bool`` which of them meet nothing still before it.
    """

    row: int
    scene: TriangleScene
    world_SE3_actor: SE3
    box_px: NDArrayFloat
    directions: NDArrayFloat32
    range_m: NDArrayFloat32
    free: NDArrayBool


@dataclass(frozen=True, eq=False)
class Prospect:
    """Someone whose outline is in the image, seen or not.

    Args:
        row: which of the actors.
        scene: the actor's triangles in its own frame.
        world_SE3_actor: its pose.
        outline: in the image.
        pixels: ``(N,2)`` u and v of the samples of it.
        pixels_per_ray: how much of the image each stands for.
    """

    row: int
    scene: TriangleScene
    world_SE3_actor: SE3
    outline: Outline
    pixels: NDArrayFloat
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

    @cached_property
    def _world_from_pixel(self) -> NDArrayFloat:
        return np.asarray(self.world_SE3_velo.rotation @ np.linalg.inv(self.camera.projection_velo[:, :3]))

    def rays(self, pixels: NDArrayFloat) -> NDArrayFloat:
        """Directions of pixels.

        Args:
            pixels: ``(N,2)`` u and v.

        Returns:
            ``(N,3)`` unit vectors, world frame.
        """
        matrix = self._world_from_pixel
        directions = pixels @ matrix[:, :2].T + matrix[:, 2]
        return np.asarray(directions / np.sqrt(np.einsum("ij,ij->i", directions, directions))[:, None])

    def may_show(self, places_m: NDArrayFloat, reach_m: NDArrayFloat) -> NDArrayBool:
        """Whether spheres reach into the view; sometimes true where they do not, never the other way round.

        Args:
            places_m: ``(N,3)`` their middles, world frame.
            reach_m: ``(N,)`` their radii.
        """
        camera = self.camera
        u, v, depth = (self.velo_SE3_world.transform_points(places_m) @ camera.projection_velo[:, :3].T).T
        u, v, depth = (row + offset for row, offset in zip((u, v, depth), camera.projection_velo[:, 3], strict=True))
        width, height = camera.width_px - 1, camera.height_px - 1
        # distances from the four sides of the view, each a plane through the camera
        sides = (
            (u, camera.fx, camera.cx),
            (width * depth - u, camera.fx, width - camera.cx),
            (v, camera.fy, camera.cy),
            (height * depth - v, camera.fy, height - camera.cy),
        )
        inside = [value > -reach_m * np.hypot(focal, border) for value, focal, border in sides]
        return np.asarray(np.logical_and.reduce([depth > -reach_m, *inside]))


def look(stage: Stage, eye: Eye, actors: Sequence[Actor], poses: Sequence[SE3], t_s: float) -> list[View]:
    """How a camera sees each of several actors, who may hide each other and be hidden by what stands still.

    Args:
        stage: the world.
        eye: the camera.
        actors: everyone who may be in view or in the way; not the one that carries the camera.
        poses: ``world_SE3_actor`` of each.
        t_s: the instant, seconds since the world's beginning.
    """
    views = [NOT_IN_VIEW] * len(actors)
    if not actors:
        return views
    prospects = _prospects(stage, eye, actors, poses, t_s)
    for prospect in prospects:
        views[prospect.row] = View(prospect.outline.box_px, prospect.outline.truncation, 0.0, 0)
    sights = _sights(stage, eye, actors, prospects)
    area = {prospect.row: prospect.pixels_per_ray for prospect in prospects}
    for sight, free in zip(sights, _seen(eye, sights), strict=True):
        share, pixels = float(free.mean()), int(free.sum()) * area[sight.row]
        views[sight.row] = replace(views[sight.row], visible_share=share, pixels_seen=pixels)
    return views


def _prospects(stage: Stage, eye: Eye, actors: Sequence[Actor], poses: Sequence[SE3], t_s: float) -> list[Prospect]:
    """Everyone whose outline is in the image."""
    places_m = np.array([pose.translation for pose in poses])
    # an actor's origin is at its bottom
    reach_m = np.array([2 * bounding_radius_m(actor) for actor in actors])
    near = np.flatnonzero(eye.may_show(places_m, reach_m)).tolist()
    scenes = [stage.own_scene(actors[row], t_s) for row in near]
    placed = [eye.velo_SE3_world.compose(poses[row]) for row in near]
    found = outlines([scene.mesh for scene in scenes], placed, eye.camera)
    return [
        Prospect(row, scene, poses[row], outline, *_samples(outline.box_px))
        for row, scene, outline in zip(near, scenes, found, strict=True)
        if outline is not None
    ]


def _sights(stage: Stage, eye: Eye, actors: Sequence[Actor], prospects: Sequence[Prospect]) -> list[Sight]:
    """Those of whom something may be seen past what stands still."""
    if not prospects:
        return []
    directions = eye.rays(np.concatenate([prospect.pixels for prospect in prospects])).astype(np.float32)
    origins = np.broadcast_to(eye.origin_m.astype(np.float32), directions.shape)
    open_m = stage.still.cast(origins, directions).range_m
    ends = np.cumsum([len(prospect.pixels) for prospect in prospects])[:-1]
    sights = []
    for prospect, rays, limits_m in zip(prospects, np.split(directions, ends), np.split(open_m, ends), strict=True):
        nearest_m = _box_distance_m(eye.origin_m, prospect.world_SE3_actor, actors[prospect.row].shape.size_m)
        # in a street, most stand behind its houses: they need no rays of their own
        if (limits_m > nearest_m - _MARGIN_M).any():
            hits = prospect.scene.cast(*_into(prospect.world_SE3_actor, eye.origin_m, rays))
            met, free = hits.met, limits_m > hits.range_m - _MARGIN_M
            if met.any():
                who = prospect.row, prospect.scene, prospect.world_SE3_actor, prospect.outline.box_px
                sights.append(Sight(*who, rays[met], hits.range_m[met], free[met]))
    return sights


def _box_distance_m(place_m: NDArrayFloat, world_SE3_actor: SE3, size_m: tuple[float, float, float]) -> float:
    """How far a place is from an actor's box."""
    x, y, z = ((place_m - world_SE3_actor.translation) @ world_SE3_actor.rotation).tolist()
    length_m, width_m, height_m = size_m
    outside_m = abs(x) - length_m / 2, abs(y) - width_m / 2, abs(z - height_m / 2) - height_m / 2
    return math.hypot(*(max(value, 0.0) for value in outside_m))


def _seen(eye: Eye, sights: Sequence[Sight]) -> list[NDArrayBool]:
    """For each sight (N,) which of its rays reach it."""
    free = [sight.free for sight in sights]
    for blocker, behind in zip(sights, _may_hide(sights), strict=True):
        hidden = [row for row in behind if free[row].any()]
        if hidden:
            targets = [sights[row] for row in hidden]
            blocked = _blocked(blocker.scene, blocker.world_SE3_actor, eye.origin_m, targets)
            for row, part in zip(hidden, blocked, strict=True):
                free[row] = free[row] & ~part
    return free


def _may_hide(sights: Sequence[Sight]) -> list[NDArrayInt]:
    """For each sight, rows of those it may hide: their outlines overlap its own, and they are not wholly before it."""
    boxes = np.array([sight.box_px for sight in sights]).reshape(-1, 4)
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
    across, down = axes
    pixels = np.empty((len(down), len(across), 2))
    pixels[..., 0], pixels[..., 1] = across, down[:, None]
    return pixels.reshape(-1, 2), area


def _into(
    world_SE3_actor: SE3, origin_m: NDArrayFloat, directions: NDArrayFloat | NDArrayFloat32
) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Rays from one point, in an actor's frame."""
    origin = (origin_m - world_SE3_actor.translation) @ world_SE3_actor.rotation
    turned = directions @ world_SE3_actor.rotation
    return np.broadcast_to(origin.astype(np.float32), turned.shape), turned.astype(np.float32)


def _blocked(
    scene: TriangleScene, world_SE3_scene: SE3, origin_m: NDArrayFloat, targets: Sequence[Sight]
) -> list[NDArrayBool]:
    """For each target (N,) before which of its rays' ends the scene is."""
    directions = np.concatenate([target.directions for target in targets])
    reach_m = np.maximum(np.concatenate([target.range_m for target in targets]) - _MARGIN_M, _MARGIN_M)
    origins, turned = _into(world_SE3_scene, origin_m, directions)
    blocked = scene.blocked(origins, turned * reach_m[:, None].astype(np.float32), far_m=1.0)
    return np.split(blocked, np.cumsum([len(target.range_m) for target in targets])[:-1])
