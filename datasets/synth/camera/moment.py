"""Everything that a picture shows, at the instant of its exposure: triangles to cast rays against, and their look."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from vedette.datasets.synth.camera.smooth import blended_normals, corner_normals, smooth_triangles
from vedette.datasets.synth.raycast import NOBODY, Hits, TriangleScene
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat32, NDArrayInt, NDArrayUInt8


@dataclass(frozen=True, eq=False)
class Look:
    """What triangles look like.

    A pattern's coordinates at a point p are (p · along + offset_u, p · up + offset_v).

    Args:
        owners: ``(T,) int64`` ids of actors, or `NOBODY`.
        surfaces: ``(T,) uint8`` values of `Surface`.
        colours: ``(T,3) float32`` red, green, blue, linear, 0 to 1.
        normals: ``(T,3) float32`` unit vectors, to either side.
        along: ``(T,3) float32`` unit vectors in the surface, level where it stands.
        up: ``(T,3) float32`` unit vectors in the surface, at right angles to `along`.
        offsets_m: ``(T,2) float32`` that hold the pattern fast on what moves.
        rounded_rows: ``(T,) int64`` rows of the next two, -1 for flat triangles.
        corners_m: ``(R,3,3) float32`` of the triangles that stand for round bodies.
        corner_normals: ``(R,3,3) float32`` unit vectors there, as the round body has them.
    """

    owners: NDArrayInt
    surfaces: NDArrayUInt8
    colours: NDArrayFloat32
    normals: NDArrayFloat32
    along: NDArrayFloat32
    up: NDArrayFloat32
    offsets_m: NDArrayFloat32
    rounded_rows: NDArrayInt
    corners_m: NDArrayFloat32
    corner_normals: NDArrayFloat32

    @classmethod
    def of(cls, scene: TriangleScene) -> Look:
        """Look of what stands still: patterns are laid out in the world.

        Args:
            scene: in the world frame.
        """
        mesh = scene.mesh
        along, up = _axes_in_surface(scene.normals)
        rounded = smooth_triangles(mesh)
        rows = np.full(len(mesh), -1, dtype=np.int64)
        rows[rounded] = np.arange(len(rounded))
        return cls(
            owners=scene.owners,
            surfaces=mesh.surfaces,
            colours=linear_from_srgb()[mesh.colours_rgb],
            normals=scene.normals,
            along=along,
            up=up,
            offsets_m=np.zeros((len(mesh), 2), dtype=np.float32),
            rounded_rows=rows,
            corners_m=mesh.vertices_m[mesh.triangles[rounded]],
            corner_normals=corner_normals(mesh, scene.normals, rounded),
        )

    def held_by(self, poses: dict[int, SE3]) -> Look:
        """The same with patterns laid out in the frame of each triangle's owner.

        Args:
            poses: `world_SE3_actor` of every owner.
        """
        along, up, offsets = self.along.copy(), self.up.copy(), self.offsets_m.copy()
        for actor_id, pose in poses.items():
            mine = np.flatnonzero(self.owners == actor_id)
            rotation, origin = pose.rotation.astype(np.float32), pose.translation.astype(np.float32)
            axes = [axis @ rotation.T for axis in _axes_in_surface(self.normals[mine] @ rotation)]
            along[mine], up[mine] = axes
            offsets[mine] = -np.stack([axis @ origin for axis in axes], axis=1)
        return replace(self, along=along, up=up, offsets_m=offsets)

    def joined(self, other: Look) -> Look:
        """These triangles, then others.

        Args:
            other: those that follow.
        """
        columns = {
            field.name: np.concatenate([getattr(self, field.name), getattr(other, field.name)])
            for field in fields(self)
        }
        theirs = columns["rounded_rows"][len(self.rounded_rows) :]
        theirs[theirs >= 0] += len(self.corners_m)
        return Look(**columns)

    def normals_at(self, triangles: NDArrayInt, points_m: NDArrayFloat32, directions: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,3) float32`` unit normals towards the eye, blended on round bodies.

        Args:
            triangles: ``(N,) int64``.
            points_m: ``(N,3) float32`` on them.
            directions: ``(N,3) float32`` in which they are seen.
        """
        normals = facing(self.normals.take(triangles, axis=0), directions)
        rows = self.rounded_rows.take(triangles)
        rounded = np.flatnonzero(rows >= 0)
        rows = rows[rounded]
        blended = blended_normals(self.corners_m[rows], self.corner_normals[rows], points_m[rounded])
        # the blended normal follows its triangle's side, and stays in view where the round body would turn away
        blended *= np.sign(np.einsum("ij,ij->i", blended, normals[rounded]))[:, None]
        away = np.maximum(np.einsum("ij,ij->i", blended, directions[rounded]) + np.float32(0.02), 0.0)
        normals[rounded] = blended - away[:, None] * directions[rounded]
        return normals


