"""A world made ready for rays: what stands still as one scene, everyone else in a scene of their own.

An actor's own scene lies in the actor's frame, and rays are brought into it: it is built once for a rigid shape, and a
ray that was fired at another instant needs another transform but no other scene. This makes a rolling shutter exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.raycast import NOBODY, Hits, TriangleScene, is_glass, placed
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt, NDArrayUInt8

_PANE_STEP_M = 0.005
"""How far behind a pane a ray goes on; the next pane of a vehicle is never so near."""
_MOST_PANES = 6


class LaserScene(TriangleScene):
    """A scene with what a laser asks of it for every shot."""

    @cached_property
    def glass(self) -> NDArrayBool:
        """``(T,) bool`` whether beams may pass each triangle."""
        return is_glass(self.mesh)

    @cached_property
    def has_glass(self) -> bool:
        """Whether beams may pass any of them."""
        return bool(self.glass.any())

    @cached_property
    def brightness(self) -> NDArrayFloat32:
        """``(T,) float32`` of each triangle's colour, 0 to 1."""
        return np.asarray(self.mesh.colours_rgb.mean(axis=1) / 255, dtype=np.float32)


class Stage:
    """A world's scenes, kept between looks.

    Args:
        world: the world.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        still = [actor for actor in world.actors if self._belongs_to_still(actor)]
        self.apart = tuple(actor for actor in world.actors if not self._belongs_to_still(actor))
        meshes = [world.scenery, *(placed(actor, 0.0) for actor in still)]
        ids = np.array([NOBODY, *(actor.actor_id for actor in still)], dtype=np.int64)
        self.still = LaserScene(Mesh.merge(meshes), np.repeat(ids, [len(mesh) for mesh in meshes]))
        self._rigid: dict[int, LaserScene] = {}

    def own_scene(self, actor: Actor, t_s: float) -> LaserScene:
        """An actor alone, in its own frame.

        Args:
            actor: whom.
            t_s: seconds since the world's beginning, for limbs.
        """
        if not actor.shape.is_rigid:
            return _alone(actor, t_s)
        if actor.actor_id not in self._rigid:
            self._rigid[actor.actor_id] = _alone(actor, t_s)
        return self._rigid[actor.actor_id]

    def check_sensor(self, actor_id: int) -> None:
        """Refuse to look from an actor whose own body would be in the way.

        Args:
            actor_id: who is to look.

        Raises:
            ConfigError: no connected vehicle of the world.
        """
        connected = self.world.connected_ids
        if actor_id not in connected:
            raise ConfigError(
                f"world {self.world.name}: actor {actor_id} carries no sensors; expected one of {list(connected)}"
            )

    def _belongs_to_still(self, actor: Actor) -> bool:
        # a vehicle with sensors must not see itself, even when it is parked
        connected = actor.actor_id in self.world.connected_ids
        return actor.motion.is_still and actor.shape.is_rigid and not connected


def bounding_radius_m(actor: Actor) -> float:
    """Radius of the sphere around the middle of an actor's box that holds all of it.

    Args:
        actor: whom.
    """
    return math.hypot(*actor.shape.size_m) / 2


def first_stop(
    scene: LaserScene,
    origins_m: NDArrayFloat32,
    directions: NDArrayFloat32,
    passes: Callable[[int], NDArrayBool],
    reach_m: NDArrayFloat32 | float = np.inf,
) -> tuple[Hits, NDArrayUInt8]:
    """First hit of each ray that is not a pane of glass that it passes.

    Args:
        scene: what is in the way.
        origins_m: ``(N,3) float32``.
        directions: ``(N,3) float32`` unit vectors.
        passes: given how many rays have just met a pane, which of them go on.
        reach_m: ``(N,) float32`` where something else is in the way: panes beyond are not met.

    Returns:
        The hits, and ``(N,) uint8`` how many panes each ray has passed.
    """
    hits = scene.cast(origins_m, directions)
    panes = np.zeros(len(origins_m), dtype=np.uint8)
    open_m = np.broadcast_to(np.float32(reach_m), hits.range_m.shape)
    at_glass = np.flatnonzero(_at_glass(scene, hits.triangles) & (hits.range_m < open_m))
    for _ in range(_MOST_PANES):
        going_on = at_glass[passes(len(at_glass))]
        if len(going_on) == 0:
            break
        start_m = hits.range_m[going_on] + np.float32(_PANE_STEP_M)
        beyond = scene.cast(origins_m[going_on] + directions[going_on] * start_m[:, None], directions[going_on])
        hits.range_m[going_on] = start_m + beyond.range_m
        hits.triangles[going_on] = beyond.triangles
        panes[going_on] += 1
        near = hits.range_m[going_on] < open_m[going_on]
        at_glass = going_on[_at_glass(scene, beyond.triangles) & near]
    return hits, panes


def _at_glass(scene: LaserScene, triangles: NDArrayInt) -> NDArrayBool:
    if not scene.has_glass:
        return np.zeros(len(triangles), dtype=bool)
    # a ray that met nothing asks for the last triangle
    return scene.glass.take(triangles) & (triangles >= 0)


def _alone(actor: Actor, t_s: float) -> LaserScene:
    mesh = actor.shape.mesh(t_s)
    return LaserScene(mesh, np.full(len(mesh), actor.actor_id, dtype=np.int64))
