"""What triangles look like: colours, directions of their patterns, and how round the bodies are that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from vedette.datasets.synth.camera.smooth import blended_normals, corner_normals, smooth_triangles
from vedette.datasets.synth.mesh import Mesh
from vedette.geometry import SE3, NDArrayFloat32, NDArrayInt, NDArrayUInt8


@dataclass(frozen=True, eq=False)
class Look:
    """What triangles look like.

    A pattern's coordinates at a point p are (p · along + offset_u, p · up + offset_v).

    Args:
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
    def of(cls, mesh: Mesh, normals: NDArrayFloat32, *, rounded: bool = True) -> Look:
        """Look of a mesh, with patterns laid out in its frame.

        Args:
            mesh: any.
            normals: ``(T,3) float32`` unit vectors of its triangles.
            rounded: whether its panels stand for round bodies, where they do.
        """
        along, up = _axes_in_surface(normals)
        round_rows = smooth_triangles(mesh) if rounded else np.zeros(0, dtype=np.int64)
        rows = np.full(len(mesh), -1, dtype=np.int64)
        rows[round_rows] = np.arange(len(round_rows))
        return cls(
            surfaces=mesh.surfaces,
            colours=linear_from_srgb()[mesh.colours_rgb],
            normals=normals,
            along=along,
            up=up,
            offsets_m=np.zeros((len(mesh), 2), dtype=np.float32),
            rounded_rows=rows,
            corners_m=mesh.vertices_m[mesh.triangles[round_rows]],
            corner_normals=corner_normals(mesh, normals, round_rows),
        )

    @classmethod
    def joined(cls, looks: Sequence[Look]) -> Look:
        """All triangles of several looks, at least one, in order.

        Args:
            looks: in one frame.
        """
        columns = {field.name: np.concatenate([getattr(look, field.name) for look in looks]) for field in fields(cls)}
        before = np.cumsum([0, *(len(look.corners_m) for look in looks[:-1])])
        rows = columns["rounded_rows"]
        rows += np.where(rows >= 0, np.repeat(before, [len(look.surfaces) for look in looks]), 0)
        return cls(**columns)

    def moved(self, dst_SE3_src: SE3) -> Look:
        """The same in another frame; patterns move along.

        Args:
            dst_SE3_src: from the present frame.
        """
        turn = dst_SE3_src.rotation.T.astype(np.float32)
        shift = dst_SE3_src.translation.astype(np.float32)
        along, up = self.along @ turn, self.up @ turn
        return replace(
            self,
            normals=self.normals @ turn,
            along=along,
            up=up,
            offsets_m=self.offsets_m - np.stack([along @ shift, up @ shift], axis=1),
            corners_m=self.corners_m @ turn + shift,
            corner_normals=self.corner_normals @ turn,
        )

    def normals_at(self, triangles: NDArrayInt, points_m: NDArrayFloat32, directions: NDArrayFloat32) -> NDArrayFloat32:
        """``(N,3) float32`` unit normals towards the eye, blended on round bodies.

        Args:
            triangles: ``(N,) int64``.
            points_m: ``(N,3) float32`` on them.
            directions: ``(N,3) float32`` in which they are seen.
        """
        normals = _towards_eye(self.normals.take(triangles, axis=0), directions)
        rows = self.rounded_rows.take(triangles)
        rounded = np.flatnonzero(rows >= 0)
        rows = rows[rounded]
        corners, normals_there = self.corners_m.take(rows, axis=0), self.corner_normals.take(rows, axis=0)
        blended = blended_normals(corners, normals_there, points_m.take(rounded, axis=0))
        seen_along = directions.take(rounded, axis=0)
        # the blended normal follows its triangle's side, and stays in view where the round body would turn away
        blended *= np.sign(np.einsum("ij,ij->i", blended, normals.take(rounded, axis=0)))[:, None]
        away = np.maximum(np.einsum("ij,ij->i", blended, seen_along) + np.float32(0.02), 0.0)
        normals[rounded] = blended - away[:, None] * seen_along
        return normals


def linear_from_srgb() -> NDArrayFloat32:
    """``(256,) float32`` light, 0 to 1, of each value of an 8-bit colour (IEC 61966-2-1)."""
    value = np.arange(256) / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear, dtype=np.float32)


def _towards_eye(normals: NDArrayFloat32, directions: NDArrayFloat32) -> NDArrayFloat32:
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
