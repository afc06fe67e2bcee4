"""A world small enough to work out by hand: a level plane, an ego vehicle, and what a test puts before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.world import Light, World
from vedette.geometry import SE3

GREY = (128, 128, 128)
EGO_ID = 1


@dataclass(frozen=True)
class Straight:
    """Constant velocity."""

    start: SE3
    velocity_m_s: tuple[float, float, float]
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        return SE3(self.start.rotation, self.start.translation + t_s * np.array(self.velocity_m_s))


def box_shape(length_m: float, width_m: float, height_m: float) -> RigidShape:
    """A cuboid of car paint."""
    size = (length_m, width_m, height_m)
    return RigidShape(cuboid(size, Surface.CAR_PAINT, GREY), size)


def standing(actor_id: int, x: float, y: float, yaw: float = 0.0, size: Sequence[float] = (4.0, 1.8, 1.5)) -> Actor:
    """A parked cuboid."""
    return Actor(actor_id, ObjectClass.CAR, box_shape(*size), Still(SE3.from_yaw(yaw, [x, y, 0.0])))


def passing(actor_id: int, x: float, y: float, velocity_m_s: tuple[float, float, float], yaw: float = 0.0) -> Actor:
    """A cuboid with constant velocity."""
    return Actor(
        actor_id, ObjectClass.CAR, box_shape(4.0, 1.8, 1.5), Straight(SE3.from_yaw(yaw, [x, y, 0.0]), velocity_m_s)
    )


def plane(half_m: float = 200.0) -> Mesh:
    """Level ground at height 0."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * half_m
    return Mesh.of(corners, [[0, 1, 2], [0, 2, 3]], Surface.ASPHALT, GREY)


@pytest.fixture
def make_world() -> Callable[..., World]:
    """Make a world of a plane, further scenery, and actors; the ego vehicle stands at the origin unless it is given."""

    def make(actors: Sequence[Actor] = (), scenery: Sequence[Mesh] = (), *, ground: bool = True) -> World:
        everyone = tuple(actors)
        if all(actor.actor_id != EGO_ID for actor in everyone):
            everyone = (standing(EGO_ID, 0.0, 0.0), *everyone)
        meshes = [plane(), *scenery] if ground else list(scenery)
        light = Light(sun_azimuth=0.8, sun_elevation=0.9)
        return World("test:0", 10.0, Terrain(), Mesh.merge(meshes), everyone, (EGO_ID,), light)

    return make
