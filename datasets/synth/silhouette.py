"""The outline of a mesh in a picture: bounds of its projection, with and without the picture's borders.

Edges are cut at the borders in homogeneous coordinates (u·depth, v·depth, depth), where the projection is linear: a
vertex behind the camera would otherwise appear mirrored, and one beside it far away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat, NDArrayUInt8, PinholeCamera

_NEAR_M: Final = 0.1
"""Nothing nearer to the camera's plane is seen."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Bounds of a projected mesh.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2 around what lies within the image: from 0 to its size less 1.
        truncation: share of the box around the whole projection that lies outside the image, 0 to 1.
    """

    box_px: NDArrayFloat
    truncation: float


def outlines(meshes: Sequence[Mesh], velo_SE3_meshes: Sequence[SE3], camera: PinholeCamera) -> list[Outline | None]:
    """Where each of several meshes is in the image, whatever is before it.

    Args:
        meshes: any with triangles.
        velo_SE3_meshes: the pose of each in the camera's velo frame.
        camera: the camera.

    Returns:
        For each its outline; None where no part of it is in the image.
    """
    if not meshes:
        return []
    projections = [camera.projection_velo @ pose.matrix for pose in velo_SE3_meshes]
    each = [mesh.vertices_m @ p[:, :3].T + p[:, 3] for mesh, p in zip(meshes, projections, strict=True)]
    starts = np.cumsum([0, *(len(points) for points in each[:-1])])
    points = np.concatenate(each)
    nearest, farthest = (bound.reduceat(points[:, 2], starts) for bound in (np.minimum, np.maximum))
    # what reaches behind the camera has no bounds before it is cut
    pixels = points[:, :2] / np.maximum(points[:, 2:], _NEAR_M)
    boxes = np.hstack([bound.reduceat(pixels, starts) for bound in (np.minimum, np.maximum)])
    limits = np.array([camera.width_px - 1.0, camera.height_px - 1.0])
    before = nearest > _NEAR_M
    within = before & (boxes[:, :2] >= 0).all(axis=1) & (boxes[:, 2:] <= limits).all(axis=1)
    beside = before & ((boxes[:, 2:] < 0).any(axis=1) | (boxes[:, :2] > limits).any(axis=1))
    found: list[Outline | None] = [None] * len(meshes)
    for row in np.flatnonzero(~beside & (farthest > _NEAR_M)).tolist():
        inside = Outline(boxes[row], 0.0) if within[row] else None
        found[row] = inside or _cut_outline(meshes[row], each[row], limits)
    return found


def _cut_outline(mesh: Mesh, points: NDArrayFloat, limits: NDArrayFloat) -> Outline | None:
    whole = _whole(mesh, points)
    sides = _sides(points, limits)
    edges = np.concatenate([mesh.triangles[:, :2], mesh.triangles[:, 1:], mesh.triangles[:, ::2]])
    first, second = sides.take(edges[:, 0]), sides.take(edges[:, 1])
    # an edge within the image is told by its ends, and one beyond a side is not in it
    edges = edges.compress(((first & second) == 0) & ((first | second) != 0), axis=0)
    starts, ends = points.take(edges[:, 0], axis=0), points.take(edges[:, 1], axis=0)
    starts, ends = _cut(starts, ends, starts[:, 2] - _NEAR_M, ends[:, 2] - _NEAR_M)
    for axis in (0, 1):
        starts, ends = _cut(starts, ends, starts[:, axis], ends[:, axis])
        inside = limits[axis] * starts[:, 2] - starts[:, axis], limits[axis] * ends[:, 2] - ends[:, axis]
        starts, ends = _cut(starts, ends, *inside)
    clipped = np.clip(whole, 0.0, np.tile(limits, 2))
    truncation = float(np.clip(1 - _area(clipped) / _area(whole), 0.0, 1.0))
    shown = np.concatenate([points[sides == 0], starts, ends])
    if len(shown):
        return Outline(np.clip(_bounds(shown), 0.0, np.tile(limits, 2)), truncation)
    # no edge is in the image: what is near enough may fill it all
    fills = (whole[:2] <= 0).all() and (whole[2:] >= limits).all()
    return Outline(clipped, truncation) if fills else None


def _whole(mesh: Mesh, points: NDArrayFloat) -> NDArrayFloat:
    """Bounds of all that is before the camera, in the image or not."""
    if points[:, 2].min() > _NEAR_M:
        return _bounds(points)
    corners = points[mesh.triangles]
    starts, ends = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    return _bounds(np.concatenate(_cut(starts, ends, starts[:, 2] - _NEAR_M, ends[:, 2] - _NEAR_M)))


def _sides(points: NDArrayFloat, limits: NDArrayFloat) -> NDArrayUInt8:
    """``(V,)`` beyond which sides of the view each vertex is, a bit for each; 0 within."""
    u, v, depth = points.T
    beyond = (u < 0, u > limits[0] * depth, v < 0, v > limits[1] * depth, depth < _NEAR_M)
    return np.asarray(np.packbits(np.stack(beyond), axis=0)[0], dtype=np.uint8)


def _cut(
    starts: NDArrayFloat, ends: NDArrayFloat, start_inside: NDArrayFloat, end_inside: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayFloat]:
    """The part of each edge where a linear function, given at both ends, is not negative."""
    keep: NDArrayBool = (start_inside >= 0) | (end_inside >= 0)
    starts, ends, a, b = starts[keep], ends[keep], start_inside[keep], end_inside[keep]
    crossing = (a < 0) != (b < 0)
    share = np.where(crossing, a / np.where(crossing, a - b, 1.0), 0.0)[:, None]
    border = starts + share * (ends - starts)
    return np.where((a < 0)[:, None], border, starts), np.where((b < 0)[:, None], border, ends)


def _bounds(points: NDArrayFloat) -> NDArrayFloat:
    pixels = points[:, :2] / points[:, 2:]
    return np.concatenate([pixels.min(axis=0), pixels.max(axis=0)])


def _area(box: NDArrayFloat) -> float:
    width, height = np.maximum(box[2:] - box[:2], 0.0)
    return max(float(width * height), 1e-9)
