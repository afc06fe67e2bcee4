"""A plan that is being built on: whether ground is free, and everything that was put there so far.

What is laid (kerbs, fences, hedges) follows bends and slopes point by point; what stands (houses, trees, posts) keeps
its form and is upright. Both are kept in the plan and moved to the world together, in a few large array operations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Claims, Plan, rectangle_circles
from vedette.datasets.synth.terrain import Terrain
from vedette.geometry import NDArrayBool, NDArrayFloat

_ROW_M = 3.0


class Site:
    """A plan with what stands on it.

    Args:
        plan: streets and blocks.
        terrain: the shape of the ground.
        claims: ground that is taken; what is placed here is added to it.
        rng: of everything that is drawn.
    """

    def __init__(self, plan: Plan, terrain: Terrain, claims: Claims, rng: np.random.Generator) -> None:
        self.plan = plan
        self.terrain = terrain
        self.rng = rng
        self._claims = claims
        self._laid: list[Mesh] = []
        self._standing: list[Mesh] = []
        self._anchors: list[tuple[float, float, float, float]] = []

    def lay(self, mesh: Mesh) -> None:
        """Add something that follows the ground.

        Args:
            mesh: x and y are the plan's u and v, z is metres above carriageway level.
        """
        self._laid.append(mesh)

    def stand(self, mesh: Mesh, uv_m: ArrayLike, plan_yaw: float = 0.0, above_m: float = 0.0) -> None:
        """Add something that keeps its form and stands upright.

        Args:
            mesh: in its own frame, the origin on the ground.
            uv_m: (2,) plan metres of its origin.
            plan_yaw: direction of its x in the plan.
            above_m: metres of its origin above carriageway level.
        """
        u, v = np.asarray(uv_m, dtype=np.float64)
        self._standing.append(mesh)
        self._anchors.append((float(u), float(v), plan_yaw, above_m))

    def take(self, uv_m: ArrayLike, radius_m: float) -> bool:
        """Claim a circle.

        Args:
            uv_m: (2,) its centre, plan metres.
            radius_m: its radius.

        Returns:
            Whether it was free; it is taken now.
        """
        u, v = np.asarray(uv_m, dtype=np.float64)
        return self.take_circles(np.array([[u, v, radius_m]]))

    def take_rectangle(self, uv_m: ArrayLike, plan_yaw: float, length_m: float, width_m: float) -> bool:
        """Claim a rectangle.

        Args:
            uv_m: (2,) its centre, plan metres.
            plan_yaw: direction of its length.
            length_m: of the rectangle.
            width_m: of the rectangle.

        Returns:
            Whether it was free; it is taken now.
        """
        return self.take_circles(rectangle_cover(np.asarray(uv_m, dtype=np.float64), plan_yaw, length_m, width_m))

    def take_circles(self, circles: NDArrayFloat) -> bool:
        """Claim circles together.

        Args:
            circles: (N, 3) u, v and radius.

        Returns:
            Whether all were free; they are taken now.
        """
        if not self._claims.are_free(circles).all():
            return False
        self._claims.claim([(float(u), float(v), float(r)) for u, v, r in circles])
        return True

    def claim(self, circles: NDArrayFloat) -> None:
        """Take ground that was found free, without asking again.

        Args:
            circles: (N, 3) u, v and radius.
        """
        self._claims.claim([(float(u), float(v), float(r)) for u, v, r in circles])

    def are_free(self, circles: NDArrayFloat) -> NDArrayBool:
        """``(N,) bool`` on which circles nothing stands yet; nothing is claimed.

        Args:
            circles: (N, 3) u, v and radius.
        """
        return self._claims.are_free(circles)

    def take_together(self, things: Sequence[NDArrayFloat]) -> list[bool]:
        """Claim things that may touch one another, such as the houses of a row.

        Args:
            things: (N, 3) circles of each.

        Returns:
            Of each whether its ground was free; that is taken now.
        """
        free = [bool(self._claims.are_free(circles).all()) for circles in things]
        for circles, is_free in zip(things, free, strict=True):
            if is_free:
                self._claims.claim([(float(u), float(v), float(r)) for u, v, r in circles])
        return free

    def take_each(self, circles: NDArrayFloat) -> NDArrayBool:
        """Claim those things whose ground is free; they may touch one another.

        Args:
            circles: (N, K, 3) u, v and radius of the circles of each thing.

        Returns:
            ``(N,) bool`` whose ground was free.
        """
        free = np.asarray(self._claims.are_free(circles.reshape(-1, 3)).reshape(circles.shape[:2]).all(axis=1))
        self._claims.claim([(float(u), float(v), float(r)) for u, v, r in circles[free].reshape(-1, 3)])
        return free

    def build(self) -> Mesh:
        """Everything, in the world frame."""
        return Mesh.merge([self._build_laid(), self._build_standing()])

    def _build_laid(self) -> Mesh:
        plan_mesh = Mesh.merge(self._laid)
        vertices = plan_mesh.vertices_m.astype(np.float64)
        world = self.terrain.to_world(vertices[:, :2], vertices[:, 2])
        return _with_vertices(plan_mesh, world)

    def _build_standing(self) -> Mesh:
        local_mesh = Mesh.merge(self._standing)
        anchors = np.array(self._anchors).reshape(-1, 4)
        origins = self.terrain.to_world(anchors[:, :2], anchors[:, 3])
        step = 0.1 * np.stack([np.cos(anchors[:, 2]), np.sin(anchors[:, 2])], axis=1)
        ahead = self.terrain.to_world(anchors[:, :2] + step) - self.terrain.to_world(anchors[:, :2] - step)
        forward = ahead[:, :2] / np.linalg.norm(ahead[:, :2], axis=1, keepdims=True)
        owner = np.repeat(np.arange(len(anchors)), [len(mesh.vertices_m) for mesh in self._standing])
        x, y, z = local_mesh.vertices_m.astype(np.float64).T
        cos, sin = forward[owner].T
        world = origins[owner] + np.stack([cos * x - sin * y, sin * x + cos * y, z], axis=1)
        return _with_vertices(local_mesh, world)


def rectangle_cover(uv_m: NDArrayFloat, plan_yaw: float, length_m: float, width_m: float) -> NDArrayFloat:
    """``(N,3)`` circles that cover a rectangle and reach little beyond it.

    Args:
        uv_m: (2,) its centre.
        plan_yaw: direction of its length.
        length_m: of the rectangle.
        width_m: of the rectangle.
    """
    if length_m < width_m:
        return rectangle_cover(uv_m, plan_yaw + np.pi / 2, width_m, length_m)
    rows = max(1, int(np.ceil(width_m / _ROW_M)))
    row_m = width_m / rows
    across = np.array([-np.sin(plan_yaw), np.cos(plan_yaw)])
    circles = [
        circle
        for k in range(rows)
        for circle in rectangle_circles(uv_m + (k - (rows - 1) / 2) * row_m * across, plan_yaw, length_m, row_m)
    ]
    return np.array(circles)


def _with_vertices(mesh: Mesh, vertices_m: NDArrayFloat) -> Mesh:
    return Mesh(vertices_m.astype(np.float32), mesh.triangles, mesh.surfaces, mesh.colours_rgb)
