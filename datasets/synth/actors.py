"""Whoever is labelled: vehicles and people, what they look like and where they are at any time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.mesh import Mesh
from vedette.geometry import SE3, NDArrayFloat


class Shape(Protocol):
    """What an actor looks like, in its own frame: x forward, y left, z up, the origin at the bottom centre."""

    @property
    def is_rigid(self) -> bool:
        """Whether the mesh is the same at all times."""
        ...

    @property
    def size_m(self) -> tuple[float, float, float]:
        """Length, width and height of the box that encloses it: limbs at full swing are inside."""
        ...

    def mesh(self, t_s: float) -> Mesh:
        """The triangles at a time; a rigid shape returns one and the same mesh.

        Args:
            t_s: seconds since the world's beginning.
        """
        ...


class Motion(Protocol):
    """Where an actor is, at any time from 0 to the world's duration."""

    @property
    def is_still(self) -> bool:
        """Whether it never moves."""
        ...

    def pose(self, t_s: float) -> SE3:
        """`world_SE3_actor` at a time, the bottom centre on the ground.

        Args:
            t_s: seconds since the world's beginning.
        """
        ...


@dataclass(frozen=True)
class Actor:
    """Someone or something with a label.

    Args:
        actor_id: above 0 and unique in its world; 0 means nobody.
        object_class: of its label.
        shape: what it looks like.
        motion: where it is.
    """

    actor_id: int
    object_class: ObjectClass
    shape: Shape
    motion: Motion

    def box_world(self, t_s: float) -> NDArrayFloat:
        """``(7,) float64`` x, y, z, length, width, height, yaw: centre of volume, world frame, upright.

        Args:
            t_s: seconds since the world's beginning.
        """
        pose = self.motion.pose(t_s)
        length_m, width_m, height_m = self.shape.size_m
        centre = pose.transform_points(np.array([0.0, 0.0, height_m / 2]))
        return np.array([*centre, length_m, width_m, height_m, pose.yaw])


@dataclass(frozen=True)
class RigidShape:
    """A shape that never changes.

    Args:
        body: triangles in the actor's frame.
        size_m: length, width and height of the enclosing box.
    """

    body: Mesh
    size_m: tuple[float, float, float]
    is_rigid: bool = True

    def mesh(self, t_s: float) -> Mesh:  # noqa: ARG002
        """The triangles."""
        return self.body


@dataclass(frozen=True)
class Still:
    """Stands where it is.

    Args:
        world_SE3_actor: where.
    """

    world_SE3_actor: SE3
    is_still: bool = True

    def pose(self, t_s: float) -> SE3:  # noqa: ARG002
        """Where it stands."""
        return self.world_SE3_actor