class Moment:
    """Two scenes that rays are cast against as if they were one; triangles of the second follow those of the first.

    Args:
        still: what never moves.
        still_look: of it.
        moving: what moves, placed.
        poses: `world_SE3_actor` of everyone in `moving`.
    """

    def __init__(self, still: TriangleScene, still_look: Look, moving: TriangleScene, poses: dict[int, SE3]) -> None:
        self._still = still
        self._moving = moving
        self.look = still_look.joined(Look.of(moving).held_by(poses))

    def cast(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32) -> Hits:
        """First hit of each ray.

        Args:
            origins_m: ``(N,3) float32``, or (3,) for one origin of all.
            directions: ``(N,3) float32`` unit vectors.
        """
        origins = np.broadcast_to(origins_m, directions.shape)
        still, moving = self._still.cast(origins, directions), self._moving.cast(origins, directions)
        nearer = moving.range_m < still.range_m
        triangles = np.where(nearer, moving.triangles + len(self._still.mesh), still.triangles)
        return Hits(np.where(nearer, moving.range_m, still.range_m), triangles)

    def blocked(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32, far_m: float = np.inf) -> NDArrayBool:
        """Whether anything is in the way.

        Args:
            origins_m: ``(N,3) float32``.
            directions: ``(N,3) float32`` unit vectors.
            far_m: hits beyond do not count.
        """
        blocked = self._still.blocked(origins_m, directions, far_m)
        free = np.flatnonzero(~blocked)
        blocked[free] = self._moving.blocked(origins_m[free], directions[free], far_m)
        return blocked

    def owners_of(self, hits: Hits) -> NDArrayInt:
        """``(N,) int64`` whom each ray met, `NOBODY` where it met nothing.

        Args:
            hits: of this moment.
        """
        return np.where(hits.met, self.look.owners.take(hits.triangles, mode="clip"), NOBODY)


def linear_from_srgb() -> NDArrayFloat32:
    """``(256,) float32`` light, 0 to 1, of each value of an 8-bit colour (IEC 61966-2-1)."""
    value = np.arange(256) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear, dtype=np.float32)


def facing(normals: NDArrayFloat32, directions: NDArrayFloat32) -> NDArrayFloat32:
    """``(N,3) float32`` normals, turned towards the eye.

    Args:
        normals: ``(N,3) float32`` to either side.
        directions: ``(N,3) float32`` away from the eye.
    """
    away = np.einsum("ij,ij->i", normals, directions) > 0
    return np.asarray(normals * np.where(away, np.float32(-1), np.float32(1))[:, None])


def _axes_in_surface(normals: NDArrayFloat32) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """Two (T,3) unit vectors in each surface: one level, or along x on what lies flat; one upwards, or along y."""
    # both triangles of a wall get the same axes, whichever side their normals point to
    facing = normals * np.where(normals @ np.array([0.83, 0.43, 0.36], dtype=np.float32) < 0, -1, 1)[:, None]
    side = np.stack([-facing[:, 1], facing[:, 0], np.zeros(len(facing), np.float32)], axis=1)
    ahead = np.stack([facing[:, 2], np.zeros(len(facing), np.float32), -facing[:, 0]], axis=1)
    lies = np.hypot(facing[:, 0], facing[:, 1]) < 0.3
    along = np.where(lies[:, None], ahead, side)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-6)
    return along.astype(np.float32), np.cross(facing, along).astype(np.float32)
