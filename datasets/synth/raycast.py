"""Rays against the world: Open3D's RaycastingScene (Embree) with our triangles' properties beside it.

Open3D is an optional package (extra ``world``) and is imported only when a scene is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.surfaces import Surface
from vedette.errors import MissingPackageError
from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt

NOBODY = 0
"""Owner of triangles that belong to no actor."""


@dataclass(frozen=True, eq=False)
class Hits:
    """What rays met first.

    Args:
        range_m: ``(N,) float32``, infinite where nothing was met.
        triangles: ``(N,) int64`` of the scene's mesh; -1 where nothing was met.
    """

    range_m: NDArrayFloat32
    triangles: NDArrayInt

    @property
    def met(self) -> NDArrayBool:
        """``(N,) bool`` whether anything was met."""
        return np.asarray(self.triangles >= 0)


class TriangleScene:
    """Triangles that rays can be cast against, from any side.

    Args:
        mesh: the triangles, in the frame that the rays will be given in.
        owners: ``(T,) int64`` id of the actor that each belongs to, or `NOBODY`.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, mesh: Mesh, owners: NDArrayInt) -> None:
        self.mesh = mesh
        self.owners = owners
        _need_open3d()

    @cached_property
    def _scene(self) -> Any:
        # made by the first ray: many are asked for their mesh alone
        return _open3d_scene(self.mesh) if len(self.mesh) else None

    @cached_property
    def normals(self) -> NDArrayFloat32:
        """``(T,3) float32`` of each triangle."""
        return unit_normals(self.mesh)

    def cast(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32) -> Hits:
        """First hit of each ray.

        Args:
            origins_m: ``(N,3) float32``.
            directions: ``(N,3) float32`` unit vectors.
        """
        if self._scene is None or len(origins_m) == 0:
            return Hits(np.full(len(origins_m), np.inf, np.float32), np.full(len(origins_m), -1, np.int64))
        answer = self._scene.cast_rays(_rays(origins_m, directions), nthreads=1)
        # where nothing is met, all bits are set: as a signed number, -1
        triangles = answer["primitive_ids"].numpy().view(np.int32)
        return Hits(answer["t_hit"].numpy(), triangles.astype(np.int64))

    def blocked(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32, far_m: float = np.inf) -> NDArrayBool:
        """Whether anything is in the way.

        Args:
            origins_m: ``(N,3) float32``.
            directions: ``(N,3) float32`` unit vectors, or of any length with `far_m` in that unit.
            far_m: hits beyond do not count.
        """
        if self._scene is None or len(origins_m) == 0:
            return np.zeros(len(origins_m), dtype=bool)
        blocked = self._scene.test_occlusions(_rays(origins_m, directions), tfar=float(far_m), nthreads=1)
        return np.asarray(blocked.numpy(), dtype=bool)


def placed(actor: Actor, t_s: float) -> Mesh:
    """An actor's triangles in the world frame.

    Args:
        actor: whom.
        t_s: seconds since the world's beginning.
    """
    return actor.shape.mesh(t_s).moved(actor.motion.pose(t_s))


def is_glass(mesh: Mesh) -> NDArrayBool:
    """``(T,) bool`` whether beams may pass each triangle.

    Args:
        mesh: any.
    """
    return np.asarray(mesh.surfaces == int(Surface.CAR_GLASS))


def unit_normals(mesh: Mesh) -> NDArrayFloat32:
    """``(T,3) float32`` unit vectors at right angles to the triangles, to the side from which they turn to the left.

    Args:
        mesh: any.
    """
    a, b, c = (mesh.vertices_m.take(mesh.triangles[:, k], axis=0).T for k in range(3))
    (ux, uy, uz), (vx, vy, vz) = b - a, c - a
    # np.cross takes as long to arrange its arguments as a person's few hundred triangles take in all
    normals = np.stack([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], axis=1)
    lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    return np.asarray(normals / np.maximum(lengths, 1e-12)[:, None], dtype=np.float32)


def _rays(origins_m: NDArrayFloat32, directions: NDArrayFloat32) -> Any:
    from open3d import core

    rays = np.concatenate([origins_m, directions], axis=1, dtype=np.float32)
    return core.Tensor.from_numpy(np.ascontiguousarray(rays))


def _need_open3d() -> None:
    try:
        import open3d  # noqa: F401
    except ImportError as error:
        raise MissingPackageError("open3d", extra="world", needed_for="the generated world", error=error) from error


def _open3d_scene(mesh: Mesh) -> Any:
    from open3d import core, t

    scene = t.geometry.RaycastingScene(nthreads=1)
    vertices = core.Tensor.from_numpy(np.ascontiguousarray(mesh.vertices_m))
    scene.add_triangles(vertices, core.Tensor.from_numpy(np.ascontiguousarray(mesh.triangles.astype(np.uint32))))
    return scene
